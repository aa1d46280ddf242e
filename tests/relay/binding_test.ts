import { assertEquals, assertStringIncludes } from "@std/assert";
import { callApi, STRATEGIC_MERGE } from "../../tools/sandbox/api_client.ts";
import { membersOf, whyPending } from "../support/gang_pods.ts";
import { podOf } from "../support/objects.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

const nodes = { "node-1": 4 };
const names = membersOf("gang", 2);

/** Injects a fault into the first bindings of pod `gang-1`; `bind` has the API server bind it. */
function spoilBindings(
  world: RelayWorld,
  times: number,
  spoil: (bind: () => Promise<Response>) => Response | Promise<Response>,
): { attempts: () => number } {
  let attempts = 0;
  world.sandbox.server.intercept = async (request) => {
    const isSpoiled = request.url.endsWith("/gang-1/binding") && !request.headers.has("x-test");
    if (!isSpoiled || ++attempts > times) return undefined;
    const headers = new Headers(request.headers);
    headers.set("x-test", "inner");
    const body = await request.text();
    return await spoil(() => fetch(request.url, { method: "POST", headers, body }));
  };
  return { attempts: () => attempts };
}

function failure(code: number, message: string): Response {
  return Response.json({ kind: "Status", status: "Failure", code, message }, { status: code });
}

/** Creates a gang, and resolves while the first of its bindings is being written: with what lets that go on. */
async function whileWriting(world: RelayWorld): Promise<PromiseWithResolvers<void>> {
  const writing = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  spoilBindings(world, 1, async (bind) => {
    writing.resolve();
    await written.promise;
    return await bind();
  });
  await world.createGang("gang", { size: 2, gpus: 1 });
  await writing.promise;
  return written;
}

for (const kind of ["regular", "gang"]) {
  const gang = kind === "gang" ? { name: "gang", minAvailable: 2 } : undefined;

  relayTest(
    `BUG-12 a binding of a ${kind} pod whose reply is lost is counted once`,
    { nodes },
    async (world) => {
      spoilBindings(world, 1, async (bind) => {
        const done = await bind();
        assertEquals(done.status, 201);
        await done.body?.cancel();
        return failure(504, "the server was unable to return a response in the time allotted");
      });
      for (const name of names) await world.create(name, { gpus: 1, ...(gang && { gang }) });
      await world.untilBound(names);
      await world.untilBinding(0);
      assertEquals(world.invariant.bindings(), { "default/gang-0": 1, "default/gang-1": 1 });
      assertEquals(world.relay.refusedBindings, []);
    },
  );

  relayTest(
    `a binding of a ${kind} pod whose connection breaks after it is counted once`,
    { nodes },
    async (world) => {
      spoilBindings(world, 1, async (bind) => {
        const done = await bind();
        await done.body?.cancel();
        const broken = new ReadableStream({
          pull: (controller) => controller.error(new Error("the connection broke")),
        });
        return new Response(broken, { status: 201 });
      });
      for (const name of names) await world.create(name, { gpus: 1, ...(gang && { gang }) });
      await world.untilBound(names);
      await world.untilBinding(0);
      assertEquals(world.invariant.bindings(), { "default/gang-0": 1, "default/gang-1": 1 });
      assertEquals(world.relay.refusedBindings, []);
    },
  );
}

/** What may end a pod that is bound. */
const ends: [what: string, end: (world: RelayWorld) => Promise<unknown>][] = [
  ["is deleted", (world) => world.delete("gang-1")],
  [
    "succeeds",
    (world) =>
      callApi(`${world.sandbox.url}/api/v1/namespaces/default/pods/gang-1/status`, {
        method: "PATCH",
        contentType: STRATEGIC_MERGE,
        body: { status: { phase: "Succeeded" } },
      }),
  ],
];

