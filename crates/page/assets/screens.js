// The screens: those of `millpond top`, with charts of what was before, and two more: plans that are pasted, and reports.
//
//   screen(context) -> { node, show(sample), end() }      context: history, me, open(session, from)
// What always holds: a screen shows a sample and nothing else; it asks the server for nothing that somebody did not want.

import { Chart } from './chart.js';
import { bar, el, put } from './dom.js';
import { ask } from './link.js';
import { planView } from './plan.js';
import { Table } from './table.js';
import { filtered, trees } from './tree.js';
import { amount, mb, mbOfKb, oneLine, percent, size, time, whole } from './units.js';

const USES = [
  { key: 'user_objects', class: 's1', name: 'user objects' },
  { key: 'internal_objects', class: 's2', name: 'internal objects' },
  { key: 'version_store', class: 's3', name: 'row versions' },
  { key: 'mixed_extents', class: 's5', name: 'mixed extents' },
  { key: 'free', class: 'free', name: 'free' },
];

const CATEGORIES = ['locks', 'log', 'page I/O', 'other I/O', 'latches', 'tempdb allocation', 'memory grants', 'parallelism', 'network', 'processor'];

function chartsOf(context, list) {
  const charts = list.map((options) => new Chart(context.history, options));
  const buttons = [[1, '1 min'], [5, '5 min'], [30, '30 min'], [120, '2 h']].map(([minutes, title]) => el('button', {
    type: 'button', onclick: () => { context.history.liveMs = minutes * 60000; context.history.zoom(null); },
  }, title));
  const all = el('button', { type: 'button', onclick: () => context.history.zoom(context.history.whole()) }, 'all');
  const live = el('button', { type: 'button', class: 'live', hidden: true, onclick: () => context.history.zoom(null) }, 'back to live');
  const range = el('div', { class: 'ranges', role: 'group', 'aria-label': 'Time shown' }, buttons, all, live,
    el('span', { class: 'quiet hint' }, 'drag to zoom, double click for live'));
  const mark = () => {
    live.hidden = context.history.range === null;
    buttons.forEach((button, at) => button.setAttribute('aria-pressed', String(context.history.range === null && context.history.liveMs === [1, 5, 30, 120][at] * 60000)));
  };
  mark();
  const stop = context.history.watch(mark);
  return {
    node: el('div', {}, range, el('div', { class: 'charts' }, charts.map((chart) => chart.node))),
    draw: () => charts.forEach((chart) => chart.draw()),
    end: () => { charts.forEach((chart) => chart.end()); stop(); },
  };
}

const number = (key, title, unit, text, more = {}) => ({ key, title, unit, number: true, text, sort: (row) => row[key], ...more });

function wideBar(parts, total, label) {
  return bar(parts.map((part) => ({ ...part, share: total > 0 ? part.value / total : 0 })), label);
}

function legend(parts) {
  return el('ul', { class: 'legend plain' }, parts.map((part) => el('li', {}, el('i', { class: `swatch ${part.class}`, 'aria-hidden': 'true' }), `${part.name} `, el('b', {}, part.words))));
}

