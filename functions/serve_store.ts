/**
 * The Deno entry of the gang store alone, for stages that run as processes of their own.
 *
 * @module
 */
import { Command, Option } from "commander";
import process from "node:process";
import { log } from "../shared/http/log.ts";
import { folderOf } from "../shared/store/embedded/open_store.ts";
import { shareStore } from "../shared/store/embedded/shared_store.ts";
import { endAsked, orExit } from "./serve.ts";

const { store } = new Command("serve_store")
  .description(
    "Keep the gang store for stages that run one by one: MUSTER_STORE=unix:<folder>/socket",
  )
  .addOption(
    new Option("--store <folder>", "where the gang store is kept").env("MUSTER_STORE")
      .default(".muster/store"),
  )
  .parse().opts<{ store: string }>();

const shared = await orExit(() =>
  shareStore({ dir: folderOf(store), onError: (error) => log("error", error.message) })
);
// deno-lint-ignore no-console -- the line that callers wait for
console.log(`listening: unix:${shared.socket}`);
await endAsked();
await shared.close();
process.exit(0);
