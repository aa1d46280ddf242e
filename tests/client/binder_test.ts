import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { Binder } from "../../shared/client/binder.ts";
import { KubeApi } from "../../shared/client/kube_api.ts";
import { connection } from "../property/histories/model_api.ts";

const pod = { namespace: "default", name: "a", uid: "uid-a", node: "n1" };

/** A binder to an API server that answers bindings so, one after another, and shows the pod on that node. */
function binderTo(answers: (number | Promise<number>)[], nodeName?: string) {
  const calls: string[] = [];
  const api = new KubeApi(connection, async (_, { method, body }) => {
    if (method === "GET") {
      calls.push("read");
      return Response.json({ metadata: pod, spec: { nodeName } });
    }
    calls.push(JSON.parse(String(body)).target.name);
    const status = await answers.shift()!;
    return Response.json({ message: `no: ${status}` }, { status });
  });
  return { calls, binder: new Binder(api) };
}

Deno.test("Binder: a pod that is bound there already is bound, and one that is bound elsewhere is not", async () => {
  const there = binderTo([409], "n1");
  await there.binder.bind(pod);
  assertEquals(there.calls, ["n1", "read"]);
  const elsewhere = binderTo([409], "n2");
  await assertRejects(() => elsewhere.binder.bind(pod), Error, "no: 409");
});

Deno.test("Binder tries again what may pass by itself, and nothing else", async () => {
  const busy = binderTo([500, 201]);
  await busy.binder.bind(pod);
  assertEquals(busy.calls, ["n1", "n1"]);
  const gone = binderTo([404]);
  await assertRejects(() => gone.binder.bind(pod), Error, "no: 404");
  assertEquals(gone.calls, ["n1"]);
});

Deno.test("Binder writes one binding of a pod at a time, and none where the one before went there", async () => {
  const first = Promise.withResolvers<number>();
  const { calls, binder } = binderTo([first.promise, 201]);
  const all = [binder.bind(pod), binder.bind(pod), binder.bind({ ...pod, node: "n2" })];
  first.resolve(201);
  await Promise.all(all);
  await binder.settled();
  assertEquals(calls, ["n1", "n2"]);
});

Deno.test("Binder begins no binding so late that another scheduler may lead, the later the more are being written", async () => {
  using time = new FakeTime();
  const first = Promise.withResolvers<number>();
  const { calls, binder } = binderTo(Array(64).fill(first.promise));
  const all = Array.from({ length: 1000 }, (_, index) => (
    binder.bind({ ...pod, uid: `uid-${index}`, node: `n${index}` })
  ));
  const bound = Promise.allSettled(all);
  await time.tickAsync(0);
  // The process stands still.
  await time.tickAsync(16_000);
  first.resolve(201);
  const isBound = (await bound).map(({ status }) => status === "fulfilled");
  assertEquals([isBound[63], isBound[64], isBound.indexOf(true, 64)], [true, false, 300]);
  assertEquals(calls.length, 64 + 700);
  await assertRejects(() => all[64]!, Error, "could not be written in time");
});
