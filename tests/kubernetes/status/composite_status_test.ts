import { assertEquals } from "@std/assert";
import {
  type CompositeOutlook,
  compositeStatus,
} from "../../../shared/kubernetes/status/composite_status.ts";
import type { PodGroupStatus } from "../../../shared/kubernetes/status/summary.ts";

const type = "CompositePodGroupInitiallyScheduled";
const [earlier, now] = ["2026-01-01T12:00:00Z", "2026-01-01T12:01:00Z"];
const short = { reason: "Unschedulable", message: "no room" } as const;
const invalid = { reason: "Invalid", message: "in a circle" } as const;

function statusOf(outlook: CompositeOutlook, before: PodGroupStatus = {}, at = now) {
  return compositeStatus(outlook, { before, facts: { now: at } });
}

Deno.test("status of a composite: false while it waits, true once as many as it needs are scheduled", () => {
  assertEquals(statusOf({ isScheduled: false }), {});
  const waits = statusOf({ isScheduled: false, obstacle: short }, {}, earlier);
  assertEquals(waits, {
    conditions: [{ type, status: "False", ...short, lastTransitionTime: earlier }],
  });
  assertEquals(statusOf({ isScheduled: false, obstacle: short }, waits), {});
  assertEquals(statusOf({ isScheduled: false, obstacle: invalid }, waits), {
    conditions: [{ type, status: "False", ...invalid, lastTransitionTime: earlier }],
  });
  assertEquals(statusOf({ isScheduled: true, obstacle: short }, waits), {
    conditions: [{
      type,
      status: "True",
      reason: "Scheduled",
      message: "as many groups as are needed have been scheduled",
      lastTransitionTime: now,
    }],
  });
});

Deno.test("status of a composite: once true it stays so, whoever wrote it", () => {
  for (const obstacle of [undefined, short, invalid]) {
    const before = { conditions: [{ type, status: "True", reason: "Any", message: "any" }] };
    assertEquals(statusOf({ isScheduled: false, obstacle }, before), {});
  }
});

Deno.test("status of a composite: conditions of others stay", () => {
  const other = { type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" };
  const { conditions } = statusOf({ isScheduled: true }, { conditions: [other] });
  assertEquals((conditions as { type: string }[]).map(({ type }) => type), [other.type, type]);
});
