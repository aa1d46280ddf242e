import { assertEquals, assertStringIncludes } from "@std/assert";
import { inContract } from "../../shared/contract/check.ts";
import { PermitRequest } from "../../shared/contract/permit_request.ts";
import { PrefilterRequest } from "../../shared/contract/prefilter_request.ts";
import * as v from "../../shared/contract/valibot.ts";
import { gang, group } from "../support/facts.ts";
import { Service } from "../functions/service.ts";

const facts = group(gang({ minMember: 2, held: 1 }));
const path = "gangs[0].gang";

/** What the gang says of itself, but for these fields. */
function saying(fields: object) {
  const [first] = facts.gangs;
  return { ...facts, gangs: [{ ...first!, gang: { ...first!.gang, ...fields } }] };
}

const wrong: [what: string, body: unknown, path: string, message: string][] = [
  [
    "a wrong type",
    saying({ minMember: "five" }),
    `${path}.minMember`,
    'must be a number: current value is "five"',
  ],
  [
    "too little",
    saying({ minMember: 0 }),
    `${path}.minMember`,
    "must be >= 1: current value is 0",
  ],
  ["a missing field", saying({ name: undefined }), `${path}.name`, "is missing"],
  ["null", saying({ name: null }), `${path}.name`, "must be a text: current value is null"],
  [
    "an object instead of a text",
    saying({ name: { a: 1 } }),
    `${path}.name`,
    "must be a text: current value is an object",
  ],
  [
    "none of the values that there are",
    saying({ mode: 'st"rict' }),
    `${path}.mode`,
    String.raw`must be "Strict" or "NonStrict": current value is "st\"rict"`,
  ],
  [
    "too long a list",
    { ...facts, gangs: Array(101).fill(facts.gangs[0]) },
    "gangs",
    "must not have more than 100 items: current value is a list of 101 items",
  ],
  [
    "a long text",
    saying({ attributes: { team: "x".repeat(1000) } }),
    `${path}.attributes.team`,
    `must be of a length <= 256: current value is "${"x".repeat(63)}…", of a length of 1000`,
  ],
  [
    "a rule of the contract's own",
    saying({ groups: ["a"] }),
    `${path}.groups[0]`,
    'must be namespace/name: current value is "a"',
  ],
  [
    "a list instead of a record",
    saying({ attributes: ["a"] }),
    `${path}.attributes`,
    "must be an object: current value is a list of 1 item",
  ],
  [
    "a list instead of an object of which every field may be absent",
    saying({ topology: [] }),
    `${path}.topology`,
    "must be an object: current value is a list of 0 items",
  ],
];

Deno.test("contract: what is said of a bad field has its path, and in short what it is", async (t) => {
  await using service = new Service();
  for (const [what, body, path, message] of wrong) {
    await t.step(what, async () => {
      const { status, body: problem } = await service.post("/v1/permit", body);
      assertEquals([status, problem.errors], [400, [{ path, message }]]);
      assertStringIncludes(problem.detail, `"${path}" ${message}`);
    });
  }
});

Deno.test("contract: a query is named as such, and a body that is none", async () => {
  await using service = new Service();
  const query = await service.request("/v1/gangs?limit=many");
  assertStringIncludes(query.body.detail, "The query does not follow the contract");
  assertStringIncludes(query.body.detail, 'current value is "many"');
  const { body } = await service.post("/v1/permit", [facts]);
  assertEquals(body.errors, [
    { path: "", message: "must be an object: current value is a list of 1 item" },
  ]);
});

Deno.test("contract: what is thrown names the first bad field, and says how many more there are", () => {
  const message = (schema: v.GenericSchema, value: unknown) => {
    try {
      return inContract(value, { schema, fail: (wrong) => new Error(wrong) });
    } catch (error) {
      return (error as Error).message;
    }
  };
  assertEquals(message(PrefilterRequest, facts), facts);
  assertEquals(message(PermitRequest, null), "it must be an object: current value is null");
  assertEquals(
    message(PermitRequest, saying({ minMember: 0, name: undefined, mode: 1 })),
    `"${path}.name" is missing (and 2 more fields)`,
  );
});

Deno.test("contract: a record keeps what is named as a property that every object has", () => {
  const attributes = JSON.parse('{"constructor":"a","prototype":"b","__proto__":"c","d":"e"}');
  const taken = inContract(saying({ attributes }), {
    schema: PermitRequest,
    fail: (wrong) => new Error(wrong),
  });
  assertEquals(
    Object.entries(taken.gangs[0]!.gang.attributes!),
    Object.entries(attributes as Record<string, string>),
  );
});
