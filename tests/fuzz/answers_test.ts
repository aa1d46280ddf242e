import { assert, assertEquals } from "@std/assert";
import type { Stages } from "../../functions/stages.ts";
import { stagesOverHttp } from "../../shared/client/http_stages.ts";
import { advance } from "../../shared/core/attend/advance.ts";
import type { Effect } from "../../shared/core/attend/effect.ts";
import type { GroupEvent } from "../../shared/core/attend/event.ts";
import type { Plan } from "../../shared/core/plan/plan.ts";
import type { Admission, Decision } from "../../shared/core/stage/decision.ts";
import { attended, callOf, letIn, snapshotOf, start } from "../support/attending.ts";
import { gang, group } from "../support/facts.ts";
import { fuzz } from "./fuzz.ts";
import { faultyAnswer } from "./grammar/answers.ts";

const calls = ["a1", "a2", "a3"].map((uid) => callOf(uid));
const facts = { ...group(gang({ minMember: 3, held: 3 })), failed: [], lost: [] };
const plan: Plan = { fit: { members: 3, of: 3 }, taken: [], isShort: false };
const longestHold = 50_000;
const kibibyte = 1024;

/** What the relay would do by an answer about three held members, and at the next look. */
function doneBy(answer: Admission | Decision): Effect[] {
  const isDecision = "allow" in answer;
  const snapshot = snapshotOf(isDecision ? { calls } : { pending: 3 });
  const look: GroupEvent = { is: "look", snapshot, longestHold };
  const before = attended(isDecision ? { standing: letIn() } : { plan });
  const asked = advance(before, look, start + 10_000);
  const { question } = asked.attended.asking!;
  assertEquals(question.stage, isDecision ? "permit" : "prefilter");
  const answered = advance(asked.attended, { is: "answered", answer, snapshot }, start + 11_000);
  const looked = advance(answered.attended, look, start + 12_000);
  return [...answered.effects, ...looked.effects];
}

Deno.test("fuzz: of what faulty functions answer nothing is taken but what the contract has", async () => {
  const outcomes = { taken: 0, refused: 0 };
  await fuzz({
    name: "answers",
    share: 0.09,
    inputs: faultyAnswer,
    call: async ({ status, headers, body }) => {
      const fetch = () => Promise.resolve(new Response(body, { status, headers }));
      const stages: Stages = stagesOverHttp("http://functions", { cluster: "east", fetch });
      for (const stage of ["prefilter", "permit", "queueSort"] as const) {
        const asked = stage === "queueSort"
          ? stages.queueSort({ units: [] }, "id")
          : stages[stage](facts, "id");
        const answer = await asked.catch((error: Error) => {
          assert(error instanceof Error && error.message.length < kibibyte, String(error));
          outcomes.refused++;
        });
        if (!answer) continue;
        outcomes.taken++;
        if ("keys" in answer) continue;
        assert(new TextEncoder().encode(answer.message).length <= 4 * kibibyte);
        for (const effect of doneBy(answer)) {
          if (effect.do === "bind") {
            assert("allow" in answer && answer.allow.includes(effect.call.pod.uid));
          }
          if (effect.do === "wake") assert(effect.at > 0, String(effect.at));
        }
      }
    },
  });
  assert(outcomes.taken > 0 && outcomes.refused > 0);
});
