// What was received, as points in time: what charts draw, and the part of it that they show.
//
// What always holds: points are in the order of their times; at most POINTS_MAX are kept, the oldest go; a time that nothing is
// known of is a gap and no line.

const POINTS_MAX = 5400;
const LIVE_MS = 5 * 60 * 1000;

/** Points, and the range that all charts share. */
export class History {
  constructor() {
    this.points = [];
    /** null: the last minutes, live. */
    this.range = null;
    this.liveMs = LIVE_MS;
    this.watchers = new Set();
  }

  /** Keeps what a sample says. */
  add(sample) {
    const of = sample.overview;
    if (!(of.interval_s > 0)) return;
    const waiting = Object.fromEntries(sample.wait_categories.map((it) => [`wait ${it.category}`, it.waiting_average]));
    const point = {
      at: of.taken_ms,
      span: of.interval_s * 1000,
      cpu: of.cpu_percent,
      batches: of.batches_per_s,
      transactions: of.transactions_per_s,
      read: of.read_bytes_per_s / 1048576,
      written: of.write_bytes_per_s / 1048576,
      log: of.log_bytes_per_s / 1048576,
      reads: of.reads_per_s,
      writes: of.writes_per_s,
      readMs: of.average_read_ms,
      writeMs: of.average_write_ms,
      sessions: of.sessions,
      running: of.sessions_running,
      blocked: of.sessions_blocked,
      tempUser: of.tempdb_user_objects_kb / 1024,
      tempInternal: of.tempdb_internal_objects_kb / 1024,
      tempVersions: of.tempdb_version_store_kb / 1024,
      memory: of.memory_committed_kb === null ? null : of.memory_committed_kb / 1024,
      ...waiting,
    };
    this.points.push(point);
    if (this.points.length > POINTS_MAX) this.points.shift();
    this.#tell();
  }

  /** Takes what the server has kept of the time before the first point: rows of points with the same names. */
  adopt(points) {
    const first = this.points[0]?.at ?? Infinity;
    const known = points.filter((point) => point.at < first).sort((a, b) => a.at - b.at);
    this.points = [...known, ...this.points].slice(-POINTS_MAX);
    this.#tell();
  }

  /** From when to when charts show. */
  shown() {
    if (this.range) return this.range;
    const to = this.points.at(-1)?.at ?? Date.now();
    // Where less is known less is shown, but never less than a minute.
    const known = to - (this.points[0]?.at ?? to);
    return [to - Math.max(60000, Math.min(this.liveMs, known)), to];
  }

  /** All that is known. */
  whole() {
    const [from, to] = [this.points[0]?.at ?? Date.now() - LIVE_MS, this.points.at(-1)?.at ?? Date.now()];
    return [from, Math.max(to, from + 1000)];
  }

  /** Shows a part; null: live. */
  zoom(range) {
    if (range) {
      const [first, last] = this.whole();
      const width = Math.max(4000, Math.min(range[1] - range[0], last - first));
      const from = Math.max(first, Math.min(range[0], last - width));
      this.range = [from, from + width];
    } else {
      this.range = null;
    }
    this.#tell();
  }

  /** Calls when something has changed. */
  watch(call) {
    this.watchers.add(call);
    return () => this.watchers.delete(call);
  }

  #tell() {
    this.watchers.forEach((call) => call());
  }
}
