// Numbers as people read them, with the rules that `millpond top` has (crates/top/src/units.rs).

/** A whole number with commas between thousands. */
export function whole(number) {
  return number === null || number === undefined ? '' : Math.round(number).toLocaleString('en-US');
}

/** One digit after the point below 100, whole above. */
export function amount(number) {
  if (number === null || number === undefined) return '';
  if (!Number.isFinite(number) || number === 0) return '0';
  if (Math.abs(number) < 0.05) return '0.0';
  return Math.abs(number) < 99.95 ? number.toFixed(1) : whole(number);
}

/** Percent without digits. */
export function percent(number) {
  return number === null || number === undefined ? '–' : `${Math.round(number)} %`;
}

/** Bytes as megabytes. */
export function mb(bytes) {
  return bytes === null || bytes === undefined ? '' : amount(bytes / 1048576);
}

/** Kilobytes as megabytes. */
export function mbOfKb(kb) {
  return kb === null || kb === undefined ? '' : amount(kb / 1024);
}

/** 12 ms, 4.2 s, 3:07, 2:00:09, 5d 01:02 */
export function time(ms) {
  if (ms === null || ms === undefined) return '';
  const all = Math.max(0, ms);
  const seconds = Math.floor(all / 1000);
  const two = (number) => String(Math.floor(number)).padStart(2, '0');
  if (seconds < 1) return `${Math.round(all)} ms`;
  if (seconds < 60) return `${seconds}.${Math.floor((all % 1000) / 100)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
  return `${Math.floor(seconds / 86400)}d ${two((seconds / 3600) % 24)}:${two((seconds / 60) % 60)}`;
}

/** Bytes with the unit that fits. */
export function size(bytes) {
  if (bytes === null || bytes === undefined) return '';
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let at = 0;
  let number = bytes;
  while (Math.abs(number) >= 1024 && at < units.length - 1) {
    number /= 1024;
    at += 1;
  }
  return `${at === 0 ? whole(number) : amount(number)} ${units[at]}`;
}

/** Time of the day of this browser. */
export function clock(ms, withSeconds = true) {
  const at = new Date(ms);
  const two = (number) => String(number).padStart(2, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}${withSeconds ? `:${two(at.getSeconds())}` : ''}`;
}

/** A text on one line: what turns the direction of writing or has no width is shown as a dot. */
export function oneLine(text) {
  const harmful = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
  return (text ?? '').replace(harmful, '·').replace(/\s+/g, ' ').trim();
}
