/**
 * Go durations, as S3 writes waiting times.
 *
 * @module
 */

const unitSeconds: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};

/** The seconds of a Go duration such as `3600s`, `1h30m` or `1.5h`; undefined if the text is not one. */
export function durationSeconds(text: string): number | undefined {
  if (!/^(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, number, unit] of text.matchAll(/(\d+(?:\.\d*)?)(ns|us|µs|ms|s|m|h)/g)) {
    seconds += Number(number) * unitSeconds[unit!]!;
  }
  return seconds;
}
