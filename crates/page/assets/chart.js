// Charts of time: lines or layers with axes, units, a legend that says the last values, and a zoom that all charts share.
//
// Keys, when a chart has the focus: ← → move, + - zoom, Escape or 0 is live again. Mouse: drag zooms, a double click is live.
// What always holds: a gap in time is a gap in the line; numbers at the axis are round; nothing is drawn outside of the frame.

import { el, put, svg } from './dom.js';
import { amount, clock } from './units.js';

const HEIGHT = 150;
const LEFT = 46;
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 20;

/** Round numbers from 0 to at least `most`. */
export function ticks(most, count = 4) {
  if (!(most > 0)) return [0, 1];
  const raw = most / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((it) => it >= raw);
  const last = Math.ceil(most / step - 1e-9);
  return Array.from({ length: last + 1 }, (_, at) => at * step);
}

/** Times at which a line is drawn: whole seconds, minutes or hours of the day. */
function times(from, to, room) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400].map((it) => it * 1000);
  const step = steps.find((it) => (to - from) / it <= room) ?? steps.at(-1);
  const found = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) found.push(at);
  return { found, withSeconds: step < 60000 };
}

/** A chart of a history. */
export class Chart {
  constructor(history, { title, unit, series, stacked = false, least = 0, most = null }) {
    Object.assign(this, { history, title, unit, series, stacked, least, most });
    this.hidden = new Set();
    this.drawing = svg('svg', { role: 'img', tabindex: '0', height: HEIGHT, onkeydown: (event) => this.#keys(event) });
    this.drawing.addEventListener('pointerdown', (event) => this.#drag(event));
    this.drawing.addEventListener('pointermove', (event) => this.#point(event));
    this.drawing.addEventListener('pointerleave', () => this.#leave());
    this.drawing.addEventListener('dblclick', () => this.history.zoom(null));
    this.values = new Map(series.map((it) => [it.key, el('b', {})]));
    this.entries = new Map(series.map((it) => [it.key, this.#entry(it)]));
    this.legend = el('ul', { class: 'legend' }, [...this.entries.values()]);
    this.when = el('span', { class: 'quiet when' });
    const head = el('div', { class: 'charthead' }, el('h3', {}, title, el('span', { class: 'unit' }, ` ${unit}`)), this.when);
    this.node = el('figure', { class: 'chart card' }, head, this.drawing, this.legend);
    this.size = new ResizeObserver(() => this.draw());
    this.size.observe(this.node);
    this.stop = history.watch(() => this.draw());
  }

  #entry(series) {
    const toggle = (event) => {
      if (!this.hidden.delete(series.key)) this.hidden.add(series.key);
      event.currentTarget.setAttribute('aria-pressed', String(!this.hidden.has(series.key)));
      this.draw();
    };
    const swatch = el('i', { class: `swatch ${series.class}`, 'aria-hidden': 'true' });
    const button = el('button', { type: 'button', 'aria-pressed': 'true', onclick: toggle }, swatch, series.name, ' ', this.values.get(series.key));
    return el('li', {}, button);
  }

  /** Stops listening. */
  end() {
    this.stop();
    this.size.disconnect();
  }

  #shown() {
    return this.series.filter((it) => !this.hidden.has(it.key));
  }

  draw() {
    // What is frozen or not on the page is not drawn.
    if (!this.node.isConnected || this.history.isFrozen) return;
    const width = this.drawing.clientWidth || this.node.clientWidth - 24;
    if (width < 80) return;
    const [from, to] = this.history.shown();
    const inner = { width: width - LEFT - RIGHT, height: HEIGHT - TOP - BOTTOM };
    const points = thinned(this.history.points.filter((it) => it.at >= from - it.span && it.at <= to), this.series, inner.width);
    const shown = this.#shown();
    const sum = (point) => shown.reduce((total, it) => total + (point[it.key] ?? 0), 0);
    const highest = points.reduce((most, point) => {
      const here = this.stacked ? sum(point) : Math.max(0, ...shown.map((it) => point[it.key] ?? 0));
      return Math.max(most, here);
    }, this.least);
    const marks = this.most ? ticks(this.most, 4).filter((it) => it <= this.most) : ticks(highest);
    const top = this.most ?? marks.at(-1);
    const x = (at) => LEFT + ((at - from) / (to - from)) * inner.width;
    const y = (value) => TOP + inner.height * (1 - Math.min(value, top) / top);
    this.scale = { from, to, width: inner.width, points };
    const { found, withSeconds } = times(from, to, Math.max(2, Math.floor(inner.width / 70)));
    const step = marks.length > 1 ? marks[1] : top;
    const label = (value) => (step < 1 && value !== 0 ? value.toFixed(step < 0.1 ? 2 : 1) : value >= 10000 ? `${amount(value / 1000)}k` : String(Number(value.toFixed(1))));
    const grid = [
      ...marks.flatMap((it) => [
        svg('line', { class: 'grid', x1: LEFT, x2: width - RIGHT, y1: y(it), y2: y(it) }),
        svg('text', { class: 'tick', x: LEFT - 6, y: y(it) + 4, 'text-anchor': 'end' }, label(it)),
      ]),
      ...found.map((at) => svg('text', { class: 'tick', x: Math.min(Math.max(x(at), LEFT + 4), width - (withSeconds ? 28 : 18)), y: HEIGHT - 5, 'text-anchor': 'middle' }, clock(at, withSeconds))),
    ];
    const clip = svg('svg', { x: LEFT, y: 0, width: inner.width, height: HEIGHT, viewBox: `${LEFT} 0 ${inner.width} ${HEIGHT}` });
    const base = new Map(points.map((point) => [point, 0]));
    for (const series of shown) {
      for (const run of runs(points, series.key)) {
        if (this.stacked) {
          const upper = run.map((point) => [x(point.at), y(base.get(point) + (point[series.key] ?? 0))]);
          const lower = run.map((point) => [x(point.at), y(base.get(point))]).reverse();
          clip.append(svg('path', { class: `layer ${series.class}`, d: `${path(upper)} L${path(lower).slice(1)} Z` }));
        } else {
          const line = run.map((point) => [x(point.at), y(point[series.key] ?? 0)]);
          const alone = line.length === 1 ? [line[0], [line[0][0] + 1, line[0][1]]] : line;
          if (shown.length === 1) clip.append(svg('path', { class: `area ${series.class}`, d: `${path(alone)} L${alone.at(-1)[0]} ${y(0)} L${alone[0][0]} ${y(0)} Z` }));
          clip.append(svg('path', { class: `line ${series.class}`, d: path(alone) }));
        }
      }
      if (this.stacked) points.forEach((point) => base.set(point, base.get(point) + (point[series.key] ?? 0)));
    }
    this.cursor = svg('line', { class: 'cursor', y1: TOP, y2: HEIGHT - BOTTOM, visibility: 'hidden' });
    this.band = svg('rect', { class: 'band', y: TOP, height: inner.height, visibility: 'hidden' });
    this.drawing.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
    this.drawing.replaceChildren(...grid, clip, this.band, this.cursor);
    // Of many layers those that are nothing all the time are not named.
    if (this.stacked) this.entries.forEach((entry, key) => { entry.hidden = !points.some((point) => point[key] > 0.005); });
    if (!this.hovered) this.#say(points.at(-1));
    const last = this.series.map((it) => `${it.name} ${amount(points.at(-1)?.[it.key] ?? 0)}`).join(', ');
    this.drawing.setAttribute('aria-label', `${this.title}, ${this.unit}, from ${clock(from)} to ${clock(to)}; last: ${last}`);
  }

  #say(point, at = null) {
    for (const series of this.series) put(this.values.get(series.key), point ? amount(point[series.key] ?? 0) : '–');
    put(this.when, at ? clock(at) : this.history.range ? 'zoomed' : '');
  }

  #at(event) {
    const box = this.drawing.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - box.left - LEFT) / this.scale.width));
    return this.scale.from + share * (this.scale.to - this.scale.from);
  }

  #point(event) {
    if (!this.scale?.points.length) return;
    const at = this.#at(event);
    const near = this.scale.points.reduce((best, point) => (Math.abs(point.at - at) < Math.abs(best.at - at) ? point : best));
    const x = LEFT + ((near.at - this.scale.from) / (this.scale.to - this.scale.from)) * this.scale.width;
    this.hovered = true;
    this.cursor.setAttribute('x1', x);
    this.cursor.setAttribute('x2', x);
    this.cursor.setAttribute('visibility', 'visible');
    this.#say(near, near.at);
    if (this.dragged !== undefined) {
      const [a, b] = [this.dragged, at].sort((one, other) => one - other).map((it) => LEFT + ((it - this.scale.from) / (this.scale.to - this.scale.from)) * this.scale.width);
      this.band.setAttribute('x', a);
      this.band.setAttribute('width', Math.max(0, b - a));
      this.band.setAttribute('visibility', 'visible');
    }
  }