/** What the server does at all. */
export function overview(context) {
  const figures = ['CPU', 'Batches', 'Reads', 'Writes', 'Log', 'Sessions'].map((name) => {
    const [value, more] = [el('b', {}), el('span', { class: 'quiet' })];
    return { name, value, more, node: el('div', { class: 'figure card' }, el('h3', {}, name), value, more) };
  });
  const charts = chartsOf(context, [
    { title: 'Processor', unit: '%', most: 100, series: [{ key: 'cpu', name: 'CPU', class: 's1' }] },
    { title: 'Requests that wait', unit: 'on average', stacked: true, least: 1, series: CATEGORIES.map((name, at) => ({ key: `wait ${name}`, name, class: `s${(at % 8) + 1}${at >= 8 ? ' dim' : ''}` })) },
    { title: 'Throughput', unit: 'per second', least: 1, series: [{ key: 'batches', name: 'batches', class: 's1' }, { key: 'transactions', name: 'transactions', class: 's2' }] },
    { title: 'Data and log', unit: 'MB/s', least: 1, series: [{ key: 'read', name: 'read', class: 's1' }, { key: 'written', name: 'written', class: 's2' }, { key: 'log', name: 'log', class: 's3' }] },
  ]);
  const memory = el('section', { class: 'card' });
  const tempdb = el('section', { class: 'card' });
  const waits = new Table({
    name: 'Waits', key: (row) => row.category, filter: false, empty: 'no request waits', sort: 'waiting_average', down: true,
    columns: [
      { key: 'category', title: 'waits for', text: (row) => row.category, sort: (row) => row.category },
      number('waiting_average', 'requests', 'avg', (row) => amount(row.waiting_average)),
      number('wait_ms_per_s', 'time', 'ms/s', (row) => amount(row.wait_ms_per_s)),
      number('share_percent', 'share', '', (row) => percent(row.share_percent)),
      { key: 'longest', title: 'longest', class: 'mono', width: 'm', text: (row) => row.longest },
    ],
  });
  const node = el('div', { class: 'screen' }, el('div', { class: 'figures' }, figures.map((it) => it.node)), charts.node, el('div', { class: 'halves' }, memory, tempdb), waits.node);
  const show = (sample) => {
    const of = sample.overview;
    const each = (count, ms) => `${amount(count)} IO/s, ${amount(ms)} ms`;
    const texts = [
      [of.cpu_percent === null ? '–' : percent(of.cpu_percent), of.cpu_count === null ? '' : `of ${of.cpu_count} CPUs`],
      [`${amount(of.batches_per_s)} /s`, `${amount(of.transactions_per_s)} transactions/s`],
      [`${mb(of.read_bytes_per_s)} MB/s`, each(of.reads_per_s, of.average_read_ms)],
      [`${mb(of.write_bytes_per_s)} MB/s`, each(of.writes_per_s, of.average_write_ms)],
      [`${size(of.log_bytes_per_s)}/s`, of.deadlocks_per_s > 0 ? `${of.deadlocks_per_s.toFixed(2)} deadlocks/s` : `${amount(of.compilations_per_s)} compilations/s`],
      [whole(of.sessions), `${of.sessions_running} run, ${of.sessions_blocked} blocked`],
    ];
    figures.forEach((it, at) => { put(it.value, texts[at][0]); put(it.more, texts[at][1]); });
    const clerks = sample.memory.slice(0, 8).map((it, at) => ({ class: `s${at + 1}`, value: it.memory_kb, name: clerkName(it.clerk), words: `${mbOfKb(it.memory_kb)} MB` }));
    const target = of.memory_target_kb ?? clerks.reduce((sum, it) => sum + it.value, 0);
    memory.replaceChildren(
      el('div', { class: 'tablebar' }, el('h2', {}, 'Memory'), el('span', { class: 'quiet' }, of.memory_committed_kb === null ? '' : `${mbOfKb(of.memory_committed_kb)} of ${mbOfKb(of.memory_target_kb)} MB`)),
      wideBar(clerks, Math.max(target, clerks.reduce((sum, it) => sum + it.value, 0)), 'memory by consumer'), legend(clerks));
    const uses = USES.map((use) => ({ ...use, value: of[`tempdb_${use.key}_kb`], words: `${mbOfKb(of[`tempdb_${use.key}_kb`])} MB` }));
    tempdb.replaceChildren(
      el('div', { class: 'tablebar' }, el('h2', {}, 'tempdb'), el('span', { class: 'quiet' }, `${mbOfKb(of.tempdb_size_kb)} MB`)),
      wideBar(uses, of.tempdb_size_kb, 'tempdb by kind of use'), legend(uses));
    const longest = (category) => sample.waits.find((it) => it.category === category)?.wait_type ?? '';
    waits.render(sample.wait_categories.filter((it) => it.waiting_average > 0).map((it) => ({ ...it, longest: longest(it.category) })));
  };
  return { node, show, draw: charts.draw, end: charts.end };
}

