import { assert, assertEquals, assertMatch } from "@std/assert";
import { type IncomingMessage, request } from "node:http";
import { Buffer } from "node:buffer";
import { extenderApp, type ExtenderParts } from "../../relay/scheduler/extender.ts";
import { podOf } from "../support/gang_pods.ts";
import { relayTest } from "../support/relay_world.ts";

const nodes = { "node-1": 4 };
const uid = "00000000-0000-4000-8000-000000000000";
const binding = { PodName: "nobody", PodNamespace: "default", PodUID: uid, Node: "node-1" };

const pod = { metadata: { name: "some", namespace: "default", uid }, spec: {} };

/** The pod of a call, with other metadata. */
function withMetadata(metadata: Record<string, unknown>) {
  return { Pod: { ...pod, metadata: { ...pod.metadata, ...metadata } }, NodeNames: ["node-1"] };
}

/** Calls that no scheduler makes, and what is said of them. */
const garbage: [path: string, body: unknown, status: number, error: RegExp][] = [
  ["/extender/prioritize", {}, 404, /nothing answers POST "\/extender\/prioritize"/],
  ["/", {}, 404, /nothing answers POST "\/"/],
  ["/extender/filter", '{"Pod": {"meta', 400, /cannot take the call: .*JSON/],
  ["/extender/filter", "", 400, /cannot take the call/],
  ["/extender/bind", "not JSON", 400, /cannot take the call: .*JSON/],
  ...["filter", "preempt", "bind"].flatMap((verb) =>
    [null, [], 1, true, '"text"', "[".repeat(100_000) + "]".repeat(100_000)].map((
      body,
    ): [string, unknown, number, RegExp] => [
      `/extender/${verb}`,
      body,
      400,
      /the body must be an object/,
    ])
  ),
  ["/extender/filter", {}, 400, /"Pod" must be an object/],
  ["/extender/filter", { Pod: [] }, 400, /"Pod" must be an object/],
  ["/extender/filter", { Pod: {}, NodeNames: [] }, 400, /"Pod.metadata" must be an object/],
  ["/extender/filter", { Pod: { metadata: pod.metadata } }, 400, /"Pod.spec" must be an object/],
  ["/extender/filter", withMetadata({ name: 5 }), 400, /"Pod.metadata.name" must be a name/],
  ["/extender/filter", withMetadata({ namespace: "../.." }), 400, /"Pod.metadata.namespace" must/],
  ["/extender/filter", withMetadata({ uid: {} }), 400, /"Pod.metadata.uid" must be a UID/],
  ["/extender/filter", withMetadata({ labels: "a" }), 400, /"Pod.metadata.labels" must be an obj/],
  [
    "/extender/filter",
    withMetadata({ labels: { "pod-group/name": { toString: 1 } } }),
    400,
    /"Pod.metadata.labels" must hold texts/,
  ],
  ["/extender/preempt", withMetadata({ annotations: [1] }), 400, /annotations" must be an object/],
  [
    "/extender/filter",
    { Pod: { ...pod, spec: { schedulingGroup: { podGroupName: ["a"] } } } },
    400,
    /podGroupName" must be a text/,
  ],
  ["/extender/filter", { Pod: pod, NodeNames: "node-1" }, 400, /"NodeNames" must be a list/],
  ["/extender/filter", { Pod: pod, NodeNames: ["node-1", null] }, 400, /"NodeNames" must be a lis/],
  ["/extender/filter", { Pod: pod, NodeNames: Array(100_001).fill("") }, 400, /at most 100000/],
  ...[
    [],
    { "node-1": null },
    { "node-1": { Pods: {} } },
    { "node-1": { Pods: [null] } },
    { "node-1": { Pods: [{ UID: 5 }] } },
    { "node-1": { Pods: [], NumPDBViolations: "0" } },
  ].map((victims): [string, unknown, number, RegExp] => [
    "/extender/preempt",
    { Pod: pod, NodeNameToMetaVictims: victims },
    400,
    /NodeNameToMetaVictims" (of each node )?must|"NumPDBViolations" must/,
  ]),
  ["/extender/bind", { PodName: "nobody" }, 400, /"PodNamespace" must be a name/],
  ["/extender/bind", { ...binding, PodNamespace: "../../.." }, 400, /"PodNamespace" must be a/],
  ["/extender/bind", { ...binding, PodNamespace: "a.b" }, 400, /"PodNamespace" must be a name/],
  ["/extender/bind", { ...binding, PodName: "a/../b" }, 400, /"PodName" must be a name/],
  ["/extender/bind", { ...binding, PodName: "x".repeat(254) }, 400, /"PodName" must be a name/],
  ["/extender/bind", { ...binding, Node: "Node 1" }, 400, /"Node" must be a name/],
  ["/extender/bind", { ...binding, PodUID: "" }, 400, /"PodUID" must be a UID/],
];

relayTest(
  "calls that no scheduler makes are refused with what is wrong, and ask the API server nothing",
  { nodes },
  async (world) => {
    const before = world.sandbox.server.audit.length;
    for (const [path, body, status, error] of garbage) {
      const call = await world.call(path, body);
      const answer = JSON.stringify(call.answer);
      const what = `${path} ${JSON.stringify(body).slice(0, 200)}: ${answer}`;
      assertEquals(call.status, status, what);
      const text = (call.answer as { Error: string }).Error;
      assert(text.startsWith("Muster: ") && text.length < 200, what);
      assertMatch(text, error, what);
    }
    // The relay writes the gate's parameter by itself, once it knows the cluster.
    const asked = world.sandbox.server.audit.slice(before)
      .filter(({ verb, path }) => verb !== "watch" && !path.includes("/configmaps/"));
    assertEquals(asked, []);
    assertEquals(await world.call("/extender/bind", binding), {
      status: 200,
      answer: { Error: "Muster: pod default/nobody is gone" },
    });
    await world.create("regular", { gpus: 1 });
    await world.untilBound(["regular"]);
  },
);

Deno.test("only a call that could be the scheduler's shows that it leads", async () => {
  let calls = 0;
  const app = extenderApp({ called: () => calls++ } as unknown as ExtenderParts);
  const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    app.request(`http://127.0.0.1:8080${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  for (const [path, body] of garbage) await send(path, body);
  await send("/extender/filter", { Pod: pod }, { origin: "http://127.0.0.1:8080" });
  assertEquals(calls, 0);
  // Without NodeNames it asks nothing of the world that is not there.
  assertEquals((await send("/extender/filter", { Pod: pod })).status, 200);
  assertEquals(calls, 1);
});

/** Sends what `fetch` would not: another Host. */
async function post(
  url: string,
  { headers, body }: { headers: Record<string, string>; body: unknown },
): Promise<{ status: number | undefined; answer: string }> {
  const answered = Promise.withResolvers<IncomingMessage>();
  request(url, { method: "POST", headers, agent: false }, answered.resolve)
    .on("error", answered.reject).end(JSON.stringify(body));
  const response = await answered.promise;
  const answer = Buffer.concat(await Array.fromAsync(response)).toString();
  return { status: response.statusCode, answer };
}

relayTest(
  "nobody but a scheduler on this machine has a pod bound, least of all a web page",
  { nodes, scheduler: false },
  async (world) => {
    const { metadata } = await world.create("regular");
    const body = { ...binding, PodName: "regular", PodUID: metadata.uid };
    const json = { "content-type": "application/json" };
    const { port, url } = world.relay;
    const cases: [headers: Record<string, string>, status: number][] = [
      [{ ...json, host: "rebound.example" }, 403],
      [{ ...json, host: `rebound.example:${port}` }, 403],
      [{ ...json, host: "10.0.0.1" }, 403],
      [{ ...json, host: "a b" }, 403],
      [{ ...json, origin: "https://evil.example" }, 403],
      [{ ...json, origin: "null" }, 403],
      [{ ...json, origin: url }, 403],
      [{ ...json, "sec-fetch-site": "none" }, 403],
      [{ ...json, "sec-fetch-mode": "no-cors" }, 403],
      [{ "content-type": "text/plain" }, 415],
      [{ "content-type": "text/plain; application/json" }, 415],
      [{ "content-type": "application/jsonp" }, 415],
      [{}, 415],
    ];
    for (const [headers, status] of cases) {
      const call = await post(`${url}/extender/bind`, { headers, body });
      assertEquals(call.status, status, JSON.stringify([headers, call.answer]));
      assertMatch(call.answer, /^{"Error":"Muster: cannot take the call: it/);
    }
    assertEquals(world.bound(), []);
    for (const host of ["127.0.0.1", `127.0.0.1:${port}`, "localhost:1", "[::1]:8080"]) {
      const headers = { "content-type": "application/json; charset=utf-8", host };
      assertEquals(await post(`${url}/extender/bind`, { headers, body }), {
        status: 200,
        answer: "{}",
      });
    }
    assertEquals(world.bound(), ["regular"]);
  },
);

Deno.test("what operators look at is open to every Host", async () => {
  const metrics = { registry: { metrics: () => Promise.resolve("ok"), contentType: "text/plain" } };
  const app = extenderApp(
    { metrics, reconciler: { attendant: {} } } as unknown as ExtenderParts,
  );
  for (const path of ["/healthz", "/readyz", "/metrics"]) {
    assertEquals((await app.request(`http://10.0.0.7:8081${path}`)).status, 200, path);
  }
});

relayTest(
  "a pod is bound only if it is there, asks for a scheduler of Muster's, and is bound nowhere else",
  { nodes: { "node-1": 4, "node-2": 4 }, scheduler: false },
  async (world) => {
    const spec = { schedulerName: "volcano" };
    const gang = { name: "gang", minAvailable: 1 };
    await world.create("others", { spec });
    await world.create("others-member", { spec, gang });
    await world.create("regular");
    await world.create("member", { gang });
    const call = async (name: string, change: Record<string, string> = {}) => {
      const { uid } = world.pod(name).metadata;
      const args = { ...binding, PodName: name, PodUID: uid, ...change };
      const { status, answer } = await world.call("/extender/bind", args);
      assertEquals(status, 200);
      return (answer as { Error?: string }).Error;
    };
    for (const name of ["others", "others-member"]) {
      assertEquals(
        await call(name),
        `Muster: pod default/${name} asks for scheduler "volcano", but Muster serves ` +
          '"default-scheduler", "muster", "idle": set its spec.schedulerName',
      );
    }
    for (const name of ["regular", "member"]) {
      const gone = `Muster: pod default/${name} is gone`;
      assertEquals(await call(name, { PodUID: uid }), gone);
      // The UID of one pod under the name of another.
      assertEquals(await call("others", { PodName: name }), gone);
      assertEquals(
        await call(name, { PodNamespace: "kube-system" }),
        gone.replace(
          "default",
          "kube-system",
        ),
      );
    }
    assertEquals(world.bound(), []);
    for (const name of ["regular", "member"]) {
      assertEquals(await call(name), undefined);
      assertEquals(
        await call(name, { Node: "node-2" }),
        `Muster: pod default/${name} is bound to node "node-1" already`,
      );
    }
    assertEquals(world.bound().sort(), ["member", "regular"]);
  },
);

Deno.test("a body over the limit is a 413, with and without a length", async () => {
  const app = extenderApp({ called() {} } as unknown as ExtenderParts);
  const large = new TextEncoder().encode(JSON.stringify({ Pod: "x".repeat(8 * 1024 * 1024) }));
  const cases: [body: Uint8Array<ArrayBuffer>, headers: Record<string, string>, status: number][] =
    [
      [large, { "content-length": String(large.length) }, 413],
      [large, {}, 413],
      [large.slice(0, 100), {}, 400],
    ];
  for (const [body, length, status] of cases) {
    const headers = { "content-type": "application/json", ...length };
    const response = await app.request("/extender/filter", { method: "POST", headers, body });
    const { Error: error } = await response.json();
    assertEquals(response.status, status, error);
    assertMatch(error, /^Muster: cannot take the call: (The body is larger than|.*JSON)/);
  }
});

relayTest(
  "a filter call without NodeNames is refused with the setting that is missing",
  { nodes },
  async (world) => {
    const { answer } = await world.call("/extender/filter", { Pod: pod, Nodes: { items: [] } });
    assertMatch((answer as { Error: string }).Error, /^Muster: .*nodeCacheCapable/);
  },
);

relayTest(
  "a filter call for a member that the relay has not seen is refused for now",
  { nodes, scheduler: false },
  async (world) => {
    const manifest = podOf("unseen", { gang: { name: "gang", minAvailable: 1 } });
    const pod = { ...manifest, metadata: { ...manifest.metadata, namespace: "default", uid } };
    const { status, answer } = await world.call("/extender/filter", {
      Pod: pod,
      NodeNames: ["node-1", "node-2"],
    });
    assertEquals(status, 200);
    const sentence = "Muster: gang default/gang has just been seen and is being looked at";
    assertEquals(answer, {
      NodeNames: [],
      FailedAndUnresolvableNodes: { "node-1": sentence, "node-2": sentence },
    });
  },
);

relayTest("health, readiness and metrics are there for operators", { nodes }, async (world) => {
  await world.createHeldGang("held", { size: 3, gpus: 1 });
  const read = async (path: string) => {
    const response = await fetch(`${world.relay.url}${path}`);
    return { response, text: await response.text() };
  };
  for (const path of ["/healthz", "/readyz"]) {
    const { response, text } = await read(path);
    assertEquals([response.status, text], [200, "ok"], path);
  }
  const { response, text } = await read("/metrics");
  assertMatch(response.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
  // The text exposition format: comments, or a name, labels and a value.
  const label = /[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"/.source;
  const line = new RegExp(
    `^(?:# (?:HELP|TYPE) [a-zA-Z_:][\\w:]* .+|[a-zA-Z_:][\\w:]*(?:\\{${label}(?:,${label})*\\})? ` +
      `(?:[+-]?(?:\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?|Inf)|NaN))$`,
  );
  const lines = text.split("\n").filter((line) => line !== "");
  for (const one of lines) assertMatch(one, line);
  assert(lines.includes("muster_relay_held_calls 2"), text);
  assert(lines.some((one) => one.startsWith('muster_relay_extender_calls_total{verb="filter"')));
});
