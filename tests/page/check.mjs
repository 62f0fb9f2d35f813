// What holds of the page in a browser. Each check that fails is said, and the exit code is 1.
import { createRequire } from 'node:module';
import { mkdirSync } from 'node:fs';

const { chromium } = createRequire(`${process.env.TOOLS}/`)('playwright-core');
const { PAGE, PICTURES, PROFILE } = process.env;
const PASSWORD = process.env.MSSQL_SA_PASSWORD;
mkdirSync(PICTURES, { recursive: true });

const wrong = [];
const check = (holds, words) => { if (!holds) { wrong.push(words); console.error(`WRONG ${words}`); } };
const SCREENS = ['overview', 'sessions', 'tempdb', 'io', 'waits', 'plans', 'log', 'reports'];

const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const context = await chromium.launchPersistentContext(PROFILE, { executablePath: '/usr/bin/chromium', headless: true, args: ARGS, viewport: { width: 1280, height: 900 } });
const page = context.pages()[0] ?? await context.newPage();

// Answers that are expected to be refusals are said so by the browser too.
let expected = [];
page.on('console', (message) => {
  if (message.type() === 'error' && !expected.some((it) => message.text().includes(it))) check(false, `console: ${message.text()}`);
});
page.on('pageerror', (error) => check(false, `error in a script: ${error.message}`));
page.on('request', (request) => check(request.url().startsWith(PAGE), `asked elsewhere: ${request.url()}`));
page.on('dialog', (dialog) => { check(false, `a dialog: ${dialog.message()}`); dialog.dismiss(); });

