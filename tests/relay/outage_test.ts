import { assert, assertEquals, assertGreater, assertLess } from "@std/assert";
import { sleep } from "../../tools/sleep.ts";
import { membersOf, whyPending } from "../support/gang_pods.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

const nodes = { "node-1": 4 };
const names = membersOf("gang", 2);

/** What `fetch` throws where nobody listens. */
function refused(): Promise<never> {
  return Promise.reject(new TypeError("error sending request for url (http://functions/)"));
}

relayTest(
  "while the functions are unreachable gangs wait and say so, and regular pods do not notice",
  { nodes },
  async (world) => {
    world.policy.intercept = refused;
    await world.createGang("gang", { size: 2, gpus: 1 });
    await world.until(
      "both members name the outage",
      (pods) =>
        pods.every((pod) =>
          whyPending(pod)?.includes(
            "Muster: gang default/gang waits: the policy functions at http://in-process do not answer",
          )
        ),
    );
    const ready = await fetch(`${world.relay.url}/readyz`);
    assertEquals(ready.status, 503);
    assert((await ready.text()).includes("the policy functions at http://in-process"));
    await world.create("regular", { gpus: 1 });
    await world.untilBound(["regular"]);
    assertEquals(world.bound(), ["regular"]);

    world.policy.intercept = undefined;
    await world.untilBound(names);
    const again = await fetch(`${world.relay.url}/readyz`);
    assertEquals([again.status, await again.text()], [200, "ok"]);
  },
);

relayTest(
  "members that are held when the functions become unreachable are bound after the outage",
  { nodes },
  async (world) => {
    await world.createHeldGang("gang", { size: 2, gpus: 1 });
    world.policy.intercept = refused;
    await world.replaceLast("gang", { size: 2, gpus: 1 });
    await world.until(
      "an outage was noticed",
      () => world.log.some((line) => line.includes("did not answer")),
    );
    assertEquals(world.bound(), []);
    world.policy.intercept = undefined;
    await world.untilBound(names);
  },
);

relayTest(
  "in an outage one gang at a time asks for all, which is said once; then all of them are asked about",
  { nodes },
  async (world) => {
    const size = 30;
    world.policy.intercept = refused;
    for (let gang = 0; gang < size; gang++) {
      await world.createGang(`gang-${gang}`, { size: 2, gpus: 4 });
    }
    await world.until(
      "all members name the outage",
      (pods) => pods.every((pod) => whyPending(pod)?.includes("do not answer") === true),
    );
    const { made } = world.policy;
    const [before, logged] = [made.length, world.log.length];
    // One that asks tries thrice.
    await world.until("three have asked", () => made.length >= before + 9);
    assertLess(new Set(made.slice(before).map(({ requestId }) => requestId)).size, 6);
    assertLess(world.log.length - logged, 3);
    world.policy.intercept = undefined;
    await world.until(
      "all are asked about",
      (pods) => pods.every((pod) => whyPending(pod)?.includes("do not answer") !== true),
    );
    assertEquals(world.log.filter((line) => line.includes("answer again")).length, 1);
    await world.delete(...world.sandbox.pods().map(({ metadata }) => metadata.name));
  },
);

relayTest(
  "an answer that is lost is asked for again, and is the same",
  { nodes },
  async (world) => {
    world.policy.intercept = async (call, answer) => {
      const response = await answer();
      if (call.answer?.verdict !== "allow" || call.stage !== "permit") return response;
      world.policy.intercept = undefined;
      return await refused();
    };
    await world.createGang("gang", { size: 2, gpus: 1 });
    await world.untilBound(names);
    const [lost, repeated] = world.policy.made.filter(({ stage, answer }) =>
      stage === "permit" && answer?.verdict === "allow"
    );
    assert(lost && repeated, "permit was asked twice");
    // The map of the nodes is for whoever looks, as it is then.
    const factsOf = ({ map: _, ...facts }: { map?: unknown }) => facts;
    assertEquals(factsOf(repeated.body), factsOf(lost.body));
    assertEquals(repeated.answer, lost.answer);
  },
);

relayTest("an answer that breaks off is asked for again", { nodes }, async (world) => {
  world.policy.intercept = async (call, answer) => {
    const response = await answer();
    if (call.stage !== "permit") return response;
    world.policy.intercept = undefined;
    await response.body?.cancel();
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new TypeError("error reading a body from connection")),
    });
    return new Response(broken, { status: 200 });
  };
  await world.createGang("gang", { size: 2, gpus: 1 });
  await world.untilBound(names);
  assertEquals(world.log.filter((line) => line.includes("did not answer")), []);
});

relayTest(
  "a 5xx of the functions is asked again at once, and a 4xx is not",
  { nodes },
  async (world) => {
    const answers = [503, 400];
    world.policy.intercept = async (call, answer) => {
      const status = call.stage === "prefilter" ? answers.shift() : undefined;
      return status ? new Response("no", { status }) : await answer();
    };
    await world.createGang("gang", { size: 2, gpus: 1 });
    await world.untilBound(names);
    const [first, second, third] = world.policy.made.map(({ body }) => body.relay?.epoch ?? 0);
    assertEquals(second, first);
    assertGreater(third, second);
    assertEquals(world.log[0], "The policy functions did not answer: HTTP 400: no");
  },
);

