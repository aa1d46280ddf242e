/**
 * Tables and paragraphs as wide as the terminal.
 *
 * @module
 */

/** The widest line of a paragraph where nothing tells how wide one may be, and the narrowest that is kept to. */
const widths = { unknown: 100, least: 60 };

/** How wide a line may be. */
function lineWidth(): number {
  return Deno.stdout.isTerminal()
    ? Math.max(Deno.consoleSize().columns, widths.least)
    : widths.unknown;
}

const gap = "   ";

/**
 * Rows, of which the first has the titles, as kubectl prints them. Where the line would be longer than `columns` the column
 * REASON is left out and the last one is cut, to a third of them at the least; nothing else is, and nothing where no terminal is.
 */
export function table(
  rows: readonly (readonly string[])[],
  columns: number = Deno.stdout.isTerminal() ? lineWidth() : Infinity,
): string {
  const cells = rows.map((row) => row.map(printable));
  const widths = cells[0]!.map((_, column) =>
    Math.max(...cells.map((row) => [...row[column]!].length))
  );
  const last = widths.length - 1;
  const left = columns - sum(widths.slice(0, last)) - gap.length * last;
  const least = Math.min(widths[last]!, Math.floor(columns / 3));
  const reason = cells[0]!.slice(0, last).indexOf("REASON");
  if (left < least && reason >= 0) {
    return table(cells.map((row) => row.toSpliced(reason, 1)), columns);
  }
  widths[last] = Math.min(widths[last]!, Math.max(left, least));
  return cells.map((row) =>
    row.map((cell, column) => cut(cell, widths[column]!).padEnd(widths[column]!)).join(gap)
      .trimEnd()
  ).join("\n");
}

/** A text in lines of `columns` at most; `indent` precedes each but the first, which is `start`. */
export function paragraph(
  text: string,
  { start, indent, columns = lineWidth() }: { start: string; indent: string; columns?: number },
): string {
  const lines = [start];
  for (const word of printable(text).split(" ")) {
    const line = lines.at(-1)!;
    const isEmpty = line.length === (lines.length === 1 ? start : indent).length;
    if (isEmpty) lines[lines.length - 1] = line + word;
    else if (line.length + 1 + word.length <= columns) {
      lines[lines.length - 1] = `${line} ${word}`;
    } else lines.push(indent + word);
  }
  return lines.join("\n");
}

/** A sentence whose subject is told beside it. */
export function withoutTitle(sentence: string, title: string): string {
  return sentence.startsWith(`${title} `) ? sentence.slice(title.length + 1) : sentence;
}

/** `5s`, `3m`, `2h`, `4d`: how long ago an RFC 3339 time was, as kubectl says it. */
export function age(time: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(time)) / 1000));
  const units: [limit: number, size: number, name: string][] = [
    [120, 1, "s"],
    [120 * 60, 60, "m"],
    [48 * 3600, 3600, "h"],
    [Infinity, 86400, "d"],
  ];
  const [, size, name] = units.find(([limit]) => seconds < limit)!;
  return `${Math.floor(seconds / size)}${name}`;
}

/** A name or a sentence of somebody else must not steer the terminal. */
export function printable(text: string): string {
  // deno-lint-ignore no-control-regex -- they are what is to be replaced
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "�");
}

function cut(text: string, width: number): string {
  const letters = [...text];
  return letters.length <= width ? text : letters.slice(0, width - 1).join("") + "…";
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
