// The page: one stream of samples, one screen at a time, a verdict above all of them.
//
// Keys: 1 to 8 screens, / filter, space freezes, Escape closes. What always holds: keys do nothing while somebody types.

import { el, put } from './dom.js';
import { History } from './history.js';
import { Link, ask, leave } from './link.js';
import * as screens from './screens.js';
import { SessionDialog } from './session.js';
import { clock, time } from './units.js';

const SCREENS = [
  ['overview', 'Overview'], ['sessions', 'Sessions'], ['tempdb', 'tempdb'], ['io', 'I/O'],
  ['waits', 'Waits'], ['plans', 'Plans'], ['log', 'Log'], ['reports', 'Reports'],
];

const of = (id) => document.getElementById(id);
const context = { history: new History(), me: null, latest: null, isFrozen: false, open: (id, from) => dialog.open(id, from) };
const dialog = new SessionDialog(of('session'), context);

const badge = el('b', { class: 'badge' });
const sentence = el('span', { id: 'verdict' });
const when = el('span', { class: 'quiet when' });
const verdict = el('div', { class: 'verdict', 'aria-label': 'Verdict' }, el('span', { class: 'quiet' }, 'Bound by'), badge, sentence, el('span', { class: 'space' }), when);
const refused = el('p', { class: 'refused', hidden: true });
const place = el('div', {});
of('main').append(verdict, refused, place);

let current = null;

function open() {
  const name = SCREENS.some(([key]) => `#${key}` === location.hash) ? location.hash.slice(1) : 'overview';
  current?.end();
  current = screens[name](context);
  place.replaceChildren(current.node);
  for (const link of of('tabs').children) {
    if (link.hash === `#${name}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  of('tabs').querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  document.title = `${SCREENS.find(([key]) => key === name)[1]} · ${context.me?.server ?? 'Millpond'}`;
  if (context.latest) show(context.latest);
}

function tabs() {
  const shown = SCREENS.filter(([key]) => key !== 'reports' || context.me?.has_reports);
  of('tabs').replaceChildren(...shown.map(([key, title], at) => el('a', { href: `#${key}` }, el('kbd', { 'aria-hidden': 'true' }, String(at + 1)), title)));
}

const BOUND = {
  nothing: 'nothing', processor: 'processor', reads: 'reads', log_writes: 'log writes', locks: 'locks',
  memory_grants: 'memory grants', tempdb_allocation: 'tempdb allocation', other: 'something else',
};

function show(sample) {
  const { overview } = sample;
  put(badge, BOUND[overview.bound_by] ?? overview.bound_by);
  badge.dataset.bound = overview.bound_by;
  const begin = `${BOUND[overview.bound_by]}: `;
  put(sentence, overview.verdict.startsWith(begin) ? overview.verdict.slice(begin.length) : overview.verdict);
  put(when, `${clock(overview.taken_ms)}${overview.uptime_s === null ? '' : ` · up ${time(overview.uptime_s * 1000)}`}`);
  const parts = sample.refused.map((it) => `${it.part} (${it.number})`);
  const isRight = sample.refused.some((it) => [262, 297, 300].includes(it.number));
  refused.hidden = parts.length === 0;
  put(refused, parts.length === 0 ? '' : `${isRight ? 'This login has no VIEW SERVER STATE: it sees its own sessions only. ' : ''}Refused: ${parts.join(', ')}`);
  current.show(sample);
  current.draw?.();
  if (of('session').open) dialog.show(sample);
}

function state(name, words) {
  const link = of('link');
  const shown = name === 'live' && context.isFrozen ? 'frozen' : name;
  link.dataset.state = shown;
  put(link, { live: 'live', frozen: 'frozen', silent: 'no answer', over: 'ended' }[shown] ?? shown);
  of('banner').hidden = words === '';
  put(of('banner'), words);
  context.link = name;
}

function freeze() {
  context.isFrozen = !context.isFrozen;
  context.history.isFrozen = context.isFrozen;
  of('freeze').setAttribute('aria-pressed', String(context.isFrozen));
  put(of('freeze'), context.isFrozen ? 'Go on' : 'Freeze');
  state(context.link ?? 'connecting', of('banner').textContent);
  if (!context.isFrozen && context.latest) show(context.latest);
}

async function before() {
  const now = Date.now();
  try {
    const rows = await ask(`/api/history?from_ms=${now - 24 * 3600 * 1000}&to_ms=${now}&step_s=60`);
    context.history.adopt(rows.points);
  } catch (error) {
    // A server that keeps no history, or a login that may not see it: charts begin now.
  }
}

function typing(target) {
  return ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName) || target.isContentEditable;
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || of('session').open) return;
  if (event.key === 'Escape' && event.target.matches?.('input.filter')) {
    event.target.value = '';
    event.target.dispatchEvent(new Event('input'));
    event.target.blur();
    return;
  }
  if (typing(event.target)) return;
  const link = of('tabs').children[Number(event.key) - 1];
  if (link && event.key !== ' ') link.click();
  else if (event.key === '/') {
    document.querySelector('input.filter')?.focus();
    event.preventDefault();
  } else if (event.key === ' ' && !['BUTTON', 'A'].includes(event.target.tagName)) {
    freeze();
    event.preventDefault();
  }
});

of('freeze').addEventListener('click', freeze);
of('logout').addEventListener('click', async () => {
  await ask('/logout', { method: 'POST', headers: { 'X-Millpond-Guard': context.me.guard } }).catch(() => {});
  sessionStorage.removeItem('screen');
  leave('');
});
addEventListener('hashchange', open);

async function begin() {
  const screen = sessionStorage.getItem('screen');
  sessionStorage.removeItem('screen');
  if (screen && !location.hash) history.replaceState(null, '', screen);
  tabs();
  open();
  try {
    context.me = await ask('/api/me');
  } catch (error) {
    state('silent', error.message);
    setTimeout(begin, 2000);
    return;
  }
  put(of('server'), context.me.server);
  put(of('login'), context.me.login);
  tabs();
  open();
  new Link({
    sample: (sample) => {
      context.history.add(sample);
      context.latest = sample;
      if (!context.isFrozen) show(sample);
    },
    state,
  });
  before();
}

begin();
