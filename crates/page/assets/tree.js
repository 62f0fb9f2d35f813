// Sessions below those that block them, as `millpond top` places them (crates/top/src/tree.rs).
//
// What always holds: each row comes out once, whatever points where: circles, blockers that are not there.

/** Rows as trees, in the order that `compare` gives: [{row, depth}]. A blocker stands where the first of those below it would. */
export function trees(rows, compare) {
  const byId = new Map(rows.map((row) => [row.session_id, row]));
  const parentOf = (row) => (row.blocked_by !== row.session_id ? byId.get(row.blocked_by) : undefined);
  const best = new Map(rows.map((row) => [row, row]));
  for (const row of rows) {
    const seen = new Set([row]);
    for (let at = parentOf(row); at && !seen.has(at); at = parentOf(at)) {
      seen.add(at);
      if (compare(row, best.get(at)) < 0) best.set(at, row);
    }
  }
  const order = [...rows].sort((a, b) => compare(best.get(a), best.get(b)) || a.session_id - b.session_id);
  const children = new Map();
  const roots = [];
  for (const row of order) {
    const parent = parentOf(row);
    if (parent) children.set(parent, [...(children.get(parent) ?? []), row]);
    else roots.push(row);
  }
  const placed = [];
  const seen = new Set();
  // What no root leads to is in a circle or hangs on one.
  for (const root of [...roots, ...order]) {
    const open = [{ row: root, depth: 0 }];
    while (open.length > 0) {
      const next = open.pop();
      if (seen.has(next.row)) continue;
      seen.add(next.row);
      placed.push(next);
      for (const row of [...(children.get(next.row) ?? [])].reverse()) open.push({ row, depth: next.depth + 1 });
    }
  }
  return placed;
}

/** Rows that the filter lets through, and their blockers. */
export function filtered(rows, matches) {
  const byId = new Map(rows.map((row) => [row.session_id, row]));
  const shown = new Set();
  for (const row of rows) {
    if (!matches(row)) continue;
    for (let at = row; at && !shown.has(at); at = byId.get(at.blocked_by)) shown.add(at);
  }
  return rows.filter((row) => shown.has(row));
}
