import { assertEquals, assertInstanceOf } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import type { Fetch } from "../../relay/fetch.ts";
import { KubeApi, KubeError } from "../../relay/kube_api.ts";
import { KubeWatch } from "../../relay/kube_watch.ts";
import { Watcher } from "../../relay/watcher.ts";
import { kubeConfig } from "../property/histories/model_api.ts";

interface Pod {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
}

function pod(name: string, resourceVersion: string): Pod {
  return { metadata: { namespace: "default", name, uid: name, resourceVersion } };
}

function line(name: string, resourceVersion = "1"): string {
  return `${JSON.stringify({ type: "ADDED", object: pod(name, resourceVersion) })}\n`;
}

/** An API server that says what it is told to. */
class Script {
  /** Of every watch, in order. */
  readonly urls: string[] = [];
  readonly signals: AbortSignal[] = [];
  /** Watches are answered with it; undefined: they go on. */
  answer: Response | Promise<Response> | undefined;
  #body!: ReadableByteStreamController;

  readonly fetch: Fetch = (url, { signal }) => {
    if (!url.includes("watch=true")) {
      return Promise.resolve(
        Response.json({ metadata: { resourceVersion: "5" }, items: [pod("a", "4")] }),
      );
    }
    this.urls.push(url);
    this.signals.push(signal!);
    const body = new ReadableStream({
      type: "bytes",
      start: (controller) => {
        this.#body = controller;
      },
    });
    const aborted = Promise.withResolvers<Response>();
    // The body goes on, as where Deno has forgotten the signal.
    signal!.addEventListener("abort", () => aborted.reject(signal!.reason));
    return Promise.race([aborted.promise, this.answer ?? new Response(body)]);
  };

  say(text: string | Uint8Array<ArrayBuffer>): void {
    this.#body.enqueue(typeof text === "string" ? new TextEncoder().encode(text) : text);
  }

  close(): void {
    this.#body.close();
    this.#body.byobRequest?.respond(0);
  }

  break(): void {
    this.#body.error(new TypeError("connection reset"));
  }
}

interface World {
  readonly script: Script;
  readonly time: FakeTime;
  /** Names of the pods that it told of. */
  readonly told: string[];
  readonly ends: (Error | null)[];
  readonly controller: AbortController;
}

/** Opens a watch under a clock of its own. */
function watchTest(
  name: string,
  body: (world: World) => Promise<void>,
  answer?: () => Script["answer"],
): void {
  Deno.test(`a watch ${name}`, async () => {
    using time = new FakeTime();
    const script = new Script();
    script.answer = answer?.();
    const told: string[] = [];
    const ends: (Error | null)[] = [];
    const controller = await new KubeWatch(new KubeApi(kubeConfig, script.fetch)).watch(
      "/api/v1/pods",
      { resourceVersion: "5" },
      (_type, object) => told.push((object as Pod).metadata.name),
      (error) => ends.push(error),
    );
    await time.tickAsync();
    await body({ script, time, told, ends, controller });
    controller.abort();
    await time.tickAsync();
  });
}

watchTest(
  "tells lines however they are cut, and drops half a one at its end",
  async ({ script, time, told, ends }) => {
    const bytes = new TextEncoder().encode(line("a") + line("ü") + line("c") + line("lost"));
    for (let at = 0; at < bytes.length - 1; at++) script.say(bytes.slice(at, at + 1));
    await time.tickAsync();
    assertEquals(told, ["a", "ü", "c"]);
    script.close();
    await time.tickAsync();
    assertEquals([told, ends], [["a", "ü", "c"], [null]]);
  },
);

watchTest("says once that it broke", async ({ script, time, ends }) => {
  script.break();
  await time.tickAsync();
  assertEquals(ends.map((error) => error?.message), ["connection reset"]);
});

watchTest("that shows what is no JSON ends with an error", async ({ script, time, ends }) => {
  script.say("{\n");
  await time.tickAsync();
  assertInstanceOf(ends[0], SyntaxError);
  assertEquals(script.signals[0]?.aborted, true);
});

for (const code of [401, 403, 410]) {
  watchTest(
    `that is refused with ${code} ends with that code`,
    ({ ends }) => {
      assertInstanceOf(ends[0], KubeError);
      assertEquals([ends.length, ends[0].code, ends[0].message], [1, code, "no"]);
      return Promise.resolve();
    },
    () => Response.json({ message: "no" }, { status: code }),
  );
}

watchTest("that is silent is ended, and no other", async ({ script, time, told, ends }) => {
  for (const name of ["a", "b", "c"]) {
    await time.tickAsync(19_000);
    script.say(line(name));
    await time.tickAsync();
  }
  assertEquals([told, ends], [["a", "b", "c"], []]);
  await time.tickAsync(30_000);
  assertEquals(ends.map((error) => error?.name), ["TimeoutError"]);
  assertEquals(script.signals[0]?.aborted, true);
});

watchTest(
  "that is not answered is ended",
  async ({ time, ends }) => {
    await time.tickAsync(30_000);
    assertEquals(ends.map((error) => error?.name), ["TimeoutError"]);
  },
  () => new Promise(() => {}),
);

watchTest("ends its call when it is ended", async ({ script, time, told, controller }) => {
  controller.abort();
  await time.tickAsync();
  assertEquals([told, script.signals[0]?.aborted], [[], true]);
});

Deno.test("a watcher whose watch fell silent goes on from where it was", async () => {
  using time = new FakeTime();
  const script = new Script();
  const api = new KubeApi(kubeConfig, script.fetch);
  const changed: string[] = [];
  const failures: Error[] = [];
  const watcher = new Watcher<Pod>("/api/v1/pods", { api, watchApi: api }, {
    changed: ({ metadata }) => changed.push(metadata.name),
    deleted: () => {},
    failed: (error) => failures.push(error),
    relisted: () => {},
  });
  await watcher.start();
  await time.tickAsync();
  script.say(line("b", "6"));
  await time.tickAsync(60_000);
  const versions = script.urls.map((url) => new URL(url, "http://api").searchParams)
    .map((query) => query.get("resourceVersion"));
  assertEquals(versions.slice(0, 2), ["5", "6"]);
  assertEquals(script.signals[0]?.aborted, true);
  script.say(line("c", "7"));
  await time.tickAsync();
  assertEquals([changed, failures], [["a", "b", "c"], []]);
  watcher.stop();
  await time.tickAsync();
  assertEquals(script.signals.every(({ aborted }) => aborted), true);
});