for (const [what, end] of ends) {
  relayTest(
    `a pod that ${what} before its binding is answered takes no room afterwards`,
    { nodes },
    async (world) => {
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      spoilBindings(world, 1, async (bind) => {
        const done = await bind();
        await end(world);
        // Its gang is bound after the relay has seen it, and so after it has seen the end.
        await world.untilBound(await world.createGang("marker", { size: 1 }));
        resolve();
        return done;
      });
      await world.createGang("gang", { size: 2, minAvailable: 1, gpus: 1 });
      await world.untilBound(["gang-0"]);
      await ended;
      await world.untilBinding(0);
      await world.untilBound(await world.createGang("next", { size: 3, gpus: 1 }));
    },
  );
}

relayTest(
  "calls that come while a pod's binding is written, and after it, write no other",
  { nodes, scheduler: false },
  async (world) => {
    const { metadata } = await world.create("gang-1", { gpus: 1 });
    await world.create("marker", { gang: { name: "marker", minAvailable: 1 } });
    await world.until("the relay has seen both", () => world.policy.count("prefilter") > 0);
    const begun = Promise.withResolvers<void>();
    const called = Promise.withResolvers<void>();
    const spoiled = spoilBindings(world, 9, async (bind) => {
      begun.resolve();
      await called.promise;
      return await bind();
    });
    const call = () =>
      world.call("/extender/bind", {
        PodName: "gang-1",
        PodNamespace: "default",
        PodUID: metadata.uid,
        Node: "node-1",
      });
    const first = call();
    await begun.promise;
    const second = call();
    called.resolve();
    const calls = [await first, await second, await call()];
    assertEquals(calls.map(({ answer }) => answer), [{}, {}, {}]);
    assertEquals(spoiled.attempts(), 1);
  },
);

relayTest("a binding that fails for a moment is tried again", { nodes }, async (world) => {
  const spoiled = spoilBindings(world, 2, () => failure(500, "etcdserver: leader changed"));
  await world.createGang("gang", { size: 2, gpus: 1 });
  await world.untilBound(names);
  assertEquals(spoiled.attempts(), 3);
});

relayTest(
  "BUG-13 a binding that is refused for good is reported, and the pod is tried again",
  { nodes },
  async (world) => {
    const spoiled = spoilBindings(world, 1, () => failure(403, "no binding today"));
    await world.createGang("gang", { size: 2, gpus: 1 });
    await world.until(
      "the pod says that its binding failed",
      (pods) => pods.some((pod) => whyPending(pod)?.includes("no binding today")),
    );
    await world.untilBound(names);
    assertEquals(spoiled.attempts(), 2);
    const lost = world.policy.made.filter(({ stage }) => stage === "unreserve");
    assertEquals(lost.length, 1);
    assertStringIncludes(JSON.stringify(lost[0]?.body), `"cause":"bind-failed"`);
  },
);

relayTest(
  "a call for a pod whose binding is being written for an earlier one is answered as that ends",
  { nodes },
  async (world) => {
    const written = await whileWriting(world);
    // A second decision would come too late.
    world.policy.intercept = async (_call, answer) => {
      await written.promise;
      return await answer();
    };
    const { namespace, name, uid } = world.pod("gang-1").metadata;
    const call = world.call("/extender/bind", {
      PodNamespace: namespace,
      PodName: name,
      PodUID: uid,
      Node: "node-1",
    });
    written.resolve();
    assertEquals((await call).answer, {});
    await world.untilBound(names);
  },
);

relayTest(
  "who wants the room of a member whose binding is being written hears of it as one that runs, once it is written",
  { nodes },
  async (world) => {
    const written = await whileWriting(world);
    const { uid } = world.pod("gang-1").metadata;
    const high = podOf({ name: "high", priority: 10 });
    const preempted = world.call("/extender/preempt", {
      Pod: high,
      NodeNameToMetaVictims: { "node-1": { Pods: [{ UID: uid }], NumPDBViolations: 0 } },
    });
    written.resolve();
    assertEquals((await preempted).answer, {
      NodeNameToMetaVictims: { "node-1": { Pods: [{ UID: uid }], NumPDBViolations: 0 } },
    });
    await world.untilBound(names);
  },
);
