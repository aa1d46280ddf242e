import { Functions } from "../../../tools/control_plane/functions.ts";
import { testHandOver } from "./hand_over.ts";

// As at the edge: both relays speak of the same gangs to one store, of which workerd runs the durable objects.
const dir = await Deno.makeTempDir({ prefix: "muster-functions-" });
const functions = new Functions(dir);

await testHandOver(
  "shared functions",
  () => ({ extraArgs: [`--functions-url=${functions.url}`] }),
  () => functions.start({ runtime: "workerd" }),
);

Deno.test.afterAll(async () => {
  await functions.kill();
  await Deno.remove(dir, { recursive: true });
});
