// Tables: sorted by their heads, filtered by a text, rows that are opened by Enter.
//
// What always holds: a row keeps its element while its key is there, so that focus, selection and a click in between two samples
// stay; a cell is written when its text has changed and not otherwise.
//
//   columns: { key, title, unit, number, width (least: '', 'm', 'l'), text(row), sort(row), cell(row) -> element }

import { el, put } from './dom.js';

/** A table. */
export class Table {
  constructor({ name, columns, key, open, place, empty, filter = true, sort = null, down = true, mark }) {
    Object.assign(this, { name, columns, key, open, place, empty, mark, sort, down });
    this.rows = new Map();
    this.data = [];
    this.text = '';
    this.heads = columns.map((column) => this.#head(column));
    this.body = el('tbody', { onkeydown: (event) => this.#keys(event), onclick: (event) => this.#click(event) });
    const head = el('thead', {}, el('tr', {}, this.heads));
    this.table = el('table', { 'aria-label': name }, head, this.body);
    this.nothing = el('p', { class: 'quiet nothing', hidden: true }, empty ?? 'nothing');
    this.count = el('span', { class: 'quiet count' });
    this.input = filter
      ? el('input', { type: 'search', class: 'filter', placeholder: 'Filter', 'aria-label': `Filter ${name}`, oninput: () => this.#filter() })
      : null;
    const bar = el('div', { class: 'tablebar' }, el('h2', {}, name), this.count, el('span', { class: 'space' }), this.input);
    this.node = el('section', { class: 'card' }, bar, el('div', { class: 'scroll', tabindex: '-1' }, this.table), this.nothing);
  }

  #head(column) {
    const width = column.width ? ` w-${column.width}` : '';
    const words = [column.title, column.unit ? el('span', { class: 'unit' }, ` ${column.unit}`) : null];
    const name = `${column.number ? 'number' : ''}${width}`;
    if (!column.sort) return el('th', { scope: 'col', class: name }, words);
    const button = el('button', { type: 'button', onclick: () => this.#sortBy(column) }, words);
    return el('th', { scope: 'col', class: name, 'aria-sort': 'none' }, button);
  }

  #sortBy(column) {
    this.down = this.sort === column.key ? !this.down : Boolean(column.number);
    this.sort = column.key;
    this.render(this.data);
  }

  #filter() {
    this.text = this.input.value.trim().toLowerCase();
    this.render(this.data);
  }

  /** Which of two rows stands first. */
  compare(a, b) {
    const column = this.columns.find((it) => it.key === this.sort);
    if (!column) return 0;
    const [one, other] = [column.sort(a), column.sort(b)];
    const order = typeof one === 'string' || typeof other === 'string'
      ? String(one ?? '').localeCompare(String(other ?? ''))
      : (one ?? -1) - (other ?? -1);
    return this.down ? -order : order;
  }

  /** Whether the filter lets a row through. */
  matches(row) {
    return this.text === '' || this.columns.some((column) => String(column.text(row) ?? '').toLowerCase().includes(this.text));
  }

  /** Shows rows. */
  render(data) {
    this.data = data;
    const placed = this.place
      ? this.place(data, (row) => this.matches(row), (a, b) => this.compare(a, b))
      : data.filter((row) => this.matches(row)).sort((a, b) => this.compare(a, b)).map((row) => ({ row, depth: 0 }));
    this.columns.forEach((column, at) => {
      if (column.sort) this.heads[at].setAttribute('aria-sort', this.sort === column.key ? (this.down ? 'descending' : 'ascending') : 'none');
    });
    const next = new Map();
    const nodes = placed.map(({ row, depth }) => {
      const key = String(this.key(row));
      const known = this.rows.get(key) ?? this.#make();
      next.set(key, known);
      this.#write(known, row, depth);
      return known.node;
    });
    this.rows = next;
    const same = nodes.length === this.body.children.length && nodes.every((node, at) => this.body.children[at] === node);
    if (!same) {
      const focused = this.body.contains(document.activeElement) ? document.activeElement : null;
      this.body.replaceChildren(...nodes);
      if (focused && focused.isConnected) focused.focus({ preventScroll: true });
    }
    if (this.open && nodes.length > 0 && !nodes.some((node) => node.tabIndex === 0)) nodes[0].tabIndex = 0;
    put(this.count, this.text === '' ? '' : `${nodes.length} of ${data.length}`);
    this.nothing.hidden = nodes.length > 0;
    this.table.hidden = nodes.length === 0;
  }

  #make() {
    const cells = this.columns.map((column) => {
      const width = column.width ? ` w-${column.width}` : '';
      return el('td', { class: `${column.number ? 'number' : ''}${column.class ? ` ${column.class}` : ''}${width}` });
    });
    return { cells, node: el('tr', this.open ? { tabindex: '-1', class: 'opens' } : {}, cells) };
  }

  #write(known, row, depth) {
    known.row = row;
    known.node.classList.toggle('marked', Boolean(this.mark?.(row)));
    this.columns.forEach((column, at) => {
      const cell = known.cells[at];
      if (column.cell) {
        const state = JSON.stringify([column.text(row), depth]);
        if (cell.dataset.state !== state) {
          cell.dataset.state = state;
          cell.replaceChildren(column.cell(row, depth));
        }
      } else {
        put(cell, column.text(row));
      }
      if (column.long) cell.title = column.text(row) ?? '';
    });
  }

  #click(event) {
    const node = event.target.closest('tr');
    const known = node && [...this.rows.values()].find((it) => it.node === node);
    if (this.open && known) this.open(known.row, node);
  }

  #keys(event) {
    if (!this.open || event.target.tagName !== 'TR') return;
    const nodes = [...this.body.children];
    const at = nodes.indexOf(event.target);
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: nodes.length - 1, PageDown: at + 10, PageUp: at - 10 };
    if (event.key === 'Enter') {
      this.#click(event);
      event.preventDefault();
    } else if (event.key in steps) {
      const next = nodes[Math.max(0, Math.min(nodes.length - 1, steps[event.key]))];
      nodes.forEach((node) => { node.tabIndex = -1; });
      next.tabIndex = 0;
      next.focus();
      event.preventDefault();
    }
  }
}
