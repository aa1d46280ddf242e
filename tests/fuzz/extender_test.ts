import { assert, assertEquals } from "@std/assert";
import { RelayWorld } from "../support/relay_world.ts";
import { fuzz } from "./fuzz.ts";
import { extenderCall, knownPods } from "./grammar/extender_calls.ts";

Deno.test(
  "fuzz: the extender answers whatever it is asked, as its protocol has it, and still binds gangs",
  { sanitizeOps: false, sanitizeResources: false },
  async () => {
    await using world = await RelayWorld.start({ nodes: { "node-1": 8 } });
    await world.create("regular", { spec: { schedulerName: "idle" } });
    const gang = { name: "member", minAvailable: 3 };
    for (const name of ["member-0", "member-1"]) await world.create(name, { gang });
    const uids = new Map<string, string>(
      knownPods.map((name) => [`<${name}>`, world.pod(name).metadata.uid]),
    );
    const statuses = new Map<number, number>();
    await fuzz({
      name: "extender",
      share: 0.6,
      inputs: extenderCall,
      call: async ({ path, headers, body }) => {
        const response = await fetch(world.relay.url + path, {
          method: "POST",
          headers,
          body: body.replace(/<[-\w]+>/g, (name) => uids.get(name) ?? name),
        });
        const { status } = response;
        const answer = await response.json();
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        assert([200, 400, 403, 413, 415].includes(status), `${status} ${JSON.stringify(answer)}`);
        if (status !== 200 || answer.Error) {
          assertEquals(answer.Error.startsWith("Muster: "), true, answer.Error);
          assert(answer.Error.length < 1024, answer.Error);
        }
        world.forget();
      },
    });
    for (const status of [200, 400, 415]) assert(statuses.has(status), `no ${status}`);
    await world.create("member-2", { gang });
    await world.untilBound(["member-0", "member-1", "member-2"]);
  },
);
