/** Writes notes into the store in the folder given, until it is killed, and prints each one that was acknowledged. */
import { EmbeddedHost } from "../../shared/store/embedded/host.ts";
import { ProbeObject } from "../workerd/probe_object.ts";

const [dir] = Deno.args;
if (dir === undefined) throw new Error("Cannot start: give the folder of the store");
const host = new EmbeddedHost({ dir });
const stub = host.namespace(ProbeObject, { className: "ProbeObject", env: {} }).getByName("a");
await stub.setAlarm(4e12);
const encoder = new TextEncoder();
for (let n = 1;; n++) {
  await stub.add(`note ${n}`);
  await Deno.stdout.write(encoder.encode(`acknowledged ${n}\n`));
}