function clerkName(clerk) {
  return clerk.replace(/^MEMORYCLERK_|^.*STORE_/, '').toLowerCase();
}

/** Who does it, and who holds up whom. */
export function sessions(context) {
  const table = new Table({
    name: 'Sessions', key: (row) => row.session_id, sort: 'elapsed_ms', down: true, open: (row, from) => context.open(row.session_id, from), empty: 'no session',
    place: (data, matches, compare) => trees(filtered(data, matches), compare),
    mark: (row) => row.holdsUp && !row.blocked_by,
    columns: [
      { key: 'session_id', title: 'id', text: (row) => String(row.session_id), sort: (row) => row.session_id,
        cell: (row, depth) => { const cell = el('span', { class: 'branch' }, depth > 0 ? '└ ' : '', el('b', {}, String(row.session_id))); cell.style.paddingInlineStart = `${Math.max(0, Math.min(depth - 1, 12)) * 0.8}rem`; return cell; } },
      { key: 'login', title: 'login', width: 'l', text: (row) => oneLine(row.login), sort: (row) => row.login, class: 'name' },
      { key: 'program', title: 'program', width: 'm', text: (row) => oneLine(row.program), sort: (row) => row.program, class: 'name' },
      { key: 'database', title: 'database', width: 'l', text: (row) => oneLine(row.database), sort: (row) => row.database, class: 'name' },
      { key: 'status', title: 'state', text: (row) => row.status, sort: (row) => row.status },
      number('elapsed_ms', 'elapsed', '', (row) => time(row.elapsed_ms)),
      number('cpu_ms_per_s', 'CPU', 'ms/s', (row) => amount(row.cpu_ms_per_s), { width: 'm' }),
      number('reads', 'reads', '', (row) => (row.reads ? whole(row.reads) : ''), { width: 'l' }),
      number('writes', 'writes', '', (row) => (row.writes ? whole(row.writes) : ''), { width: 'l' }),
      number('tempdb', 'tempdb', 'MB', (row) => (row.tempdb > 0 ? mbOfKb(row.tempdb) : ''), { width: 'm' }),
      number('grant_kb', 'grant', 'MB', (row) => mbOfKb(row.grant_kb), { width: 'l' }),
      { key: 'wait_ms', title: 'wait', class: 'mono', text: (row) => (row.wait_type ? `${row.wait_type} ${time(row.wait_ms)}` : ''), sort: (row) => (row.wait_type ? row.wait_ms : null) },
      number('blocked_by', 'by', '', (row) => (row.blocked_by ? String(row.blocked_by) : '')),
      { key: 'statement', title: 'statement', class: 'statementcell mono', long: true, text: (row) => oneLine(row.statement).slice(0, 400), sort: (row) => row.statement },
    ],
  });
  const more = el('p', { class: 'quiet' });
  const node = el('div', { class: 'screen' }, table.node, more);
  const show = (sample) => {
    const blockers = new Set(sample.sessions.map((it) => it.blocked_by));
    table.render(sample.sessions.map((it) => ({ ...it, tempdb: it.tempdb_user_objects_kb + it.tempdb_internal_objects_kb, holdsUp: blockers.has(it.session_id) })));
    put(more, sample.overview.sessions > sample.sessions.length ? `${whole(sample.overview.sessions)} sessions; those that run or block are shown` : '');
  };
  return { node, show, end: () => {} };
}

