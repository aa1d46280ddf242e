import { assertEquals, assertGreaterOrEqual } from "@std/assert";
import { type SlotJob, Slots } from "../../support/slots.ts";

/** The clusters of 16 slots: one node, or 16 of one. */
const clusters: Record<string, Record<string, string>> = {
  "one node of 16": { node: "16" },
  "16 nodes of 1": Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`n${at}`, "1"])),
};

/** `A 8/60`: job A has eight members and runs for 60 seconds; without a slash nobody knows how long it runs. */
function jobs(text: string): SlotJob[] {
  return text.split(", ").map((each) => {
    const [name, what] = each.split(" ") as [string, string];
    const [slots, seconds] = what.split("/");
    return { name, slots: Number(slots), ...(seconds && { seconds: Number(seconds) }) };
  });
}

const queue = "A 8/60, B 10/60, C 12/60, D 14/60, E 16/60, F 6/121, G 4/179, H 4/239, I 2/239, " +
  "J 2/299, K 2/59";
const long = "A 8/360, B 16/360, C 16/360, D 16/360, E 2/180";

for (const [where, nodes] of Object.entries(clusters)) {
  Deno.test(`PL-B1 on ${where}: EASY reserves for the first that does not fit, and who leaves that may pass`, () => {
    const slots = new Slots(nodes, "easy");
    slots.submit(...jobs(queue));
    assertEquals(slots.running, ["A", "F", "K"]);
    assertEquals(slots.promised, { B: 60 });
    slots.cancel("F");
    assertEquals(slots.running, ["A", "G", "I", "K"]);
    assertEquals(slots.promised, { B: 60 });
  });

  Deno.test(`PL-B1 on ${where}: what is left piece by piece goes to the first that it is enough for`, () => {
    const slots = new Slots(nodes, "easy");
    slots.submit(...jobs(queue));
    slots.beginToLeave("F", 2);
    slots.beginToLeave("F", 2);
    slots.cancel("F");
    assertEquals(slots.running, ["A", "G", "I", "K"]);
  });

  Deno.test(`PL-B2 on ${where}: reservations for the first three leave less to pass in`, () => {
    const slots = new Slots(nodes, "easy-3");
    slots.submit(...jobs(queue));
    assertEquals(slots.running, ["A", "G", "K"]);
    slots.cancel("G");
    assertEquals(slots.running, ["A", "I", "K"]);
  });

  Deno.test(`PL-B4 on ${where}: EASY promises a start to the first alone`, () => {
    const slots = new Slots(nodes, "easy");
    slots.submit(...jobs(long));
    assertEquals(slots.running, ["A", "E"]);
    assertEquals(slots.promised, { B: 360 });
    assertEquals(slots.planOf("B")?.reservation?.after, "default/A");
  });

  Deno.test(`PL-B6 on ${where}: conservative promises all of them a start, one after another`, () => {
    const slots = new Slots(nodes, "conservative");
    slots.submit(...jobs(long));
    assertEquals(slots.running, ["A", "E"]);
    const { B, C, D } = slots.promised;
    assertGreaterOrEqual(C!, B! + 360);
    assertGreaterOrEqual(D!, C! + 360);
  });

  Deno.test(`PL-B8 on ${where}: a higher priority takes the reservation over, and the other's promise is withdrawn`, () => {
    const slots = new Slots(nodes, "easy");
    slots.submit(...jobs(long));
    slots.submit({ name: "urgent", slots: 16, seconds: 100, priority: 1 });
    assertEquals(slots.promised, { urgent: 360 });
  });
}

Deno.test("PL-B9: whoever would delay what is reserved waits, and starts at once when that falls behind it", () => {
  const slots = new Slots(
    Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`n${at}`, "1"])),
    "easy",
  );
  slots.submit({ name: "runs", slots: 1, seconds: 300, priority: 5 });
  slots.submit({ name: "large", slots: 11, priority: 5 });
  slots.submit({ name: "small", slots: 1, seconds: 400, priority: 1 });
  assertEquals(slots.running, ["runs"]);
  assertEquals(slots.promised, { large: 300 });
  slots.setPriority("large", 0);
  assertEquals(slots.running, ["runs", "small"]);
  assertEquals(slots.promised, { large: 400 });
});

Deno.test("backfill: a gang that says that it runs for no time at all has its room to itself", () => {
  const slots = new Slots({ a: "1", b: "3", c: "1" }, "easy");
  slots.now = Date.parse("2026-11-22T12:00:00Z");
  slots.submit({ name: "runs", slots: 1, gpus: 2, seconds: 300, priority: 5 });
  slots.submit({ name: "large", slots: 1, gpus: 3, priority: 4 });
  slots.submit({ name: "short", slots: 1, seconds: 1e-9 }, { name: "long", slots: 1 });
  const nodes = ["short", "long"].map((name) => slots.planOf(name)?.taken?.[0]?.node);
  assertEquals(nodes.toSorted(), ["a", "c"]);
});
