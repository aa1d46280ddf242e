/** An escape in a string of JSON: of a pair, of half a pair alone, or any other. */
const escape = /\\(?:ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|(ud[89a-f][0-9a-f]{2})|.)/gis;

/** The JSON with U+FFFD for each half of a character, which hosts keep each in its own way. */
export function wellFormed(json: string): string {
  return json.replace(escape, (whole, half?: string) => half === undefined ? whole : "\\ufffd");
}