/** tempdb: what fills it, and who holds it. */
export function tempdb(context) {
  const charts = chartsOf(context, [
    { title: 'Space in use', unit: 'MB', stacked: true, least: 1, series: [{ key: 'tempUser', name: 'user objects', class: 's1' }, { key: 'tempInternal', name: 'internal objects', class: 's2' }, { key: 'tempVersions', name: 'row versions', class: 's3' }] },
  ]);
  const files = new Table({
    name: 'Files', key: (row) => row.file_id, sort: 'file_id', down: false, filter: false,
    columns: [
      { key: 'file_id', title: 'file', text: (row) => oneLine(row.file ?? String(row.file_id)), sort: (row) => row.file_id, class: 'name' },
      number('size_kb', 'size', 'MB', (row) => mbOfKb(row.size_kb)),
      { key: 'fill', title: 'fill', text: (row) => JSON.stringify(USES.map((use) => row[`${use.key}_kb`])), class: 'barcell',
        cell: (row) => wideBar(USES.map((use) => ({ ...use, value: row[`${use.key}_kb`], words: `${use.name} ${mbOfKb(row[`${use.key}_kb`])} MB` })), row.size_kb, 'fill by kind of use') },
      number('free_kb', 'free', 'MB', (row) => mbOfKb(row.free_kb)),
      { key: 'growth', title: 'growth', width: 'm', number: true, text: (row) => (row.growth_percent !== null ? `${row.growth_percent} %` : row.growth_kb === 0 ? 'none' : row.growth_kb === null ? '' : `${mbOfKb(row.growth_kb)} MB`) },
      number('max_size_kb', 'most', 'MB', (row) => (row.max_size_kb === null ? '∞' : mbOfKb(row.max_size_kb)), { width: 'l' }),
      number('read_bytes_per_s', 'read', 'MB/s', (row) => mb(row.read_bytes_per_s)),
      number('average_read_ms', 'each', 'ms', (row) => amount(row.average_read_ms), { width: 'm' }),
      number('write_bytes_per_s', 'written', 'MB/s', (row) => mb(row.write_bytes_per_s)),
      number('average_write_ms', 'each', 'ms', (row) => amount(row.average_write_ms), { width: 'm' }),
    ],
  });
  const holders = new Table({
    name: 'Who holds it', key: (row) => row.session_id, sort: 'all', down: true, open: (row, from) => context.open(row.session_id, from), empty: 'no session holds pages of tempdb',
    columns: [
      { key: 'session_id', title: 'session', text: (row) => String(row.session_id), sort: (row) => row.session_id },
      number('all', 'all', 'MB', (row) => mbOfKb(row.all)),
      number('user_objects_kb', 'user', 'MB', (row) => mbOfKb(row.user_objects_kb)),
      number('internal_objects_kb', 'internal', 'MB', (row) => mbOfKb(row.internal_objects_kb)),
      { key: 'login', title: 'login', width: 'm', text: (row) => oneLine(row.login), sort: (row) => row.login, class: 'name' },
      { key: 'program', title: 'program', width: 'm', text: (row) => oneLine(row.program), sort: (row) => row.program, class: 'name' },
      { key: 'statement', title: 'statement', class: 'statementcell mono', long: true, text: (row) => oneLine(row.statement).slice(0, 400), sort: (row) => row.statement },
    ],
  });
  const versions = el('p', { class: 'quiet versions' });
  const show = (sample) => {
    files.render(sample.tempdb);
    const [oldest] = [...sample.tempdb_versions].sort((a, b) => b.elapsed_s - a.elapsed_s);
    const session = oldest && sample.sessions.find((it) => it.session_id === oldest.session_id);
    versions.replaceChildren(...(oldest ? ['Row versions are kept for the ', oldest.is_snapshot ? 'snapshot' : 'transaction', ' of session ',
      el('b', {}, String(oldest.session_id)), session ? ` (${oneLine(session.login)}, ${oneLine(session.program)})` : '', `, ${time(oldest.elapsed_s * 1000)} old: `,
      el('span', { class: 'mono' }, oneLine(session?.statement ?? '').slice(0, 200))] : []));
    holders.render(sample.tempdb_sessions.map((it) => ({ ...sample.sessions.find((session) => session.session_id === it.session_id), ...it, all: it.user_objects_kb + it.internal_objects_kb })));
  };
  return { node: el('div', { class: 'screen' }, charts.node, files.node, legend(USES.map((use) => ({ ...use, words: '' }))), versions, holders.node), show, draw: charts.draw, end: charts.end };
}

