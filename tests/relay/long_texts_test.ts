import { assert, assertEquals, assertLess, assertStringIncludes } from "@std/assert";
import { untilReady } from "../../tools/control_plane/readiness.ts";
import { membersOf, whyPending } from "../support/gang_pods.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

const nodes = { "node-1": 4 };
const koordinator = "gang.scheduling.koordinator.sh/";

/** Creates a pod that declares its gang by annotations of Koordinator. */
async function declare(world: RelayWorld, pod: string, fields: Record<string, string>) {
  const all = Object.entries({ "min-available": "1", ...fields });
  const annotations = Object.fromEntries(all.map(([field, text]) => [koordinator + field, text]));
  await world.sandbox.createPod({
    metadata: { name: pod, annotations },
    spec: { containers: [{ name: "main" }] },
  });
}

/** What one author may write; each gang would start alone if it were not for that. */
const authors: Record<string, Record<string, string>> = {
  longest: { name: "x".repeat(247), "min-available": "2" },
  long: { name: "x".repeat(300) },
  slash: { name: "a/b" },
  many: { name: "many", groups: JSON.stringify(groupsOf(101, 3)) },
  entry: { name: "entry", groups: JSON.stringify([`default/${"x".repeat(600)}`]) },
  names: { name: "names", groups: JSON.stringify(groupsOf(100, 240)) },
  quorum: { name: "quorum", "min-available": "five".repeat(50_000) },
  huge: { name: "huge", groups: JSON.stringify(groupsOf(1000, 240)) },
};

function groupsOf(count: number, length: number): string[] {
  return Array.from({ length: count }, (_, i) => `default/${`${i}`.padStart(length, "g")}`);
}

relayTest(
  "whatever one author writes, other gangs start in order, the relay is ready, and nothing is refused",
  { nodes },
  async (world) => {
    await world.create("blocker", { gpus: 4, priority: 10 });
    await world.untilBound(["blocker"]);
    for (const [pod, fields] of Object.entries(authors)) await declare(world, pod, fields);
    const second = await world.createGang("second", { size: 2, gpus: 1, priority: 1 });
    const first = await world.createGang("first", { size: 2, gpus: 2, priority: 2 });
    const needsRoom = (name: string) => `gang default/${name} needs room for 2 more members`;
    await world.until(
      "both gangs wait for room",
      () =>
        ["first", "second"].every((name) =>
          world.log.some((line) => line.startsWith(needsRoom(name)))
        ),
    );
    const wrong = Object.keys(authors).filter((pod) => pod !== "longest");
    await world.until("each author learns what is wrong", (pods) =>
      wrong.every((name) => {
        const pod = pods.find(({ metadata }) => metadata.name === name)!;
        return whyPending(pod)?.includes("can not be used") === true ||
          whyPending(pod)?.includes("has no usable quorum") === true;
      }));
    const ready = await fetch(`${world.relay.url}/readyz`);
    assertEquals([ready.status, await ready.text()], [200, "ok"]);
    await world.delete("blocker");
    await world.untilBound(first);
    assertEquals(world.bound().filter((name) => second.includes(name)), []);
    await world.delete(...first);
    await world.untilBound(second);
    for (const pod of world.sandbox.pods()) assertLess(whyPending(pod)?.length ?? 0, 2000);
    const events = world.sandbox.server.store.list("events");
    for (const { message } of events) assertLess(String(message).length, 1024);
    assertEquals(world.log.filter((line) => line.includes("did not")), []);
    await world.delete(...wrong, "longest", ...second);
    const { signal } = new AbortController();
    const isForgotten = async () => (await world.gangs()).length === 0;
    await untilReady(isForgotten, { what: "the store without gangs", signal });
  },
);

/** What the functions answer to a call that breaks the contract. */
function badRequest(): Response {
  return Response.json({ title: "Bad request", detail: "no such name", errors: [] }, {
    status: 400,
    headers: { "content-type": "application/problem+json" },
  });
}

relayTest(
  "held members whose facts the functions refuse are let go, and asked about once",
  { nodes },
  async (world) => {
    await world.createHeldGang("gang", { size: 2, gpus: 1 });
    const asked: string[] = [];
    world.policy.intercept = ({ stage }) => {
      asked.push(stage);
      return Promise.resolve(badRequest());
    };
    await world.replaceLast("gang", { size: 2, gpus: 1 });
    await world.until(
      "the held call is answered",
      () =>
        world.relay.refusedBindings.some((text) =>
          text.startsWith(
            "gang-0: Muster: gang default/gang waits: the policy functions do not take",
          )
        ),
    );
    await world.until(
      "both say so",
      (pods) => pods.every((pod) => whyPending(pod)?.includes("do not take the facts about it")),
    );
    assertEquals(asked.length, 1, asked.join(", "));
    assertEquals((await fetch(`${world.relay.url}/readyz`)).status, 200);
  },
);

relayTest(
  "one group whose facts the functions refuse waits with that reason, and no other notices",
  { nodes },
  async (world) => {
    world.policy.intercept = async (call, answer) => {
      const isAbout = JSON.stringify(call.body).includes("default/bad") ||
        call.body.gangs?.some(({ gang }) => gang.name === "bad");
      if (!isAbout) return await answer();
      return badRequest();
    };
    const bad = await world.createGang("bad", { size: 2, gpus: 1, priority: 9 });
    const names = ["one", "two", "three"];
    for (const name of names) await world.createGang(name, { size: 1, gpus: 1 });
    await world.untilBound(names.flatMap((name) => membersOf(name, 1)));
    await world.until(
      "the members of the bad gang say why",
      () =>
        bad.every((name) =>
          whyPending(world.pod(name))?.includes(
            "Muster: gang default/bad waits: the policy functions do not take the facts about it: " +
              "HTTP 400: Bad request: no such name",
          )
        ),
    );
    const ready = await fetch(`${world.relay.url}/readyz`);
    assertEquals([ready.status, await ready.text()], [200, "ok"]);
    const metrics = await (await fetch(`${world.relay.url}/metrics`)).text();
    assertStringIncludes(metrics, "muster_relay_function_failures_total 0");
    const asked = world.policy.made.filter(({ stage, body }) =>
      stage === "prefilter" && body.gangs?.[0]?.gang.name === "bad"
    );
    assertEquals(asked.length, 1);
    const sorted = world.policy.made.filter(({ stage }) => stage === "queue-sort");
    assert(sorted.length > 0);
    world.policy.intercept = undefined;
    await world.label("bad-0", { "pod-group.scheduling.sigs.k8s.io/min-available": "1" });
    await world.label("bad-1", { "pod-group.scheduling.sigs.k8s.io/min-available": "1" });
    await world.untilBound(["bad-0"]);
  },
);