/** Ratio of contrast of each text with what is behind it, where it is below 4.5 (3 for large ones). */
const contrast = () => page.evaluate(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, under) => [0, 1, 2].map((at) => top[at] * top[3] + under[at] * (1 - top[3])).concat(1);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((it) => (it / 255 <= 0.03928 ? it / 255 / 12.92 : ((it / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (node) => {
    const layers = [];
    for (let at = node; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((under, top) => over(top, under), matchMedia('(prefers-color-scheme: dark)').matches ? [0, 0, 0, 1] : [255, 255, 255, 1]);
  };
  const found = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !node.checkVisibility?.() || node.closest('script, noscript')) continue;
    const style = getComputedStyle(node);
    const under = behind(node);
    const color = over(rgba(node instanceof SVGElement ? style.fill : style.color), under);
    const [a, b] = [light(color), light(under)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
    if (ratio < least) found.set(`${node.tagName.toLowerCase()}.${node.getAttribute('class') ?? ''}`, `${ratio.toFixed(2)} ${walker.currentNode.textContent.trim().slice(0, 30)}`);
  }
  return [...found];
});

async function logIn(name, password = PASSWORD) {
  await page.goto(`${PAGE}/login`);
  await page.fill('#name', name);
  await page.fill('#password', password);
  await page.click('button[type=submit]');
}

const scheme = (colorScheme) => page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
const shot = (name) => page.screenshot({ path: `${PICTURES}/${name}.png` });
const live = () => page.waitForSelector('#link[data-state=live]');

// The form: by keys alone, wrong and right.
for (const color of ['light', 'dark']) {
  await scheme(color);
  await page.goto(PAGE);
  check(page.url() === `${PAGE}/login`, `without a login: ${page.url()}`);
  for (const [tag, words] of await contrast()) check(false, `contrast of the form (${color}): ${tag} ${words}`);
}
await shot('login-dark');
await scheme('light');
expected = ['401'];
await logIn('<b>ann</b>', 'wrong');
const words = await page.textContent('.words');
check(words === "Login failed for user '<b>ann</b>'.", `the words of a wrong password: ${words}`);
expected = [];
await page.goto(`${PAGE}/login`);
await page.keyboard.type('sa');
await page.keyboard.press('Tab');
await page.keyboard.type(PASSWORD);
await page.keyboard.press('Enter');
await live();
check(new URL(page.url()).pathname === '/', `after the login: ${page.url()}`);
check((await context.cookies()).every((cookie) => cookie.httpOnly && cookie.sameSite === 'Strict'), 'a cookie that scripts read');
// Some samples, for charts.
await page.waitForFunction(() => document.querySelectorAll('.chart path.line').length > 3);
await page.waitForTimeout(14000);

// Each screen, wide and narrow, light and dark.
for (const color of ['light', 'dark']) {
  await scheme(color);
  for (const width of [1280, 480]) {
    await page.setViewportSize({ width, height: width === 480 ? 960 : 900 });
    for (const screen of SCREENS) {
      await page.goto(`${PAGE}/#${screen}`);
      await page.waitForSelector('main .screen');
      await page.waitForTimeout(2600);
      const size = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      check(size[0] <= size[1], `${screen} at ${width} is ${size[0]} wide`);
      for (const [tag, text] of await contrast()) check(false, `contrast of ${screen} (${color}, ${width}): ${tag} ${text}`);
      const unnamed = await page.evaluate(() => [...document.querySelectorAll('button, input, a[href], svg[role=img], table')].filter((node) => node.checkVisibility() && !(node.getAttribute('aria-label') || node.textContent.trim() || node.labels?.length)).map((node) => node.outerHTML.slice(0, 80)));
      check(unnamed.length === 0, `without a name on ${screen}: ${unnamed}`);
      await shot(`${screen}-${width}-${color}`);
    }
  }
}
await scheme('light');
await page.setViewportSize({ width: 1280, height: 900 });

// What the screens show of the load.
await page.goto(`${PAGE}/#sessions`);
await page.waitForSelector('tr.marked');
const chain = await page.$$eval('tbody tr .branch', (nodes) => nodes.map((node) => node.textContent));
check(chain.some((it) => it.startsWith('└')), `no tree of who waits for whom: ${chain}`);
check((await page.textContent('#verdict')).length > 5, 'no verdict');
check(await page.title() === `Sessions · ${await page.textContent('#server')}`, `the title: ${await page.title()}`);
await page.goto(`${PAGE}/#log`);
const names = await page.$$eval('tbody tr td:first-child', (nodes) => nodes.map((node) => node.textContent));
check(names.includes("<script>document.title='broken'</script>"), `a name with markup: ${names}`);
check(names.includes('it\'s "quoted" & ·reversed·'), `a name that turns the direction: ${names}`);

// Keys: screens, filter, rows, a session whole, freeze.
await page.keyboard.press('2');
await page.waitForSelector('table[aria-label=Sessions]');
await page.keyboard.press('/');
await page.keyboard.type('left open');
check(await page.$eval('table[aria-label=Sessions] tbody', (body) => body.children.length) === 1, 'the filter leaves one session');
await page.keyboard.press('Escape');
check(await page.$eval('input.filter', (input) => input.value) === '', 'Escape clears the filter');
await page.focus('tbody tr[tabindex="0"]');
await page.keyboard.press('ArrowDown');
const row = await page.evaluate(() => [...document.activeElement.parentElement.children].indexOf(document.activeElement));
check(row === 1, `the second row has the focus: ${row}`);
await page.waitForTimeout(2600);
check(await page.evaluate(() => document.activeElement.tagName) === 'TR', 'a row keeps the focus when a sample comes');
await page.keyboard.press('Enter');
check(await page.$eval('#session', (dialog) => dialog.open), 'Enter opens a session');
for (const [tag, text] of await contrast()) check(false, `contrast of a session: ${tag} ${text}`);
await shot('session-1280-light');
await page.keyboard.press('Tab');
check(await page.evaluate(() => document.querySelector('#session').contains(document.activeElement)), 'Tab stays in the dialog');
await page.keyboard.press('Escape');
check(!await page.$eval('#session', (dialog) => dialog.open), 'Escape closes it');
check(await page.evaluate(() => document.activeElement.tagName) === 'TR', 'the row has the focus again');
// From the top of the page on: brand, freeze, log out, screens, content.
await page.evaluate(() => { document.activeElement.blur(); getSelection().removeAllRanges(); });
await page.goto(`${PAGE}/#overview`);
await page.reload();
await live();
const order = [];
for (let step = 0; step < 12; step += 1) {
  await page.keyboard.press('Tab');
  order.push(await page.evaluate(() => document.activeElement.id || document.activeElement.hash || document.activeElement.textContent.trim()));
}
const first = ['#overview', 'freeze', 'logout', '#overview', '#sessions'];
check(JSON.stringify(order.slice(0, 5)) === JSON.stringify(first), `the order of Tab: ${order}`);
await page.evaluate(() => document.activeElement.blur());
await page.keyboard.press(' ');
check(await page.getAttribute('#link', 'data-state') === 'frozen', 'space freezes');
await page.keyboard.press(' ');
await live();

// A chart is zoomed by keys and by the mouse, and live again.
await page.waitForFunction(() => document.querySelectorAll('.chart path.line').length > 1);
await page.focus('.chart svg');
await page.keyboard.press('+');
check((await page.textContent('.chart .when')).trim() === 'zoomed', 'a chart is zoomed by a key');
await page.keyboard.press('0');
const box = await (await page.$('.chart svg')).boundingBox();
await page.mouse.move(box.x + box.width * 0.6, box.y + 60);
await page.mouse.down();
await page.mouse.move(box.x + box.width * 0.9, box.y + 60, { steps: 5 });
await page.mouse.up();
check(await page.isVisible('button.live'), 'a chart is zoomed by dragging');
await page.click('button.live');
check(!await page.isVisible('button.live'), 'live again');

// A plan: pasted, and of a running statement.
await page.goto(`${PAGE}/#plans`);
const operator = (id, name, cost, inside = '') => `<RelOp NodeId="${id}" PhysicalOp="${name}" LogicalOp="${name}" EstimateRows="100" EstimatedTotalSubtreeCost="${cost}">${inside}</RelOp>`;
const plan = `<ShowPlanXML><StmtSimple StatementText="select '&lt;script&gt;document.title=1&lt;/script&gt;'" StatementType="SELECT" StatementSubTreeCost="10">${operator(0, 'Sort', 10, `<Sort>${operator(1, 'Table Scan', 3)}</Sort>`)}</StmtSimple></ShowPlanXML>`;
await page.fill('textarea', plan);
await page.click('text=Show it');
await page.waitForSelector('table.plan');
const shown = await page.$$eval('table.plan tbody tr', (rows) => rows.map((row) => row.cells[0].textContent));
check(shown.length === 2 && shown[0].includes('Sort') && shown[0].includes('costliest'), `a plan that was pasted: ${shown}`);
await page.focus('table.plan tbody tr');
await page.keyboard.press('ArrowLeft');
check(await page.$eval('table.plan tbody tr:nth-child(2)', (node) => node.hidden), '← closes what is below');
await page.keyboard.press('ArrowRight');
expected = ['422'];
await page.fill('textarea', 'no plan');
await page.click('text=Show it');
await page.waitForFunction(() => document.querySelector('.words[role=status]').textContent.includes('ShowPlanXML'));
expected = [];
await page.click('section.card:has-text("row_number") >> text=Plan with costs');
await page.waitForFunction(() => [...document.querySelectorAll('table.plan tbody tr')].length > 2);
await page.waitForTimeout(300);
await shot('plan-1280-light');
for (const [tag, text] of await contrast()) check(false, `contrast of a plan: ${tag} ${text}`);

// A report: its scripts do not run.
await page.goto(`${PAGE}/#reports`);
const href = await page.getAttribute('.reports a', 'href');
const report = await context.newPage();
await report.goto(PAGE + href);
check(await report.textContent('#words') === 'as it was written', 'a script of a report has run');
await report.close();

// A session is ended after a question.
await page.goto(`${PAGE}/#sessions`);
await page.fill('input.filter', 'left open');
await page.waitForFunction(() => document.querySelectorAll('table[aria-label=Sessions] tbody tr').length === 1);
const victim = await page.textContent('table[aria-label=Sessions] tbody tr b');
await page.click('table[aria-label=Sessions] tbody tr');
await page.click('text=End session…');
check((await page.textContent('.question')).includes(victim), 'the question names the session');
await shot('question-1280-light');
await page.click('text=Keep it');
check(!await page.isVisible('.question'), 'it is kept');
await page.click('text=End session…');
await page.click(`.question >> text=End session ${victim}`);
await page.waitForFunction(() => document.querySelector('#session .words').textContent.includes('ended'));
await page.keyboard.press('Escape');
await page.waitForFunction(() => document.querySelectorAll('table[aria-label=Sessions] tbody tr').length === 0);

// A login without rights sees its own session and is told why; its name is a text.
await page.click('#logout');
await page.waitForSelector('#name');
// The history is refused, too.
expected = ['403'];
await logIn('<b>ann</b>');
await live();
await page.waitForFunction(() => !document.querySelector('.refused').hidden);
check(await page.textContent('#login') === '<b>ann</b>', `the name of the login: ${await page.textContent('#login')}`);
check((await page.textContent('.refused')).includes('VIEW SERVER STATE'), 'what is refused is said');
await page.goto(`${PAGE}/#sessions`);
await page.waitForFunction(() => document.querySelectorAll('table[aria-label=Sessions] tbody tr').length === 1);
await page.click('table[aria-label=Sessions] tbody tr');
check(!await page.isVisible('text=End session…'), 'who may not end sessions is not asked to');
await page.keyboard.press('Escape');
await page.waitForTimeout(1000);
await shot('no-rights-1280-light');

// The server ends: the page says so.
expected = ['ERR_', '401', 'Failed to load'];
process.kill(Number(process.env.SERVER));
await page.waitForSelector('#link[data-state=silent]');
check(await page.isVisible('#banner'), 'a server that is gone is said');
for (const [tag, text] of await contrast()) check(false, `contrast of the banner: ${tag} ${text}`);
await shot('gone-1280-light');
// It comes back: the page finds it by itself, and leads over the form to the screen that was open.
await page.waitForSelector('#name', { timeout: 60000 });
check((await page.textContent('.words')).includes('Log in again'), 'why there is a form is said');
expected = [];
await page.fill('#name', 'sa');
await page.fill('#password', PASSWORD);
await page.click('button[type=submit]');
await live();
check(new URL(page.url()).hash === '#sessions', `the screen that was open: ${page.url()}`);

await context.close();
console.log(wrong.length === 0 ? 'all checks hold' : `${wrong.length} checks do not hold`);
process.exitCode = wrong.length === 0 ? 0 : 1;