/** KB of one. */
function each(bytes, count) {
  return count > 0 ? bytes / count / 1024 : 0;
}

const TRAFFIC = (l = 'l') => [
  number('reads_per_s', 'reads', '/s', (row) => amount(row.reads_per_s), { width: 'm' }),
  number('read_bytes_per_s', 'read', 'MB/s', (row) => mb(row.read_bytes_per_s)),
  number('average_read_ms', 'each', 'ms', (row) => amount(row.average_read_ms)),
  number('average_read_bytes', 'each', 'KB', (row) => amount(each(row.read_bytes_per_s, row.reads_per_s)), { width: l }),
  number('writes_per_s', 'writes', '/s', (row) => amount(row.writes_per_s), { width: 'm' }),
  number('write_bytes_per_s', 'written', 'MB/s', (row) => mb(row.write_bytes_per_s)),
  number('average_write_ms', 'each', 'ms', (row) => amount(row.average_write_ms)),
  number('average_write_bytes', 'each', 'KB', (row) => amount(each(row.write_bytes_per_s, row.writes_per_s)), { width: l }),
];

/** Files, volumes, and why there are writes. */
export function io(context) {
  const charts = chartsOf(context, [
    { title: 'Time of one', unit: 'ms', least: 0.5, series: [{ key: 'readMs', name: 'read', class: 's1' }, { key: 'writeMs', name: 'write', class: 's2' }] },
    { title: 'Reads and writes', unit: 'per second', least: 1, series: [{ key: 'reads', name: 'reads', class: 's1' }, { key: 'writes', name: 'writes', class: 's2' }] },
  ]);
  const files = new Table({
    name: 'Files', key: (row) => `${row.database_id}.${row.file_id}`, sort: 'stall', down: true,
    columns: [
      { key: 'stall', title: 'file', text: (row) => `${oneLine(row.database)}.${oneLine(row.file)}`, sort: (row) => row.stall, class: 'name' },
      { key: 'kind', title: 'kind', width: 'l', text: (row) => row.kind, sort: (row) => row.kind },
      number('size_bytes', 'size', '', (row) => size(row.size_bytes), { width: 'm' }),
      ...TRAFFIC(),
    ],
  });
  const volumes = new Table({
    name: 'Volumes and devices', key: (row) => `${row.volume} ${row.model}`, filter: false, sort: 'write_bytes_per_s', down: true, empty: 'this login sees no volume',
    columns: [
      { key: 'volume', title: 'volume', text: (row) => `${oneLine(row.volume)}${row.model ? ` (${oneLine(row.model)})` : ''}`, sort: (row) => row.volume, class: 'name' },
      ...TRAFFIC(),
      number('flushes_per_s', 'flushes', '/s', (row) => amount(row.flushes_per_s), { width: 'l' }),
      number('average_flush_ms', 'each', 'ms', (row) => amount(row.average_flush_ms), { width: 'l' }),
      number('queue_length', 'queue', '', (row) => whole(row.queue_length), { width: 'm' }),
      number('available_bytes', 'free', '', (row) => size(row.available_bytes), { width: 'm' }),
    ],
  });
  const reasons = new Table({
    name: 'Why it is written', key: (row) => `${row.database_id} ${row.file} ${row.reason}`, sort: 'write_bytes_per_s', down: true, empty: 'nothing was written, or this login sees no reason',
    columns: [
      { key: 'reason', title: 'reason', text: (row) => row.reason, sort: (row) => row.reason },
      { key: 'file', title: 'file', text: (row) => oneLine(row.file), sort: (row) => row.file, class: 'name' },
      number('writes_per_s', 'writes', '/s', (row) => amount(row.writes_per_s), { width: 'm' }),
      number('write_bytes_per_s', 'written', 'MB/s', (row) => mb(row.write_bytes_per_s)),
      number('total_bytes', 'in all', '', (row) => size(row.total_bytes)),
      { key: 'by', title: 'most by', text: (row) => (row.most_by_session_id ? `session ${row.most_by_session_id}` : 'server'), sort: (row) => row.most_by_session_id },
    ],
  });
  const show = (sample) => {
    files.render(sample.io.map((it) => ({ ...it, stall: it.reads_per_s * it.average_read_ms + it.writes_per_s * it.average_write_ms + (it.read_bytes_per_s + it.write_bytes_per_s) / 1e12 })));
    volumes.render(sample.volumes);
    reasons.render(sample.write_reasons);
  };
  return { node: el('div', { class: 'screen' }, charts.node, files.node, volumes.node, reasons.node), show, draw: charts.draw, end: charts.end };
}

