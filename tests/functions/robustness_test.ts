import { assert, assertGreater, assertLess } from "@std/assert";
import fc from "fast-check";
import { runs } from "../property/runs.ts";
import { at } from "../support/facts.ts";
import { Service } from "./service.ts";

const paths = ["/v1/queue-sort", "/v1/prefilter", "/v1/permit", "/v1/postfilter", "/v1/unreserve"];

/** A value of the right kind, at its edges; or, now and then, any JSON at all. */
function mostly<T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 400, arbitrary: usual }, { weight: 1, arbitrary: fc.jsonValue() });
}

function fields(
  required: Record<string, fc.Arbitrary<unknown>>,
  optional: Record<string, fc.Arbitrary<unknown>> = {},
): fc.Arbitrary<unknown> {
  const mixed: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [name, field] of Object.entries({ ...required, ...optional })) {
    mixed[name] = mostly(field);
  }
  return fc.record(mixed, { requiredKeys: Object.keys(required) });
}

/** The usual value, which leads far, or now and then one that ends early. */
function seldom<T>(usual: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });
}

const count = fc.oneof(fc.nat(5), fc.constantFrom(0, 1, 2 ** 53 - 1));
const priority = fc.constantFrom(0, -1, 2 ** 31 - 1, -(2 ** 31));
const text = fc.oneof(
  fc.constantFrom("a", "default", "__proto__", "x".repeat(253), "é\0'\""),
  fc.string(),
);
const name = fc.constantFrom("default/a", "x/b", "constructor/prototype");
const namespace = seldom("default", fc.constantFrom("x", "constructor", "x".repeat(63), "A B"));
const gangName = seldom("a", fc.constantFrom("b", "valueOf", "x".repeat(253), "__proto__"));
const time = fc.oneof(
  fc.constant(at(0)),
  fc.constantFrom(
    "0000-01-01T00:00:00Z",
    "0001-01-01T00:00:00+23:59",
    "9999-12-31T23:59:59.999Z",
    "2026-01-01T00:00:00.123456789Z",
    "2024-02-29T12:00Z",
  ),
);

const gang = fields({
  namespace,
  name: gangName,
  minMember: seldom(2, fc.constantFrom(1, 3, 2 ** 53 - 1)),
  createdAt: time,
}, {
  uid: text,
  totalMember: count,
  mode: fc.constantFrom("Strict", "NonStrict"),
  waitSeconds: fc.constantFrom(1e-300, 0.001, 1, 3600, 2 ** 31, 9e9, 9.2e9, 1e12, 1e17, 1e300),
  matchPolicy: fc.constantFrom("once-satisfied", "waiting-and-running", "only-waiting"),
  groups: seldom([], fc.array(name, { maxLength: 3 })),
  minResources: fc.dictionary(text, fc.constantFrom("1", "1e9", "é"), { maxKeys: 2 }),
  priority,
});
const pod = fields({ namespace: text, name: text, uid: fc.oneof(fc.uuid(), text) }, { node: text });
const census = fields({
  pending: count,
  gated: count,
  bound: count,
  running: count,
  succeeded: count,
  failed: count,
  terminating: count,
});
const told = { gang, census, held: fc.array(pod, { maxLength: 3 }) };
const facts = fc.oneof(
  { weight: 5, arbitrary: fields(told) },
  {
    weight: 1,
    arbitrary: fields(told, {
      problem: fields({ reason: text, message: text }),
      parked: fc.boolean(),
    }),
  },
);
const body = fields({
  relay: fields({ id: text, epoch: count }),
  gangs: fc.array(facts, { minLength: 1, maxLength: 3 }),
  failed: fc.array(fields({ uid: text, message: text }, { name: text, gang: name }), {
    maxLength: 3,
  }),
  lost: fc.array(
    fields({
      pod,
      cause: fc.constantFrom("aborted", "bind-failed", "deleted", "gone"),
    }, { gang: name }),
    { minLength: 1, maxLength: 3 },
  ),
  units: fc.array(
    fields({ id: text, priority, queuedAt: time }, { gang, bound: count }),
    { maxLength: 4 },
  ),
}, {
  fit: fields({ members: count, of: count }, { byPreemption: count, shortOf: text }),
  ahead: fields({ gang: name, since: time }),
});

Deno.test("property: no body yields a 5xx, and some are answered", async () => {
  await using service = new Service();
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), body, async (path, body) => {
      const { status, body: answer } = await service.post(path, body);
      if (status === 200) answered++;
      assert(status === 200 || status === 400, `${status} ${JSON.stringify(answer)}`);
    }),
    runs(400),
  );
  assertGreater(answered, 0);
});

Deno.test("property: no JSON at all yields a 5xx", async () => {
  await using service = new Service();
  const anything = fc.oneof(
    fc.json(),
    fc.string(),
    fc.jsonValue().map((value) => JSON.stringify(value)),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), anything, async (path, body) => {
      assertLess((await service.post(path, body)).status, 500);
    }),
    runs(300),
  );
});

Deno.test("property: no name of a gang yields a 5xx", async () => {
  await using service = new Service();
  await fc.assert(
    fc.asyncProperty(fc.webPath(), fc.webQueryParameters(), async (path, query) => {
      assertLess((await service.request(`/v1/gangs/default${path}?${query}`)).status, 500);
    }),
    runs(100),
  );
});
