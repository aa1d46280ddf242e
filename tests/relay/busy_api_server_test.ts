import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { patiently, persistently } from "../../shared/client/patiently.ts";
import { KubeApi, KubeError } from "../../shared/client/kube_api.ts";
import { annotation } from "../../shared/kubernetes/writes.ts";
import { Watcher } from "../../shared/client/watcher.ts";

const server = "https://127.0.0.1";

/** Answers given one after another, and when each was asked for, in ms from the first. */
function answering(...answers: Response[]) {
  const credentials = () => Promise.resolve({});
  const start = Date.now();
  const asked: number[] = [];
  const api = new KubeApi({ server, credentials }, () => {
    asked.push(Date.now() - start);
    return Promise.resolve(answers.shift() ?? Response.json({ metadata: {}, items: [] }));
  });
  return { api, asked };
}

/** As API Priority and Fairness refuses, or an API server that is shutting down. */
function busy(status: number, retryAfter: string): Response {
  return Response.json({ message: "Too many requests, please try again later." }, {
    status,
    headers: { "retry-after": retryAfter },
  });
}

/** When the second call came, as it should: after so long, or up to a fourth longer, and the pause of any retry. */
function isAfter(ms: number, seconds: number): boolean {
  return ms >= seconds * 1000 && ms < seconds * 1250 + 600;
}

const rows: [status: number, says: string, seconds: number][] = [
  [429, "1", 1],
  [503, "3", 3],
  [429, "3600", 10],
  [429, "soon", 0],
];

for (const [status, says, seconds] of rows) {
  Deno.test(`busy API server: a write that is a ${status} with retry-after "${says}" is tried again after ${seconds} s`, async () => {
    using time = new FakeTime();
    const { api, asked } = answering(busy(status, says));
    const written = patiently(() =>
      api.write(annotation({ namespace: "a", name: "b", uid: "u" }, {}))
    );
    await time.tickAsync(15_000);
    await written;
    assertEquals([asked.length, isAfter(asked[1]!, seconds)], [2, true], `${asked}`);
  });
}

Deno.test("busy API server: a write that is refused for good is not tried again", async () => {
  const { api, asked } = answering(busy(403, "1"));
  await assertRejects(() =>
    patiently(() => api.write(annotation({ namespace: "a", name: "b", uid: "u" }, {})))
  );
  assertEquals(asked.length, 1);
});

Deno.test("busy API server: what nobody else makes good is tried until it is written, ever more seldom, and said once", async () => {
  using time = new FakeTime();
  let tries = 0;
  const said: string[] = [];
  const written = persistently(
    () => ++tries < 10 ? Promise.reject(new KubeError(503, { message: "no" })) : Promise.resolve(),
    (error) => said.push(error.message),
  );
  await time.tickAsync(15_000);
  assertEquals(tries, 5);
  await time.tickAsync(50_000);
  await written;
  assertEquals([tries, said], [10, ["no"]]);
  const gone = new KubeError(404, { message: "gone" });
  await assertRejects(() => persistently(() => Promise.reject(gone), () => {}), KubeError, "gone");
});

Deno.test("busy API server: a watcher lists again when the API server says so", async () => {
  using time = new FakeTime();
  const { api, asked } = answering(busy(429, "4"));
  const failed: Error[] = [];
  const watcher = new Watcher("/api/v1/pods", { api, watchApi: api }, {
    changed: () => {},
    deleted: () => {},
    failed: (error) => failed.push(error),
    relisted: () => {},
  });
  const started = watcher.start();
  await time.tickAsync(3999);
  assertEquals(asked.length, 1);
  await time.tickAsync(1100);
  await started;
  assertEquals(isAfter(asked[1]!, 4), true, `${asked}`);
  assertEquals(failed[0] instanceof KubeError, true);
  watcher.stop();
});