/** What is waited for. */
export function waits(context) {
  const charts = chartsOf(context, [
    { title: 'Requests that wait', unit: 'on average', stacked: true, least: 1, series: CATEGORIES.map((name, at) => ({ key: `wait ${name}`, name, class: `s${(at % 8) + 1}${at >= 8 ? ' dim' : ''}` })) },
  ]);
  const categories = new Table({
    name: 'Categories', key: (row) => row.category, filter: false, sort: 'waiting_average', down: true, empty: 'no request waits',
    columns: [
      { key: 'category', title: 'waits for', text: (row) => row.category, sort: (row) => row.category },
      number('waiting_average', 'requests', 'avg', (row) => amount(row.waiting_average)),
      number('requests_waiting', 'now', '', (row) => whole(row.requests_waiting)),
      number('wait_ms_per_s', 'time', 'ms/s', (row) => amount(row.wait_ms_per_s)),
      { key: 'share_percent', title: 'share', class: 'barcell', text: (row) => percent(row.share_percent), sort: (row) => row.share_percent,
        cell: (row) => el('span', { class: 'barline' }, bar([{ class: 's1', share: row.share_percent / 100, words: percent(row.share_percent) }], percent(row.share_percent)), percent(row.share_percent)) },
    ],
  });
  const types = new Table({
    name: 'Types', key: (row) => row.wait_type, sort: 'wait_ms_per_s', down: true, empty: 'nothing was waited for',
    columns: [
      { key: 'wait_type', title: 'type', class: 'mono', text: (row) => row.wait_type, sort: (row) => row.wait_type },
      { key: 'category', title: 'category', text: (row) => row.category, sort: (row) => row.category, width: 'm' },
      number('waits_per_s', 'waits', '/s', (row) => amount(row.waits_per_s)),
      number('wait_ms_per_s', 'time', 'ms/s', (row) => amount(row.wait_ms_per_s)),
      number('average_wait_ms', 'each', 'ms', (row) => amount(row.average_wait_ms)),
      number('signal_percent', 'signal', '', (row) => percent(row.signal_percent), { width: 'm' }),
    ],
  });
  const show = (sample) => {
    categories.render(sample.wait_categories.filter((it) => it.waiting_average > 0));
    types.render(sample.waits);
  };
  return { node: el('div', { class: 'screen' }, charts.node, categories.node, types.node), show, draw: charts.draw, end: charts.end };
}

