/** An escape in a string of JSON: of a pair, of half a pair alone or of NUL, or any other. */
const escape = /\\(?:ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|(ud[89a-f][0-9a-f]{2}|u0000)|.)/gis;

/** The JSON with U+FFFD for NUL and for each half of a character: each store would keep them in its own way. */
export function wellFormed(json: string): string {
  return json.replace(escape, (whole, odd?: string) => odd === undefined ? whole : "\\ufffd");
}
