/**
 * Bodies of the stages: of every field something that it may be, or something else.
 *
 * @module
 */
import fc from "fast-check";
import { at } from "../../support/facts.ts";
import { count, fields, priority, seldom, text } from "./json.ts";

/** The stages' paths. */
export const stagePaths = [
  "/v1/queue-sort",
  "/v1/prefilter",
  "/v1/permit",
  "/v1/postfilter",
  "/v1/unreserve",
];

const name = fc.constantFrom("default/a", "x/b", "constructor/prototype");
const namespace = seldom("default", fc.constantFrom("x", "constructor", "x".repeat(63), "A B"));
const gangName = seldom("a", fc.constantFrom("b", "valueOf", "x".repeat(253), "__proto__"));
const role = seldom("worker", fc.constantFrom("ps", "a/b", "__proto__", "-", "x".repeat(254)));
const label = seldom("rack", fc.constantFrom("zone", "example.com/rack", "", "a b"));
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
  topology: fields({}, { required: label, preferred: fc.array(label, { maxLength: 3 }) }),
  roles: fc.array(fields({ name: role, minMember: count }, { required: label }), { maxLength: 3 }),
  disruption: fc.constantFrom("gang", "member"),
});
const pod = fields({ namespace: text, name: text, uid: fc.oneof(fc.uuid(), text) }, {
  node: text,
  role,
});
const census = fields({
  pending: count,
  gated: count,
  bound: count,
  running: count,
  succeeded: count,
  failed: count,
  terminating: count,
}, { foreign: count });
const told = { gang, census, held: fc.array(pod, { maxLength: 3 }) };
const facts = fc.oneof(
  { weight: 5, arbitrary: fields(told) },
  {
    weight: 1,
    arbitrary: fields(told, {
      problem: fields({ reason: text, message: text }),
      parked: fc.boolean(),
      foreign: fields({ pod: text, scheduler: text, served: fc.array(text, { maxLength: 2 }) }),
      preempted: fields({ members: count, by: text }),
    }),
  },
);
const member = fields({ name: text, uid: text, state: fc.constantFrom("held", "bound") }, {
  requests: fc.dictionary(text, fc.nat(), { maxKeys: 2 }),
});

const shares = { bound: count, held: count, planned: count };

const fit = fields({ members: count, of: count }, {
  byPreemption: count,
  shortOf: text,
  leaving: fields({ pods: count, first: fc.array(text, { maxLength: 2 }) }),
  isForMinResources: fc.boolean(),
  domains: fields({ key: label, of: count, best: fc.constant([{ name: "r1", members: 1 }]) }),
  impossible: fields({
    scope: fc.constantFrom("member", "domain", "gang", "minResources"),
    asks: count,
    largest: count,
  }, { resource: text }),
});
const composite = fc.constantFrom("all", "in", "__proto__");

/** What may be posted to any stage: each reads its part. */
export const stageBody = fields({
  relay: fields({ id: text, epoch: count }),
  gangs: fc.array(facts, { minLength: 1, maxLength: 3 }),
  failed: fc.array(fields({ uid: text, message: text }, { name: text, gang: name, role }), {
    maxLength: 3,
  }),
  lost: fc.array(
    fields({
      pod,
      cause: fc.constantFrom("aborted", "bind-failed", "deleted", "node-lost", "gone"),
    }, { gang: name, by: text }),
    { minLength: 1, maxLength: 3 },
  ),
  units: fc.array(
    fields({ id: text, priority, queuedAt: time }, { gang, bound: count, wholeAt: count }),
    { maxLength: 4 },
  ),
}, {
  fit,
  composites: fc.array(
    fields({ name: composite, gangs: fc.array(name, { maxLength: 2 }) }, {
      within: composite,
      min: seldom(1, fc.constantFrom(0, 2, 2 ** 53 - 1)),
    }),
    { maxLength: 3 },
  ),
  leftOut: fc.array(fields({ part: fc.oneof(name, composite) }, { fit }), { maxLength: 2 }),
  refused: fields({ uid: text, message: text }, { name: text, gang: name }),
  ahead: fields({ gang: name, since: time }),
  resources: fc.array(
    fields({ name: text, allocatable: count, bound: count, held: count }),
    { maxLength: 2 },
  ),
  map: fields({
    at: time,
    resource: text,
    levels: fc.array(label, { maxLength: 2 }),
    gangs: fc.array(name, { maxLength: 2 }),
    places: fc.array(
      fields({
        nodes: count,
        allocatable: count,
        gangs: fc.array(fields({ gang: count }, shares), { maxLength: 2 }),
        others: fields({}, shares),
      }, { node: text, domain: fc.array(text, { maxLength: 2 }) }),
      { maxLength: 2 },
    ),
  }),
  pods: fc.dictionary(name, fc.array(member, { maxLength: 2 }), { maxKeys: 2 }),
});
