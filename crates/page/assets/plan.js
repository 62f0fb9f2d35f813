// Plans as trees: what each operator costs and gives, with the costliest one marked.
//
// Keys on a row: → and ← open and close what is below it, ↑ ↓ go on, Enter shows its details.

import { bar, el, put } from './dom.js';
import { mbOfKb, oneLine, time, whole } from './units.js';

/** The statements of a plan. */
export function planView(plan) {
  return el('div', { class: 'plans' }, plan.statements.map(statementView));
}

function facts(statement) {
  const known = [
    ['Cost', !(statement.cost > 0) ? null : Number(statement.cost.toPrecision(4))],
    ['Elapsed', statement.elapsed_ms === null ? null : time(statement.elapsed_ms)],
    ['CPU', statement.cpu_ms === null ? null : time(statement.cpu_ms)],
    ['Granted', statement.granted_kb === null ? null : `${mbOfKb(statement.granted_kb)} MB`],
    ['Used', statement.used_kb === null ? null : `${mbOfKb(statement.used_kb)} MB`],
  ].filter(([, value]) => value !== null);
  return el('p', { class: 'quiet planfacts' }, known.flatMap(([name, value]) => [el('span', {}, `${name} `, el('b', {}, String(value)))]));
}

function statementView(statement) {
  const { operators } = statement;
  const times = operators.map((it) => it.own_ms);
  const hasTimes = times.some((it) => it > 0);
  const weights = hasTimes ? times.map((it) => it ?? 0) : operators.map((it) => it.own_cost);
  const total = weights.reduce((sum, it) => sum + it, 0);
  const costliest = total > 0 ? weights.indexOf(Math.max(...weights)) : -1;
  const hasMemory = operators.some((it) => it.memory_kb > 0);
  const hasSpills = operators.some((it) => it.spilled_kb > 0);
  const closed = new Set();
  const detail = el('div', { class: 'plandetail', 'aria-live': 'polite' });
  const rows = operators.map((operator, at) => {
    const share = total > 0 ? weights[at] / total : 0;
    const hasInputs = operators.some((it) => it.parent === at);
    const hasRows = operator.rows !== null;
    const off = hasRows && operator.estimated_rows > 0 ? Math.max(operator.rows / operator.estimated_rows, operator.estimated_rows / Math.max(operator.rows, 1)) : 1;
    const name = el('span', { class: 'opname' }, operator.physical, operator.logical && operator.logical !== operator.physical ? el('span', { class: 'quiet' }, ` (${operator.logical})`) : null);
    const twist = el('span', { class: 'twist', 'aria-hidden': 'true' }, hasInputs ? '▾' : '');
    const first = el('span', { class: 'op' }, twist, name, operator.is_parallel ? el('span', { class: 'tag', title: 'runs in several threads' }, 'parallel') : null,
      at === costliest ? el('span', { class: 'tag alarm' }, hasTimes ? 'longest' : 'costliest') : null,
      operator.warnings.map((it) => el('span', { class: 'tag alarm', title: it }, '⚠ ', it.split(' ')[0])));
    first.style.paddingInlineStart = `${Math.min(operator.depth, 40) * 1.1}rem`;
    const row = el('tr', { tabindex: at === 0 ? '0' : '-1', class: 'opens', 'aria-level': operator.depth + 1, 'aria-expanded': hasInputs ? 'true' : null },
      el('td', {}, first),
      el('td', { class: 'object' }, oneLine(operator.object)),
      el('td', { class: 'number' }, hasRows ? whole(operator.rows) : '–'),
      el('td', { class: `number${off >= 10 ? ' alarmtext' : ''}` }, operator.estimated_rows ? whole(operator.estimated_rows) : '–'),
      el('td', { class: 'number w-m' }, operator.elapsed_ms === null ? '–' : time(operator.elapsed_ms)),
      hasMemory && el('td', { class: 'number w-m' }, operator.memory_kb > 0 ? mbOfKb(operator.memory_kb) : ''),
      hasSpills && el('td', { class: `number${operator.spilled_kb > 0 ? ' alarmtext' : ''}` }, operator.spilled_kb > 0 ? mbOfKb(operator.spilled_kb) : ''),
      el('td', { class: 'number' }, total > 0 ? `${Math.round(share * 100)} %` : '–'),
      el('td', { class: 'w-m barcell' }, total > 0 && bar([{ class: at === costliest ? 'alarm' : 's1', share, words: `${Math.round(share * 100)} %` }], `${Math.round(share * 100)} percent`)));
    return row;
  });
  const isHidden = (at) => {
    for (let up = operators[at].parent; up !== null; up = operators[up].parent) if (closed.has(up)) return true;
    return false;
  };
  const redraw = () => rows.forEach((row, at) => {
    row.hidden = isHidden(at);
    if (row.hasAttribute('aria-expanded')) {
      row.setAttribute('aria-expanded', String(!closed.has(at)));
      put(row.querySelector('.twist'), closed.has(at) ? '▸' : '▾');
    }
  });
  const focus = (at) => {
    rows.forEach((row) => { row.tabIndex = -1; });
    rows[at].tabIndex = 0;
    rows[at].focus();
  };
  const show = (at) => {
    const operator = operators[at];
    const known = [
      ['Operator', `${operator.physical}, node ${operator.node_id}`],
      ['Object', oneLine(operator.object)],
      ['Condition', oneLine(operator.predicate)],
      ['Rows', operator.rows === null ? '' : whole(operator.rows)],
      ['Expected rows', operator.estimated_rows ? whole(operator.estimated_rows) : '–'],
      ['Cost with inputs', String(Number(operator.subtree_cost.toPrecision(4)))],
      ['Executions', operator.executions === null ? '' : whole(operator.executions)],
      ['Time of its own', operator.own_ms === null ? '' : time(operator.own_ms)],
      ['CPU with inputs', operator.cpu_ms === null ? '' : time(operator.cpu_ms)],
      ['Memory', operator.memory_kb > 0 ? `${mbOfKb(operator.memory_kb)} MB` : ''],
      ['Written to tempdb', operator.spilled_kb > 0 ? `${mbOfKb(operator.spilled_kb)} MB` : ''],
      ['Threads', operator.threads > 0 ? String(operator.threads) : ''],
      ['Warnings', operator.warnings.join('; ')],
    ].filter(([, value]) => value !== '');
    detail.replaceChildren(el('dl', { class: 'facts' }, known.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])));
  };
  const body = el('tbody', {}, rows);
  body.addEventListener('click', (event) => {
    const at = rows.indexOf(event.target.closest('tr'));
    if (at < 0) return;
    if (event.target.closest('.twist') && rows[at].hasAttribute('aria-expanded')) {
      if (!closed.delete(at)) closed.add(at);
      redraw();
    }
    show(at);
  });
  body.addEventListener('keydown', (event) => {
    const at = rows.indexOf(event.target.closest('tr'));
    const shown = rows.map((_, place) => place).filter((place) => !rows[place].hidden);
    const here = shown.indexOf(at);
    if (event.key === 'ArrowDown' && here + 1 < shown.length) focus(shown[here + 1]);
    else if (event.key === 'ArrowUp' && here > 0) focus(shown[here - 1]);
    else if (event.key === 'ArrowLeft') { closed.add(at); redraw(); }
    else if (event.key === 'ArrowRight') { closed.delete(at); redraw(); }
    else if (event.key === 'Enter') show(at);
    else return;
    event.preventDefault();
  });
  const heads = [['Operator', ''], ['Object', ''], ['Rows', 'number'], ['Expected', 'number'], ['Elapsed', 'number w-m'],
    ...(hasMemory ? [['Memory MB', 'number w-m']] : []), ...(hasSpills ? [['Spilled MB', 'number']] : []), [hasTimes ? 'Time' : 'Cost', 'number'], ['', 'w-m']];
  const table = el('table', { class: 'plan', role: 'treegrid', 'aria-label': 'Operators' },
    el('thead', {}, el('tr', {}, heads.map(([title, name]) => el('th', { scope: 'col', class: name }, title)))), body);
  return el('section', { class: 'card' },
    el('div', { class: 'tablebar' }, el('h2', {}, statement.kind || 'Statement')),
    facts(statement),
    statement.text ? el('pre', { class: 'statement' }, statement.text) : null,
    operators.length > 0 ? el('div', { class: 'scroll' }, table) : el('p', { class: 'quiet' }, 'This statement has no operators.'),
    detail);
}
