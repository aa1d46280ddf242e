import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { EmbeddedSql } from "../../shared/store/embedded/sql.ts";
import type { SqliteFile } from "../../shared/store/embedded/sqlite_file.ts";
import { RunHistory, runsTable } from "../../shared/store/run_history.ts";

Deno.test("run history: the many runs of a namespace cost no other its few", () => {
  using db = new DatabaseSync(":memory:");
  db.exec(`${runsTable} BEGIN`);
  const history = new RunHistory(new EmbeddedSql({ db } as Partial<SqliteFile> as SqliteFile));
  const keep = (namespace: string, count: number) => {
    for (let at = 0; at < count; at++) {
      const times = { createdAt: at, startedAt: at, endedAt: at + 5000, isLearnt: true };
      const asks = { members: 1, priority: 0, requests: {} };
      history.keep({ namespace, name: `g-${at}`, pattern: `${namespace}//g`, ...asks, ...times });
    }
  };
  keep("few", 3);
  keep("many", 20_497);
  const { runs } = history.list({ limit: 30_000 });
  assertEquals(runs.length, 20_000);
  assertEquals(runs.slice(-4).map(({ namespace, name }) => `${namespace}/${name}`), [
    ...["many/g-500", "few/g-2", "few/g-1", "few/g-0"],
  ]);
});
