/**
 * What functions answer that are faulty, or are somebody else.
 *
 * @module
 */
import fc from "fast-check";
import { count, fields, seldom, text } from "./json.ts";

/** An answer as it is kept in the corpus. */
export interface FaultyAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const member = fc.constantFrom("a1", "a2", "a3", "b1", "", "__proto__", "x".repeat(400));
const members = fc.oneof(
  fc.uniqueArray(member, { maxLength: 4 }),
  fc.array(member, { maxLength: 4 }),
);
const number = fc.oneof(
  count,
  fc.constantFrom(-1, 0.5, 1e-300, 1e300, 2 ** 31, 2 ** 53, 1e15),
);
const time = fc.constantFrom(
  "2026-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "0001-01-01T00:00:00Z",
  "soon",
);
const counts = fc.dictionary(
  fc.constantFrom("default/gang", "x/b", "__proto__", "gang"),
  number,
  { maxKeys: 2, noNullPrototype: true },
);
const reason = seldom("Satisfied", fc.constantFrom("Admitted", "OfTomorrow", "", "x".repeat(100)));
const message = fc.oneof(
  text,
  fc.constantFrom("it may", "x".repeat(100_000), "\ud800".repeat(600)),
);

const admission = fields({
  verdict: fc.constantFrom("allow", "reject"),
  reason,
  message,
}, {
  help: message,
  need: number,
  needs: counts,
  retryAfterSeconds: number,
  whole: counts,
  matchPolicy: fc.constantFrom("once-satisfied", "only-waiting"),
  askAgain: fc.constantFrom("default/gang", "default/other"),
  ofTomorrow: fc.jsonValue(),
});
const decision = fields({
  verdict: fc.constantFrom("allow", "wait", "reject"),
  allow: members,
  wait: members,
  reject: members,
  reason,
  message,
}, {
  need: number,
  deadline: time,
  askAgainSeconds: number,
  park: fc.boolean(),
  failedAt: time,
  whole: counts,
});
const keys = fields({ keys: fc.array(fields({ id: text, key: message }), { maxLength: 3 }) });
const value = fc.oneof(
  { weight: 4, arbitrary: admission },
  { weight: 4, arbitrary: decision },
  { weight: 1, arbitrary: keys },
);

/** Any answer: mostly a 200 that says what no functions would. */
export const faultyAnswer: fc.Arbitrary<FaultyAnswer> = fc.record({
  status: fc.oneof(
    { weight: 8, arbitrary: fc.constant(200) },
    { weight: 1, arbitrary: fc.constantFrom(201, 400, 401, 413, 418, 429, 500, 503, 599) },
  ),
  headers: fc.dictionary(
    fc.constantFrom("content-type", "x-request-id", "retry-after"),
    fc.constantFrom("application/json", "application/problem+json", "text/html", "0", "soon"),
    { maxKeys: 2, noNullPrototype: true },
  ),
  body: fc.oneof(
    { weight: 10, arbitrary: value.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: text },
    { weight: 1, arbitrary: fc.nat(20_000).map((times) => '{"title":'.repeat(times)) },
  ),
});
