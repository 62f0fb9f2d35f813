// A screen of the page: its text to stdout, its picture to a file, once it has shown a few samples.
import { createRequire } from 'node:module';

const { chromium } = createRequire(`${process.env.TOOLS}/`)('playwright-core');
const { PAGE, SCREEN, PICTURE, SQLCMDPASSWORD } = process.env;
const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: true, args });
const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
await page.goto(`${PAGE}/login`);
await page.fill('#name', 'sa');
await page.fill('#password', SQLCMDPASSWORD);
await page.click('button[type=submit]');
await page.waitForSelector('#link[data-state=live]');
await page.goto(`${PAGE}/#${SCREEN}`);
await page.waitForSelector('main .screen tbody tr');
await page.waitForTimeout(9000);
await page.screenshot({ path: PICTURE });
console.log(await page.evaluate(() => document.querySelector('main').innerText));
await browser.close();
