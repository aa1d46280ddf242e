import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { refuse } from "./refuse.ts";
import type { SqliteFile } from "./sqlite_file.ts";
import type { SqlCursor, SqlRow, SqlStorage, SqlValue } from "./types.ts";

/** Statements that durable objects refuse as well. */
const forbiddenStart =
  /^(begin|commit|end|rollback|savepoint|release|attach|detach|vacuum)\b|^pragma\s+(?!(table_(info|list|xinfo)|index_(info|list|xinfo)|foreign_key_(check|list)|optimize|quick_check)\b)\w*/i;

/** Text in which a question mark is no parameter. */
const quotedOrComment =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//g;

/** Prepared statements kept per object. */
const cachedStatements = 64;

interface Prepared {
  statement: StatementSync;
  parameters: number;
}

/** `ctx.storage.sql` over node:sqlite. All rows are read at once: a cursor is not disturbed by later writes. */
export class EmbeddedSql implements SqlStorage {
  #file: SqliteFile;
  #preparedFor: DatabaseSync | undefined;
  #prepared = new Map<string, Prepared>();

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  exec<Row extends SqlRow = SqlRow>(query: string, ...bindings: SqlValue[]): SqlCursor<Row> {
    const db = this.#file.db;
    if (this.#preparedFor !== db) {
      this.#prepared.clear();
      this.#preparedFor = db;
    }
    const cached = this.#prepared.get(query);
    if (cached !== undefined) return run<Row>(cached, bindings);
    let rest = query;
    while (true) {
      const prepared = prepare(db, rest);
      const text = prepared.statement.sourceSQL;
      const tail = rest.slice(text.length);
      if (tail.trim() === "") {
        if (rest === query) this.#remember(query, prepared);
        return run<Row>(prepared, bindings);
      }
      if (prepared.parameters > 0) {
        throw new Error(
          "When executing multiple SQL statements in a single call, only the last statement can have parameters",
        );
      }
      prepared.statement.all();
      rest = tail;
    }
  }

  #remember(query: string, prepared: Prepared): void {
    if (this.#prepared.size >= cachedStatements) {
      const [oldest] = this.#prepared.keys();
      if (oldest !== undefined) this.#prepared.delete(oldest);
    }
    this.#prepared.set(query, prepared);
  }
}

refuse(EmbeddedSql.prototype, {
  prefix: "storage.sql.",
  gaps: {
    Cursor: "use storage.sql.exec",
    Statement: "use storage.sql.exec",
    databaseSize: "no accounts are kept",
  },
});

/** The rows of a statement, read already. */
class EmbeddedCursor<Row extends SqlRow> implements SqlCursor<Row> {
  #rows: Row[];

  constructor(rows: Row[]) {
    this.#rows = rows;
  }

  toArray(): Row[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  one(): Row {
    const [row, second] = this.toArray();
    if (row === undefined || second !== undefined) {
      const found = row === undefined ? "no results" : "multiple results";
      throw new Error(`Expected exactly one result from SQL query, but got ${found}`);
    }
    return row;
  }
}

refuse(EmbeddedCursor.prototype, {
  prefix: "cursor.",
  gaps: {
    columnNames: "use toArray()",
    next: "use toArray()",
    raw: "use toArray()",
    rowsRead: "no accounts are kept",
    rowsWritten: "no accounts are kept: use RETURNING",
  },
});

function prepare(db: DatabaseSync, sql: string): Prepared {
  const first = bare(sql);
  if (first === "") throw new Error("SQL code did not contain a statement");
  const forbidden = forbiddenStart.exec(first);
  if (forbidden !== null) {
    throw new Error(
      `"${
        forbidden[0]
      }" is not supported in a durable object: use storage.transactionSync for transactions and a table for what is to be kept`,
    );
  }
  const statement = db.prepare(sql);
  return { statement, parameters: countParameters(statement.sourceSQL) };
}

/** The statements without comments, blanks and empty statements before them. */
function bare(sql: string): string {
  return sql.replace(/^(?:\s|;|--[^\n]*|\/\*[\s\S]*?\*\/)+/, "");
}

/** node:sqlite takes a missing binding for NULL without a word, so we count. */
function countParameters(sql: string): number {
  let count = 0;
  for (const [mark] of sql.replace(quotedOrComment, " ").matchAll(/\?\d*/g)) {
    count = mark === "?" ? count + 1 : Math.max(count, Number(mark.slice(1)));
  }
  return count;
}

function run<Row extends SqlRow>(prepared: Prepared, bindings: SqlValue[]): SqlCursor<Row> {
  if (bindings.length !== prepared.parameters) {
    throw new Error(
      `Wrong number of parameter bindings for SQL query: it has ${prepared.parameters} and ${bindings.length} were given`,
    );
  }
  const rows = prepared.statement.all(...bindings.map(toSql));
  return new EmbeddedCursor(rows.map((row) => fromSql<Row>(row)));
}

/** Callers without types bind other things too; undefined is NULL on workerd as well. */
function toSql(binding: unknown, index: number): SQLInputValue {
  if (binding === null || binding === undefined) return null;
  if (typeof binding === "number" || typeof binding === "string") return binding;
  if (binding instanceof ArrayBuffer) return new Uint8Array(binding);
  if (ArrayBuffer.isView(binding)) {
    return new Uint8Array(binding.buffer, binding.byteOffset, binding.byteLength);
  }
  // workerd stores the text of a boolean, an object or a date ("[object Object]"), which nobody means.
  throw new TypeError(
    `Cannot bind SQL parameter ${
      index + 1
    }: it must be a string, a finite number, null or bytes: current value is of type "${typeof binding}"`,
  );
}

function fromSql<Row extends SqlRow>(row: object): Row {
  const plain: SqlRow = {};
  for (const [name, value] of Object.entries(row) as [string, SqlValue | Uint8Array][]) {
    plain[name] = value instanceof Uint8Array ? value.slice().buffer : value;
  }
  return plain as Row;
}
