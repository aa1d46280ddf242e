import type { Decisions } from "../../../shared/core/attend/decisions.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";

/** The same decisions where there are so many nodes that also members that may go anywhere are nominated. */
export function onManyNodes(decisions: Decisions): Decisions {
  return {
    ...decisions,
    plan: (world, now) => {
      const plans = decisions.plan(world, now);
      const byGroup = new Map([...plans.byGroup].map(([id, plan]) => [id, published(plan)]));
      return { ...plans, byGroup };
    },
  };
}

/** A plan that was kept stays the same object. */
function published(plan: Plan): Plan {
  return plan.isPublished ? plan : { ...plan, isPublished: true };
}