/** Operators of statements that run; and any plan that is pasted. */
export function plans(context) {
  const running = el('div', { class: 'screen' });
  const tables = new Map();
  const input = el('textarea', { rows: '5', spellcheck: 'false', 'aria-label': 'SHOWPLAN XML', placeholder: '<ShowPlanXML …>' });
  const words = el('p', { class: 'words', role: 'status' });
  const result = el('div', {});
  const open = async (xml) => {
    try {
      result.replaceChildren(planView(await ask('/api/plan', { method: 'POST', headers: { 'X-Millpond-Guard': context.me.guard, 'Content-Type': 'application/xml' }, body: xml })));
      put(words, '');
    } catch (error) {
      put(words, error.message);
    }
  };
  const file = el('input', { type: 'file', accept: '.sqlplan,.xml', 'aria-label': 'A file with a plan', onchange: async (event) => { const [chosen] = event.target.files; if (chosen) { input.value = await chosen.text(); await open(input.value); } } });
  const viewer = el('section', { class: 'card' }, el('div', { class: 'tablebar' }, el('h2', {}, 'A plan')),
    el('p', { class: 'quiet' }, 'Paste what SET SHOWPLAN_XML or SET STATISTICS XML gives, of Millpond or of SQL Server, or choose a file.'),
    input, el('div', { class: 'buttons' }, el('button', { type: 'button', class: 'primary', onclick: () => open(input.value) }, 'Show it'), file), words);
  const nothing = el('p', { class: 'card quiet nothing' }, 'No statement runs whose operators are known.');
  const tableOf = (id) => {
    const table = new Table({
      name: `Session ${id}`, key: (row) => row.node_id, filter: false,
      place: (data) => data.map((row) => ({ row, depth: row.depth })),
      columns: [
        { key: 'operator', title: 'operator', text: (row) => row.operator, cell: (row, depth) => { const cell = el('span', { class: 'op' }, row.operator); cell.style.paddingInlineStart = `${Math.min(depth, 40) * 1.1}rem`; return cell; } },
        number('rows', 'rows', '', (row) => (row.rows === null ? '–' : whole(row.rows)), { sort: undefined }),
        number('estimated_rows', 'expected', '', (row) => (row.estimated_rows === null ? '–' : whole(row.estimated_rows)), { sort: undefined }),
        { key: 'progress', title: '', class: 'barcell', width: 'm', text: (row) => `${share(row)} ${row.rows === null}`, cell: (row) => (row.rows === null || row.estimated_rows === null ? '' : bar([{ class: 's1', share: share(row), words: `${Math.round(share(row) * 100)} %` }], `${Math.round(share(row) * 100)} percent of the rows expected`)) },
        number('elapsed_ms', 'time', '', (row) => (row.elapsed_ms === null ? '–' : time(row.elapsed_ms)), { sort: undefined }),
        number('cpu_ms', 'CPU', '', (row) => (row.cpu_ms === null ? '–' : time(row.cpu_ms)), { sort: undefined, width: 'm' }),
        number('threads', 'threads', '', (row) => whole(row.threads), { sort: undefined, width: 'l' }),
      ],
    });
    const statement = el('p', { class: 'mono quiet oneline' });
    const whole_ = el('button', { type: 'button', onclick: (event) => context.open(id, event.currentTarget) }, 'Whole session');
    const plan = el('button', { type: 'button', onclick: async () => {
      try {
        result.replaceChildren(planView(await ask(`/api/plan?session=${id}`)));
        put(words, '');
        result.scrollIntoView({ block: 'start' });
      } catch (error) {
        put(words, error.message);
      }
    } }, 'Plan with costs');
    table.node.insertBefore(statement, table.node.children[1]);
    table.node.append(el('div', { class: 'buttons' }, plan, whole_));
    return { table, statement };
  };
  const show = (sample) => {
    const bySession = Map.groupBy ? Map.groupBy(sample.plans, (row) => row.session_id) : sample.plans.reduce((map, row) => map.set(row.session_id, [...(map.get(row.session_id) ?? []), row]), new Map());
    for (const id of [...tables.keys()]) if (!bySession.has(id)) tables.delete(id);
    for (const [id, rows] of bySession) {
      if (!tables.has(id)) tables.set(id, tableOf(id));
      const { table, statement } = tables.get(id);
      put(statement, oneLine(sample.sessions.find((it) => it.session_id === id)?.statement ?? ''));
      table.render(rows);
    }
    const nodes = tables.size > 0 ? [...tables.values()].map((it) => it.table.node) : [nothing];
    if (nodes.length !== running.children.length || nodes.some((node, at) => running.children[at] !== node)) running.replaceChildren(...nodes);
  };
  return { node: el('div', { class: 'screen' }, running, viewer, result), show, end: () => {} };
}

