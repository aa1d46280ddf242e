import { assertEquals } from "@std/assert";
import { advance } from "../../../shared/core/attend/advance.ts";
import type { Effect } from "../../../shared/core/attend/effect.ts";
import { attended, callOf, gang, letIn, snapshotOf, start } from "../../support/attending.ts";

const calls = [callOf("a1"), callOf("a2")];
const open = { calls, stranded: ["a2"] };

function said(effects: readonly Effect[]): string[] {
  return effects.map((effect) => {
    if (effect.do === "release" || effect.do === "bind") {
      return `${effect.do} ${effect.call.pod.uid}`;
    }
    return effect.do === "ask" ? `ask ${effect.question.stage}` : effect.do;
  });
}

function looked(facts: Parameters<typeof snapshotOf>[0], known = attended({ standing: letIn() })) {
  return advance(known, { is: "look", snapshot: snapshotOf(facts), longestHold: 50_000 }, start);
}

Deno.test("look(): a held member whose node is lost is let go, and its gang hears of that", () => {
  const { attended, effects } = looked({ minMember: 2, ...open });
  assertEquals(said(effects), ["release a2", "look"]);
  const { pod } = calls[1]!;
  assertEquals(attended.lost, [{ pod, cause: "node-lost", gang }]);
  const [release] = effects;
  assertEquals(
    release?.do === "release" && release.sentence,
    `gang ${gang} lost its held member a2: its node is gone, or has a taint NoExecute that it does not tolerate`,
  );
  const after = looked({ minMember: 2, pending: 1, calls: [calls[0]!] }, attended);
  assertEquals(said(after.effects)[0], "ask unreserve");
});

Deno.test("look(): a member whose binding is being written is not let go", () => {
  const granted = [calls[0]!, callOf("a2", { isGranted: true })];
  assertEquals(looked({ ...open, calls: granted }).attended.lost, []);
});

Deno.test("nobody is bound by an answer that comes when the node of one of them is lost", () => {
  const asked = looked({ minMember: 2, calls }).attended;
  const answer = {
    verdict: "allow",
    reason: "Satisfied",
    message: "",
    allow: ["a1", "a2"],
    wait: [],
    reject: [],
    askAgainSeconds: 1,
  } as never;
  const effects = (stranded: string[]) =>
    said(
      advance(
        asked,
        { is: "answered", answer, snapshot: snapshotOf({ minMember: 2, calls, stranded }) },
        start,
      ).effects,
    ).filter((effect) => effect.startsWith("bind"));
  assertEquals(effects([]), ["bind a1", "bind a2"]);
  assertEquals(effects(["a2"]), []);
});
