import { assertEquals, assertGreater, assertInstanceOf, assertLess } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import type { Fetch } from "../../shared/client/fetch.ts";
import { KubeApi, KubeError } from "../../shared/client/kube_api.ts";
import { openWatch } from "../../shared/client/kube_watch.ts";
import { Watcher, type WatchGap } from "../../shared/client/watcher.ts";
import { connection } from "../property/histories/model_api.ts";

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
  /** The status that every watch is refused with; undefined: none is. */
  refusesBy: number | undefined;
  #body!: ReadableByteStreamController;

  readonly fetch: Fetch = (url, { signal }) => {
    if (!url.includes("watch=true")) {
      return Promise.resolve(
        Response.json({ metadata: { resourceVersion: "5" }, items: [pod("a", "4")] }),
      );
    }
    this.urls.push(url);
    this.signals.push(signal!);
    const { refusesBy: status } = this;
    if (status) return Promise.resolve(Response.json({ message: `HTTP ${status}` }, { status }));
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
  /** How it ended: undefined is no error. */
  readonly ends: (Error | undefined)[];
  readonly end: () => void;
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
    const ends: (Error | undefined)[] = [];
    const watch = openWatch<Pod>(new KubeApi(connection, script.fetch), {
      path: "/api/v1/pods",
      resourceVersion: "5",
      heard: ({ object }) => told.push(object.metadata.name),
    });
    watch.ended.then(() => ends.push(undefined), (error) => ends.push(error));
    await time.tickAsync();
    await body({ script, time, told, ends, end: watch.end });
    watch.end();
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
    assertEquals([told, ends], [["a", "ü", "c"], [undefined]]);
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
  assertEquals(ends, [undefined]);
  assertEquals(script.signals[0]?.reason.name, "TimeoutError");
});

watchTest(
  "that is not answered ends with an error",
  async ({ time, ends }) => {
    await time.tickAsync(30_000);
    assertEquals(ends.map((error) => error?.name), ["TimeoutError"]);
  },
  () => new Promise(() => {}),
);

watchTest("ends its call when it is ended", async ({ script, time, told, end }) => {
  end();
  await time.tickAsync();
  assertEquals([told, script.signals[0]?.aborted], [[], true]);
});

/** A watcher of the script's pods, and what it says. */
interface WatcherWorld {
  readonly script: Script;
  readonly time: FakeTime;
  readonly changed: string[];
  readonly deleted: string[];
  readonly failures: string[];
  /** Those of them that are to be said. */
  readonly said: string[];
  readonly gaps: WatchGap[];
  readonly watcher: Watcher<Pod>;
}

/** Starts a watcher under a clock of its own. */
function watcherTest(name: string, body: (world: WatcherWorld) => Promise<void>): void {
  Deno.test(`a watcher ${name}`, async () => {
    using time = new FakeTime();
    const script = new Script();
    const api = new KubeApi(connection, script.fetch);
    const [changed, deleted, failures, said]: string[][] = [[], [], [], []];
    const gaps: WatchGap[] = [];
    const watcher = new Watcher<Pod>("/api/v1/pods", { api, watchApi: api }, {
      changed: ({ metadata }) => changed!.push(metadata.name),
      deleted: ({ metadata }) => deleted!.push(metadata.name),
      failed: ({ message }, isSaid) => {
        failures!.push(message);
        if (isSaid) said!.push(message);
      },
      relisted: (gap) => gaps.push(gap),
    });
    await watcher.start();
    await time.tickAsync();
    await body({
      script,
      time,
      changed: changed!,
      deleted: deleted!,
      failures: failures!,
      said: said!,
      gaps,
      watcher,
    });
    watcher.stop();
    await time.tickAsync();
    assertEquals(script.signals.every(({ aborted }) => aborted), true);
  });
}

function versionsOf({ urls }: Script): (string | null)[] {
  return urls.map((url) => new URL(url, "http://api").searchParams.get("resourceVersion"));
}

watcherTest(
  "whose watch fell silent goes on from where it was",
  async ({ script, time, changed, failures }) => {
    script.say(line("b", "6"));
    await time.tickAsync(60_000);
    assertEquals(versionsOf(script).slice(0, 2), ["5", "6"]);
    assertEquals(script.signals[0]?.aborted, true);
    script.say(line("c", "7"));
    await time.tickAsync();
    assertEquals([changed, failures], [["a", "b", "c"], []]);
  },
);