function share(row) {
  return row.rows !== null && row.estimated_rows > 0 ? Math.min(1, row.rows / row.estimated_rows) : 0;
}

/** Logs of databases. */
export function log(context) {
  const charts = chartsOf(context, [
    { title: 'Log made durable', unit: 'MB/s', least: 0.5, series: [{ key: 'log', name: 'log', class: 's3' }] },
  ]);
  const table = new Table({
    name: 'Logs of databases', key: (row) => row.database, sort: 'flushed_bytes_per_s', down: true, mark: (row) => row.used >= 0.8,
    columns: [
      { key: 'database', title: 'database', text: (row) => oneLine(row.database), sort: (row) => row.database, class: 'name' },
      number('size_kb', 'log', 'MB', (row) => mbOfKb(row.size_kb)),
      number('used_kb', 'used', 'MB', (row) => mbOfKb(row.used_kb), { width: 'm' }),
      { key: 'used', title: 'used', class: 'barcell', text: (row) => percent(row.used === null ? null : row.used * 100), sort: (row) => row.used,
        cell: (row) => el('span', { class: 'barline' }, bar([{ class: row.used >= 0.8 ? 'alarm' : 's3', share: row.used ?? 0, words: percent((row.used ?? 0) * 100) }], 'used'), percent(row.used === null ? null : row.used * 100)) },
      { key: 'reuse_wait', title: 'waits for', class: 'mono', text: (row) => (row.state === 'ONLINE' ? row.reuse_wait : row.state), sort: (row) => row.reuse_wait },
      { key: 'recovery_model', title: 'recovery', width: 'l', text: (row) => row.recovery_model, sort: (row) => row.recovery_model },
      number('flushed_bytes_per_s', 'written', 'KB/s', (row) => amount(row.flushed_bytes_per_s / 1024)),
      number('flushes_per_s', 'flushes', '/s', (row) => amount(row.flushes_per_s), { width: 'm' }),
      number('transactions_per_s', 'transactions', '/s', (row) => amount(row.transactions_per_s), { width: 'm' }),
    ],
  });
  const show = (sample) => table.render(sample.log.map((it) => ({ ...it, used: it.size_kb > 0 ? it.used_kb / it.size_kb : null })));
  return { node: el('div', { class: 'screen' }, charts.node, table.node), show, draw: charts.draw, end: charts.end };
}

/** Reports of experiments. */
export function reports() {
  const list = el('ul', { class: 'reports' });
  const words = el('p', { class: 'quiet' }, 'looking …');
  ask('/api/reports').then((found) => {
    put(words, found.length === 0 ? 'There is no report in the folder.' : `${found.length} reports, the newest first`);
    list.replaceChildren(...found.map((it) => el('li', {}, el('a', { href: `/reports/${it.path.split('/').map(encodeURIComponent).join('/')}`, target: '_blank', rel: 'noopener' }, it.path),
      el('span', { class: 'quiet' }, ` ${new Date(it.written_s * 1000).toISOString().slice(0, 16).replace('T', ' ')}, ${size(it.bytes)}`))));
  }).catch((error) => put(words, error.message));
  return { node: el('div', { class: 'screen' }, el('section', { class: 'card' }, el('div', { class: 'tablebar' }, el('h2', {}, 'Reports of experiments')), words, list)), show: () => {}, end: () => {} };
}
