/**
 * Writes the OpenAPI documents that the functions serve, after a change of the contract (`deno task openapi`).
 *
 * @module
 */
import { Command } from "commander";
import { print } from "../cli/print.ts";
import { documents } from "./openapi/document.ts";

const root = new URL("..", import.meta.url).pathname;

new Command("deno task openapi")
  .description(
    "Write the OpenAPI documents that the functions serve, as the schemas of the contract have them",
  )
  .parse(Deno.args, { from: "user" });

for (const [path, document] of Object.entries(documents())) {
  await Deno.writeTextFile(`${root}${path}`, `${JSON.stringify(document, undefined, 2)}\n`);
  print(path);
}
