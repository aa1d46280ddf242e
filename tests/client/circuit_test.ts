import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { Circuit } from "../../shared/client/circuit.ts";
import { CallFailed } from "../../shared/client/stage_call.ts";
import { CallRefused } from "../../shared/contract/call_refused.ts";
import { OwnStageFailed } from "../../shared/contract/own_stage_failed.ts";

const away = new CallFailed(new TypeError("connection refused"), "id");

interface World {
  readonly time: FakeTime;
  /** Who has called the functions, one after another. */
  readonly called: string[];
  /** What became of each call: `name: answer`. */
  readonly ended: string[];
  readonly logged: string[];
  readonly failures: () => number;
  /** What the functions fail by; undefined: they answer. `for`: nobody else. */
  fails: { readonly by: Error; readonly for?: string } | undefined;
  readonly ask: (name: string) => Promise<void>;
}

/** A circuit under a clock of its own. */
function circuitTest(name: string, body: (world: World) => Promise<void>): void {
  Deno.test(`a circuit ${name}`, async () => {
    using time = new FakeTime();
    let failures = 0;
    const logged: string[] = [];
    const circuit = new Circuit({
      failures: { inc: () => failures++ },
      log: (level, message) => logged.push(`${level}: ${message}`),
    });
    const world: World = {
      time,
      called: [],
      ended: [],
      logged,
      failures: () => failures,
      fails: { by: away },
      ask: async (name) => {
        const call = () => {
          world.called.push(name);
          const { by, for: only = name } = world.fails ?? {};
          return by && only === name ? Promise.reject(by) : Promise.resolve("answered");
        };
        await circuit.call(name, call)
          .then((answer) => world.ended.push(`${name}: ${answer}`))
          .catch((error) => world.ended.push(`${name}: ${error.message}`));
      },
    };
    await body(world);
  });
}

/** Two callers get no answer. */
async function open({ ask, called, ended }: World): Promise<void> {
  for (const name of ["a", "b"]) await ask(name);
  called.length = 0;
  ended.length = 0;
}

circuitTest(
  "lets one caller alone find out every second whether the functions answer again, and tells the others",
  async (world) => {
    const { ask, called, ended, time } = world;
    await open(world);
    const calls: { name: string; tenth: number }[] = [];
    for (let tenth = 0; tenth < 1200; tenth++) {
      await time.tickAsync(100);
      for (const name of ["a", "b", "c"]) {
        const before = called.length;
        await ask(name);
        if (called.length > before) calls.push({ name, tenth });
      }
    }
    assertEquals(
      calls.map(({ tenth }) => tenth),
      // Who has not asked yet does so sooner.
      Array.from({ length: 120 }, (_, at) => 10 * at + 4),
    );
    assertEquals(calls.some(({ name }, index) => name === calls[index + 1]?.name), false);
    assertEquals(ended.length, 3600);
    assertEquals(new Set(ended.map((end) => end.split(": ")[1])), new Set(["connection refused"]));
  },
);

circuitTest("lets one find out who is alone, a little later", async (world) => {
  const { ask, called, time } = world;
  await open(world);
  await time.tickAsync(1000);
  await ask("b");
  assertEquals(called, []);
  await time.tickAsync(1000);
  await ask("b");
  assertEquals(called, ["b"]);
});

circuitTest("lets all ask when one is answered, and says so once", async (world) => {
  const { ask, called, ended, logged, time } = world;
  await open(world);
  world.fails = undefined;
  await ask("a");
  assertEquals([called, ended], [[], ["a: connection refused"]]);
  await time.tickAsync(1000);
  for (const name of ["a", "b", "c"]) await ask(name);
  assertEquals(called, ["a", "b", "c"]);
  assertEquals(ended.slice(1), ["a: answered", "b: answered", "c: answered"]);
  assertEquals(logged, [
    "warn: The policy functions did not answer: connection refused",
    "warn: The policy functions do not answer, and gangs wait: connection refused",
    "info: The policy functions answer again, after 1 s",
  ]);
});

circuitTest(
  "says for how long nobody was answered, and not since when that was known",
  async (world) => {
    const { ask, logged, time } = world;
    await ask("a");
    await time.tickAsync(20_000);
    await ask("b");
    await time.tickAsync(10_000);
    world.fails = undefined;
    await ask("a");
    assertEquals(logged.at(-1), "info: The policy functions answer again, after 30 s");
  },
);

circuitTest(
  "says seldom that they answer now and then, and at once where they did for long",
  async (world) => {
    const { ask, logged, time } = world;
    for (let second = 0; second < 60; second += 2) {
      world.fails = { by: away };
      for (const name of ["a", "b"]) await ask(name);
      await time.tickAsync(1000);
      world.fails = undefined;
      await ask("c");
      await time.tickAsync(1000);
    }
    assertEquals(logged.length, 9);
    await time.tickAsync(60_000);
    world.fails = { by: away };
    for (const name of ["a", "b"]) await ask(name);
    assertEquals(logged.length, 11);
  },
);

circuitTest("lets nobody else ask while one finds out", async (world) => {
  const { ask, called, ended, time } = world;
  await open(world);
  await time.tickAsync(1000);
  world.fails = undefined;
  await Promise.all([ask("a"), ask("c")]);
  assertEquals(called, ["a"]);
  assertEquals(ended.toSorted(), ["a: answered", "c: connection refused"]);
});

circuitTest(
  "keeps nobody waiting for those that are never answered, however many, and however late that shows",
  async ({ time }) => {
    const circuit = new Circuit({ failures: { inc: () => {} }, log: () => {} });
    const hang = () => new Promise((_, reject) => setTimeout(reject, 16_000, away));
    for (let second = 0; second < 600; second++) {
      for (let ill = 0; ill < 50; ill++) circuit.call(`ill-${ill}`, hang).catch(() => {});
      await time.tickAsync(1000);
    }
    assertEquals(await circuit.call("well", () => Promise.resolve("answered")), "answered");
    await time.tickAsync(60_000);
  },
);

circuitTest(
  "stays closed where one caller alone gets no answer, and says so ever more seldom",
  async (world) => {
    const { ask, failures, logged, time } = world;
    world.fails = { by: away, for: "ill" };
    for (let second = 0; second < 60; second++) {
      await ask("ill");
      if (second % 20 === 19) await ask("well");
      await time.tickAsync(1000);
    }
    assertEquals(failures(), 60);
    assertEquals(world.ended.filter((end) => end === "well: answered").length, 3);
    assertEquals(
      logged,
      new Array(3).fill("warn: The policy functions did not answer: connection refused"),
    );
  },
);

for (
  const [what, by, counted] of [
    ["facts that are refused are", new CallFailed(new CallRefused("HTTP 400"), "id"), 0],
    ["a stage of one's own that fails is", new CallFailed(new OwnStageFailed("permit"), "id"), 9],
  ] as const
) {
  circuitTest(`stays closed where ${what} all that happens`, async (world) => {
    world.fails = { by };
    for (let call = 0; call < 9; call++) await world.ask(`gang-${call}`);
    assertEquals([world.called.length, world.failures()], [9, counted]);
  });
}

circuitTest("is closed by facts that are refused: whoever refuses answers", async (world) => {
  await open(world);
  world.fails = { by: new CallFailed(new CallRefused("HTTP 400"), "id") };
  await world.time.tickAsync(1000);
  for (const name of ["a", "c"]) await world.ask(name);
  assertEquals(world.called, ["a", "c"]);
});
