// SPDX-License-Identifier: MIT
// Numbers, times and commands as text. No element, no state.

const integer = new Intl.NumberFormat('en');

/** `9s`, `2m8s`, `3h4m`, `2d5h`: the two largest units, as fleetctl writes it. */
export function span(seconds) {
  const s = Math.max(0, Math.floor(seconds));
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m${s % 60}s`;
  if (s < 86400) return `${Math.floor(s / 3600)}h${Math.floor((s % 3600) / 60)}m`;
  return `${Math.floor(s / 86400)}d${Math.floor((s % 86400) / 3600)}h`;
}

export const count = (number) => integer.format(number);

/** A rate or mean: one decimal below ten. NaN: there is none. */
export function rate(number) {
  if (Number.isNaN(number)) return '–';
  return number < 9.95 ? number.toFixed(1) : count(Math.round(number));
}

/** Milliseconds as a number and its unit. */
export function milliseconds(ms) {
  if (Number.isNaN(ms)) return ['–', ''];
  if (ms > 0 && ms < 9.95) return [ms.toFixed(1), 'ms'];
  if (ms < 999.5) return [`${Math.round(ms)}`, 'ms'];
  return [(ms / 1000).toFixed(ms < 9950 ? 1 : 0), 's'];
}

/** A share of 0 to 1 in per cent. */
export const percent = (share) => (Number.isNaN(share) ? '–' : `${Math.round(share * 100)}`);

/** Local time of day. */
export function clock(milliseconds) {
  const at = new Date(milliseconds);
  const two = (number) => `${number}`.padStart(2, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

export const plural = (number, one, many = `${one}s`) =>
  `${count(number)} ${number === 1 ? one : many}`;

/** `reason: detail`, or the one there is. */
export const both = (reason, detail) => [reason, detail].filter(Boolean).join(': ');

/** A word for a shell: nothing in it ends the word, whatever a name holds. */
export function shellWord(text) {
  const clean = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '?');
  return /^[\w.:/@%+=,-]+$/.test(clean) ? clean : `'${clean.replaceAll("'", "'\\''")}'`;
}

/** The URL that `fleetctl --router` takes for the router this page came from. */
export function routerUrl(page) {
  const {protocol, hostname, port, pathname} = new URL(page);
  const usual = protocol === 'https:' ? '443' : '80';
  const prefix = pathname.replace(/\/dashboard$/, '');
  return `${protocol}//${hostname}:${port || usual}${prefix}`;
}

/** A fleetctl command for this router; its default needs no flag. */
export function fleetctl(page, ...words) {
  const at = routerUrl(page);
  const router = /^http:\/\/(127\.0\.0\.1|localhost):8000$/.test(at) ? [] : ['--router', at];
  return ['fleetctl', ...router, ...words].map(shellWord).join(' ');
}
