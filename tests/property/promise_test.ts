import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import fc from "fast-check";
import { Slots } from "../support/slots.ts";
import { runs } from "./runs.ts";

const nodes = fc.array(
  fc.record({ gpus: fc.integer({ min: 1, max: 8 }), rack: fc.nat(2) }),
  { minLength: 1, maxLength: 6 },
).map((list) =>
  Object.fromEntries(list.map(({ gpus, rack }, at) => [`n${at}`, `${gpus} r${rack}`]))
);

const seconds = fc.integer({ min: 1, max: 200 });
/** Some jobs run for nobody knows how long, and do not end. */
const perhaps = fc.option(seconds, { nil: undefined, freq: 12 });

/** Jobs, and how long after the one before each comes. */
const queueOf = (seconds: fc.Arbitrary<number | undefined>) =>
  fc.array(
    fc.record({
      after: fc.nat(40),
      slots: fc.integer({ min: 1, max: 8 }),
      gpus: fc.constantFrom(1, 1, 1, 2),
      seconds,
      topology: fc.constantFrom(undefined, undefined, { required: "rack" }, {
        preferred: ["rack"],
      }),
    }),
    { minLength: 1, maxLength: 25 },
  );

const rules = { easy: perhaps, "easy-3": seconds, conservative: seconds };

for (const [rule, seconds] of Object.entries(rules)) {
  Deno.test(`property: under ${rule} with true run times nobody starts later than promised`, () => {
    let promises = 0;
    fc.assert(
      fc.property(nodes, queueOf(seconds), fc.boolean(), (nodes, queue, isForgetful) => {
        const slots = new Slots(nodes, rule);
        slots.isForgetful = isForgetful;
        queue.forEach(({ after, ...job }, at) => {
          slots.pass(after);
          slots.submit({ ...job, name: `job${at}` });
        });
        slots.pass(25 * 200);
        for (const [name, promised] of slots.promisedFirst) {
          promises++;
          const started = slots.started.get(name);
          assert(started !== undefined, `"${name}" never starts`);
          assertLessOrEqual(started, promised, name);
        }
      }),
      runs(1000),
    );
    assert(promises > runs(100).numRuns, "hardly anybody was promised a start");
  });
}

Deno.test("property: whatever waits for other nodes, and of what priority, nobody starts later than promised", () => {
  let ahead = 0;
  const queue = queueOf(perhaps).chain((jobs) =>
    fc.tuple(fc.constant(jobs), fc.array(fc.nat(2), { minLength: 25, maxLength: 25 }))
  );
  fc.assert(
    fc.property(nodes, queue, fc.boolean(), (nodes, [jobs, priorities], isForgetful) => {
      const slots = new Slots({ ...nodes, o1: "4 r9", o2: "3 r9" }, "easy");
      slots.isForgetful = isForgetful;
      jobs.forEach(({ after, gpus, topology, ...job }, at) => {
        const priority = priorities[at]!;
        const on = priority > 0 ? /^o/ : /^n/;
        const members = [{ count: job.slots, gpus, on }];
        const before = Object.keys(slots.promised);
        slots.pass(after);
        slots.submit({ ...job, gpus, topology, members, priority, name: `job${at}-${priority}` });
        if (Object.keys(slots.promised).length > before.length) ahead++;
      });
      slots.pass(25 * 200);
      for (const [name, promised] of slots.promisedFirst) {
        if (!name.endsWith("-0")) continue;
        const started = slots.started.get(name);
        assert(started !== undefined, `"${name}" never starts`);
        assertLessOrEqual(started, promised, name);
      }
    }),
    runs(1000),
  );
  assert(ahead > runs(100).numRuns, "hardly anybody came while another was promised a start");
});

Deno.test("property: with true run times an earlier end than thought moves no promise back", () => {
  fc.assert(
    fc.property(nodes, queueOf(seconds), fc.nat(24), (nodes, queue, early) => {
      const slots = new Slots(nodes, "easy");
      queue.forEach(({ after, ...job }, at) => {
        slots.pass(after);
        slots.submit({ ...job, name: `job${at}` });
        const [running] = slots.running;
        if (at === early && running) {
          const before = slots.promised;
          slots.cancel(running);
          for (const [name, promised] of Object.entries(slots.promised)) {
            assertLessOrEqual(promised, before[name] ?? Infinity);
          }
        }
      });
      assertEquals(Object.keys(slots.promised).length <= 1, true);
    }),
    runs(500),
  );
});
