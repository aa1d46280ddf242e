import { assert, assertEquals, assertMatch } from "@std/assert";
import { extenderApp, type ExtenderWorld } from "../../relay/extender.ts";
import { podOf } from "../support/gang_pods.ts";
import { relayTest } from "../support/relay_world.ts";

const nodes = { "node-1": 4 };
const uid = "00000000-0000-4000-8000-000000000000";
const binding = { PodName: "nobody", PodNamespace: "default", PodUID: uid, Node: "node-1" };

relayTest(
  "calls that no scheduler makes are refused with what is wrong",
  { nodes },
  async (world) => {
    const cases: [path: string, body: unknown, status: number, error: RegExp][] = [
      ["/extender/prioritize", {}, 404, /nothing answers POST "\/extender\/prioritize"/],
      ["/", {}, 404, /nothing answers POST "\/"/],
      ["/extender/filter", '{"Pod": {"meta', 400, /cannot read the call: .*JSON/],
      ["/extender/filter", "", 400, /cannot read the call/],
      ["/extender/bind", "not JSON", 400, /cannot read the call: .*JSON/],
      ["/extender/filter", {}, 400, /it has no "Pod"/],
      ["/extender/filter", "null", 400, /it has no "Pod"/],
      ["/extender/filter", { Pod: {}, NodeNames: [] }, 400, /it has no "metadata"/],
      ["/extender/preempt", [], 400, /it has no "Pod"/],
      ["/extender/bind", { PodName: "nobody" }, 400, /it has no "PodNamespace", "PodUID", "Node"/],
      ["/extender/bind", binding, 200, /^Muster: pod default\/nobody is gone$/],
    ];
    for (const [path, body, status, error] of cases) {
      const call = await world.call(path, body);
      const what = `${path} ${JSON.stringify(body)}: ${JSON.stringify(call.answer)}`;
      assertEquals(call.status, status, what);
      const text = (call.answer as { Error: string }).Error;
      assert(text.startsWith("Muster: "), what);
      assertMatch(text, error, what);
    }
    await world.create("regular", { gpus: 1 });
    await world.untilBound(["regular"]);
  },
);

Deno.test("a body over the limit is a 413, with and without a length", async () => {
  const app = extenderApp({ called() {} } as unknown as ExtenderWorld);
  const large = new TextEncoder().encode(JSON.stringify({ Pod: "x".repeat(32 * 1024 * 1024) }));
  const cases: [body: Uint8Array<ArrayBuffer>, headers: Record<string, string>, status: number][] =
    [
      [large, { "content-length": String(large.length) }, 413],
      [large, {}, 413],
      [large.slice(0, 100), {}, 400],
    ];
  for (const [body, headers, status] of cases) {
    const response = await app.request("/extender/filter", { method: "POST", headers, body });
    const { Error: error } = await response.json();
    assertEquals(response.status, status, error);
    assertMatch(error, /^Muster: cannot read the call: (its body is larger than|.*JSON)/);
  }
});

relayTest(
  "a filter call without NodeNames is refused with the setting that is missing",
  { nodes },
  async (world) => {
    const pod = { ...podOf("regular"), metadata: { name: "regular", namespace: "default", uid } };
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
