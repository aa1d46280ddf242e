import { assert, assertEquals } from "@std/assert";
import type { Situation } from "../../shared/core/words/situation.ts";
import { situations } from "../core/words/situations.ts";

const docs = new URL("../../docs/", import.meta.url);

/** A row of docs/sentences.md. */
interface Row {
  readonly sentence: string;
  readonly reason: string;
  /** The test that saw it on a pod, relative to docs/. */
  readonly seenBy: string | undefined;
}

const page = await Deno.readTextFile(new URL("sentences.md", docs));
const rows: Row[] = page.split("\n").filter((line) => /^\| .*\| `/.test(line)).map((line) => {
  const [sentence = "", reason = "", , seen = ""] = line.split("|").slice(1, -1)
    .map((cell) => cell.trim());
  return {
    sentence,
    reason: reason.replaceAll("`", ""),
    seenBy: /\]\((.*)\)/.exec(seen)?.[1],
  };
});

/** Does not compile where a reason is not here. */
const reasons: Record<Situation["reason"], true> = {
  InvalidGang: true,
  Parked: true,
  GroupIncomplete: true,
  MembersMissing: true,
  MembersGated: true,
  SchedulerMismatch: true,
  InsufficientResources: true,
  LeftOut: true,
  BehindInQueue: true,
  CustomPolicy: true,
  MemberUnschedulable: true,
  MemberLost: true,
  GangSwitched: true,
  TimedOut: true,
  WaitingForMembers: true,
  Degraded: true,
  Satisfied: true,
  Admitted: true,
  Gone: true,
  JustSeen: true,
  JustLost: true,
  Surplus: true,
  NoPlace: true,
  Replanned: true,
  NotOffered: true,
  PlannedElsewhere: true,
  FunctionsUnreachable: true,
  FactsRefused: true,
  LetGo: true,
};

/** What the reader of a dialect says is no sentence of the table. */
const isOfReader = ({ reason }: { reason: string }) => reason === "InvalidGang";

function matches({ sentence, reason }: Row, [situation, said]: (typeof situations)[number]) {
  return reason === situation.reason && new RegExp(`^${patternOf(sentence)}`).test(said);
}

/** As a regular expression, in which `…` is anything. */
function patternOf(sentence: string): string {
  return sentence.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("…", ".*");
}

Deno.test("sentences.md: there is an example of every reason, and a row for every example", () => {
  const shown = new Set<string>(situations.map(([{ reason }]) => reason));
  assertEquals(Object.keys(reasons).filter((reason) => !shown.has(reason)), []);
  assertEquals(
    situations.filter(([situation]) => !isOfReader(situation))
      .filter((example) => !rows.some((row) => matches(row, example))).map(([, said]) => said),
    [],
    "give it a row in docs/sentences.md",
  );
});

Deno.test("sentences.md: every row is a sentence that is said", () => {
  assertEquals(
    rows.filter((row) => !isOfReader(row))
      .filter((row) => !situations.some((example) => matches(row, example)))
      .map(({ sentence }) => sentence),
    [],
  );
});

for (const { sentence, seenBy } of rows) {
  if (seenBy === undefined || sentence.startsWith("what is wrong")) continue;
  Deno.test(`sentences.md: ${seenBy} sees "${sentence}"`, async () => {
    const test = await Deno.readTextFile(new URL(seenBy, docs));
    const words = sentence.split(" ");
    const threes = words.slice(2).map((_, index) => words.slice(index, index + 3))
      .filter((three) => three.filter((word) => !word.includes("…")).length >= 2);
    assert(
      threes.some((three) => new RegExp(three.map(patternOf).join(" ")).test(test)),
      "the test says nothing of the kind",
    );
  });
}
