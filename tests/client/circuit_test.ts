import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { type Caller, Circuit } from "../../shared/client/circuit.ts";
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
  readonly ask: (name: string, caller?: Omit<Caller, "name">) => Promise<void>;
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
      ask: async (name, caller) => {
        const call = () => {
          world.called.push(name);
          const { by, for: only = name } = world.fails ?? {};
          return by && only === name ? Promise.reject(by) : Promise.resolve("answered");
        };
        await circuit.call(call, { name, ...caller })
          .then((answer) => world.ended.push(`${name}: ${answer}`))
          .catch((error) => world.ended.push(`${name}: ${error.message}`));
      },
    };
    await body(world);
    circuit.stop();
  });
}

/** Two callers get no answer. */
async function open({ ask, called, ended }: World): Promise<void> {
  for (const name of ["a", "b"]) await ask(name);
  called.length = 0;
  ended.length = 0;
}

circuitTest(
  "lets one caller alone find out whether the functions answer again, ever more seldom, and the others wait for it",
  async (world) => {
    const { ask, called, ended, time } = world;
    await open(world);
    const waitedFor: number[] = [];
    for (let round = 0; round < 60; round++) {
      const startedAt = Date.now();
      const all = Promise.all(["a", "b", "c"].map((name) => ask(name)));
      while (called.length === round) await time.tickAsync(100);
      await all;
      assertEquals([called.length, ended.length], [round + 1, 3 * (round + 1)]);
      waitedFor.push(Math.round((Date.now() - startedAt) / 1000));
    }
    assertEquals(waitedFor.slice(0, 29), new Array(29).fill(1));
    assertEquals(waitedFor.at(-1), 8);
    assertEquals(new Set(ended.map((end) => end.split(": ")[1])), new Set(["connection refused"]));
    assertEquals(new Set(called).size, 3, "it is not always the same that finds out");
  },
);

circuitTest("lets all ask at once when one is answered, and says so once", async (world) => {
  const { ask, called, ended, logged, time } = world;
  await open(world);
  world.fails = undefined;
  const all = Promise.all(["a", "b", "c"].map((name) => ask(name)));
  assertEquals(called, []);
  await time.tickAsync(1000);
  await all;
  assertEquals(called.toSorted(), ["a", "b", "c"]);
  await ask("d");
  assertEquals(ended.toSorted(), ["a", "b", "c", "d"].map((name) => `${name}: answered`));
  assertEquals(logged, [
    "warn: The policy functions did not answer: connection refused",
    "warn: The policy functions do not answer, and gangs wait: connection refused",
    "info: The policy functions answer again, after 1 s",
  ]);
});

circuitTest(
  "tells at once of the outage who does not know of it, unless somebody is to find out",
  async (world) => {
    const { ask, called, ended, time } = world;
    await open(world);
    await ask("c", { knowsOutage: false });
    assertEquals([called, ended], [[], ["c: connection refused"]]);
    await time.tickAsync(1000);
    world.fails = undefined;
    const asked = ask("d", { knowsOutage: false });
    await time.tickAsync(0);
    await asked;
    assertEquals(ended.at(-1), "d: answered");
  },
);

circuitTest("does not ask what nobody waits for any more", async (world) => {
  const { ask, called, time } = world;
  await open(world);
  let isAwaited = true;
  const gone = () => void ask("gone", { isAwaited: () => isAwaited });
  gone();
  isAwaited = false;
  await time.tickAsync(10_000);
  assertEquals(called, []);
  world.fails = undefined;
  const asked = ask("a");
  gone();
  await time.tickAsync(0);
  await asked;
  assertEquals(called, ["a"]);
});

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
  const asked = world.ask("a");
  await world.time.tickAsync(1000);
  await asked;
  await world.ask("c", { knowsOutage: false });
  assertEquals(world.called, ["a", "c"]);
});