relayTest(
  "an overloaded store is asked again later, with the facts of then",
  { nodes },
  async (world) => {
    let isFirst = true;
    world.policy.intercept = async (call, answer) => {
      if (call.stage !== "permit" || !isFirst) return await answer();
      isFirst = false;
      return new Response("busy", { status: 503, headers: { "retry-after": "1" } });
    };
    await world.createGang("gang", { size: 2, gpus: 1 });
    await world.untilBound(names);
    const [first, second] = world.policy.made.filter(({ stage }) => stage === "permit");
    assertGreater(second!.body.relay!.epoch, first!.body.relay!.epoch);
    assert(world.log.includes("The policy functions did not answer: HTTP 503: busy"));
  },
);

const gang = { name: "gang", minAvailable: 3 };
const trio = membersOf("gang", 3);

async function createAllButOne(world: RelayWorld): Promise<void> {
  for (const name of trio.slice(0, -1)) await world.create(name, { gpus: 1, gang });
  await world.until(
    "the members say that one is missing",
    (pods) => pods.every((pod) => whyPending(pod)?.includes("of 3 members")),
  );
}

relayTest(
  "members that could not be woken are when the API server writes again",
  { nodes: { "node-1": 4 } },
  async (world) => {
    await world.create("regular", { gpus: 2 });
    await world.untilBound(["regular"]);
    await world.createGang("gang", { size: 2, gpus: 2 });
    const waits = (name: string) => whyPending(world.pod(name))?.includes("needs room") === true;
    await world.until("the members wait for room", () => names.every(waits));
    world.sandbox.server.intercept = ({ method }) =>
      method === "PATCH" ? new Response("no leader", { status: 503 }) : undefined;
    await world.delete("regular");
    const said = names.map((name) =>
      `Cannot write the annotation of pod default/${name}: HTTP 503`
    );
    while (!said.every((line) => world.log.includes(line))) await sleep(100);
    world.sandbox.server.intercept = undefined;
    await world.untilBound(names);
  },
);

/** Breaks every watch and refuses new ones; returns what ends that. */
function cutWatches(world: RelayWorld): () => void {
  const { server } = world.sandbox;
  server.intercept = (request) =>
    new URL(request.url).searchParams.has("watch")
      ? new Response("no watch now", { status: 503 })
      : undefined;
  server.dropWatches({ broken: true });
  return () => server.intercept = undefined;
}

for (const broken of [false, true]) {
  relayTest(
    `a watch that ${broken ? "breaks" : "ends"} is opened again`,
    { nodes },
    async (world) => {
      await createAllButOne(world);
      world.sandbox.server.dropWatches({ broken });
      await world.create("gang-2", { gpus: 1, gang });
      await world.untilBound(trio);
    },
  );
}

relayTest(
  "KO-DF-12 what a relay missed while no watch was possible is caught up with",
  { nodes },
  async (world) => {
    await createAllButOne(world);
    await world.create("regular", { gpus: 4 });
    await world.untilBound(["regular"]);
    const mend = cutWatches(world);
    await world.delete("regular", "gang-0");
    await world.create("gang-2", { gpus: 1, gang });
    mend();
    await world.until(
      "both members say that one is missing",
      () =>
        ["gang-1", "gang-2"].every((name) =>
          whyPending(world.pod(name))?.includes("of 3 members") === true
        ),
    );
    assertEquals(world.bound(), []);
    await world.create("gang-0", { gpus: 1, gang });
    await world.untilBound(trio);
  },
);

relayTest("a watch whose version is too old begins anew with a list", { nodes }, async (world) => {
  await createAllButOne(world);
  const mend = cutWatches(world);
  await world.delete("gang-0");
  await world.create("gang-0", { gpus: 1, gang });
  await world.create("gang-2", { gpus: 1, gang });
  world.sandbox.server.store.compact();
  mend();
  await world.untilBound(trio);
});

relayTest(
  "a member that comes while nobody knows what a loss means for its gang is told so, and tried when it is known",
  { nodes },
  async (world) => {
    await world.createGang("gang", { size: 2, gpus: 1 });
    await world.untilBound(names);
    await world.policy.settled();
    const answered = Promise.withResolvers<void>();
    world.policy.intercept = async (_call, answer) => {
      await answered.promise;
      return await answer();
    };
    try {
      await world.delete("gang-0");
      await world.create("gang-2", { gpus: 1, gang: { name: "gang", minAvailable: 2 } });
      await world.until(
        "it is told",
        () =>
          whyPending(world.pod("gang-2"))?.includes(
            "gang default/gang has lost members that it needs and is being looked at again",
          ) === true,
      );
    } finally {
      answered.resolve();
      world.policy.intercept = undefined;
    }
    await world.untilBound(["gang-1", "gang-2"]);
  },
);