watcherTest(
  "goes on from a bookmark, which is no object",
  async ({ script, time, changed }) => {
    const object = { metadata: { resourceVersion: "9" } };
    script.say(`${JSON.stringify({ type: "BOOKMARK", object })}\n`);
    await time.tickAsync();
    script.close();
    await time.tickAsync(1000);
    assertEquals([versionsOf(script), changed], [["5", "9"], ["a"]]);
  },
);

watcherTest(
  "lists again where its version is too old, which is no failure",
  async ({ script, time, changed, deleted, failures, gaps }) => {
    script.say(line("b", "6"));
    const object = { kind: "Status", code: 410, message: "too old resource version" };
    script.say(`${JSON.stringify({ type: "ERROR", object })}\n`);
    await time.tickAsync(1000);
    assertEquals(versionsOf(script), ["5", "5"]);
    assertEquals([changed, deleted, failures], [["a", "b"], ["b"], []]);
    assertEquals(gaps, [{ missedChanges: 1, blindMs: undefined }]);
  },
);

watcherTest("says that its watch broke, and for how long it was blind", async (world) => {
  const { script, time, failures, gaps } = world;
  script.break();
  await time.tickAsync(1000);
  assertEquals(failures, ["connection reset"]);
  assertEquals(gaps, [{ missedChanges: 0, blindMs: 500 }]);
});

watcherTest(
  "opens a watch again at once that ended after it told something",
  async ({ script, time, changed, failures }) => {
    script.say(line("b", "6"));
    await time.tickAsync();
    script.close();
    await time.tickAsync();
    assertEquals([versionsOf(script), changed, failures], [["5", "6"], ["a", "b"], []]);
  },
);

watcherTest(
  "lists again where no watch is answered, and says so: nobody else tells what changes then",
  async ({ script, time, failures, gaps }) => {
    script.answer = new Promise(() => {});
    script.close();
    await time.tickAsync(31_000);
    assertEquals(failures, ["Silent for 30000 ms"]);
    assertEquals(gaps, [{ missedChanges: 0, blindMs: 500 }]);
  },
);

watcherTest(
  "asks an API server that ends watches at once no more than twice a second",
  async ({ script, time, failures }) => {
    script.close();
    await time.tickAsync(400);
    assertEquals(script.urls.length, 1);
    await time.tickAsync(100);
    assertEquals([script.urls.length, failures], [2, []]);
  },
);

for (const [status, most] of [[403, 30_000], [503, 5000]] as const) {
  watcherTest(
    `that can not open its watch (${status}) tries as often as ever for half a minute, then ever more seldom, and says so seldom`,
    async ({ script, time, failures, said }) => {
      const triesWithin = async (ms: number) => {
        const before = script.urls.length;
        await time.tickAsync(ms);
        return script.urls.length - before;
      };
      script.refusesBy = status;
      script.break();
      assertEquals(await triesWithin(30_000), 60);
      await time.tickAsync(300_000);
      const tries = await triesWithin(10 * most);
      assertEquals([tries >= 9, tries <= 11], [true, true], `${tries} tries`);
      assertEquals(failures.length, script.urls.length);
      assertLess(said.length, 8);
    },
  );
}

watcherTest(
  "whose watch worked again begins anew, as one that is refused by somebody who was away",
  async ({ script, time, said }) => {
    const retriesAtOnce = async () => {
      const before = script.urls.length;
      await time.tickAsync(1000);
      assertGreater(script.urls.length, before);
    };
    script.refusesBy = 503;
    script.break();
    await time.tickAsync(300_000);
    const silentFrom = said.length;
    script.refusesBy = 403;
    await time.tickAsync(5000);
    assertEquals(said.slice(silentFrom), ["HTTP 403"]);
    await retriesAtOnce();
    await time.tickAsync(300_000);
    script.refusesBy = undefined;
    await time.tickAsync(30_000);
    script.say(line("b", "6"));
    await time.tickAsync();
    script.break();
    await retriesAtOnce();
    assertEquals(said.at(-1), "connection reset");
  },
);
