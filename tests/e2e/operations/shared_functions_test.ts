import { Functions } from "../support/functions.ts";
import { testHandOver } from "./hand_over.ts";

// As at the edge: both relays speak of the same gangs to one store.
const dir = await Deno.makeTempDir({ prefix: "muster-functions-" });
const functions = new Functions(dir);

await testHandOver(
  () => ({ extraArgs: [`--functions-url=${functions.url}`] }),
  () => functions.start(),
);

Deno.test.afterAll(async () => {
  await functions.kill();
  await Deno.remove(dir, { recursive: true });
});