  #leave() {
    this.hovered = false;
    this.cursor?.setAttribute('visibility', 'hidden');
    this.#say(this.scale?.points.at(-1));
  }

  #drag(event) {
    if (!this.scale || event.button !== 0) return;
    this.dragged = this.#at(event);
    const scale = { ...this.scale };
    const up = (end) => {
      removeEventListener('pointerup', up);
      const begin = this.dragged;
      this.dragged = undefined;
      this.band?.setAttribute('visibility', 'hidden');
      const range = [begin, this.#at(end)].sort((a, b) => a - b);
      if (range[1] - range[0] > (scale.to - scale.from) * 0.02) this.history.zoom(range);
    };
    addEventListener('pointerup', up);
  }

  #keys(event) {
    const [from, to] = this.history.shown();
    const width = to - from;
    const moves = {
      ArrowLeft: [from - width / 4, to - width / 4],
      ArrowRight: [from + width / 4, to + width / 4],
      '+': [from + width / 4, to - width / 4],
      '=': [from + width / 4, to - width / 4],
      '-': [from - width / 2, to + width / 2],
    };
    if (event.key in moves) this.history.zoom(moves[event.key]);
    else if (event.key === '0' || (event.key === 'Escape' && this.history.range)) this.history.zoom(null);
    else return;
    event.preventDefault();
  }
}

function path(line) {
  return line.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join(' ');
}

/** Stretches without a gap in time and in the series. */
function runs(points, key) {
  const found = [];
  let run = [];
  for (const point of points) {
    const before = run.at(-1);
    const isGap = point[key] === null || point[key] === undefined;
    if (before && (isGap || point.at - before.at > 3 * Math.max(point.span, before.span))) {
      found.push(run);
      run = [];
    }
    if (!isGap) run.push(point);
  }
  if (run.length > 0) found.push(run);
  return found;
}

/** One point for each two pixels at most, the highest of those that fall together. */
function thinned(points, series, width) {
  const most = Math.max(2, Math.floor(width / 2));
  if (points.length <= most) return points;
  const size = Math.ceil(points.length / most);
  const found = [];
  for (let at = 0; at < points.length; at += size) {
    const part = points.slice(at, at + size);
    const point = { ...part.at(-1), span: part.reduce((sum, it) => sum + it.span, 0) };
    for (const { key } of series) point[key] = Math.max(...part.map((it) => it[key] ?? 0));
    found.push(point);
  }
  return found;
}
