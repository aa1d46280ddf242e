import type { Keeping } from "./keeping.ts";
import { EmbeddedSql } from "./sql.ts";
import type { SqliteFile } from "./sqlite_file.ts";

/** What new objects of a class begin with: the file of the first of them, as the constructor left it. */
export interface FileTemplate {
  content?: Uint8Array | undefined;
}

/** The tables of one object, in a SQLite file of its own. */
export class OwnTables implements Keeping {
  readonly kept = "tables";
  readonly file: SqliteFile;
  readonly sql: EmbeddedSql;
  readonly #template: FileTemplate;
  #isNew = false;

  constructor(file: SqliteFile, template: FileTemplate) {
    this.file = file;
    this.#template = template;
    this.sql = new EmbeddedSql(file);
  }

  get isCleared(): boolean {
    return this.file.isRemoved;
  }

  begin(): void {
    this.#isNew = this.file.begin(this.#template.content);
  }

  built(): void {
    if (this.#isNew) this.#template.content ??= this.file.content();
  }

  clear(): void {
    this.file.remove();
  }

  release(): void {
    this.file.close();
  }
}
