/**
 * Where the members of a gang group go one by one, by its plan.
 *
 * @module
 */
import type { Use } from "../core/room/fit.ts";
import type { Plan } from "../core/plan/plan.ts";
import { memberClassOf } from "../kubernetes/counting/census.ts";
import type { GangGroup } from "./gang_group.ts";
import type { PodRecord } from "./pod_record.ts";

/** A member and its node. */
export interface PlannedPlace {
  readonly record: PodRecord;
  readonly node: string;
}

/** A node for each waiting member that the plan has one for: where it was sent already, or any. */
export function plannedPlaces(
  { gangs, attended: { placement } }: GangGroup,
  { taken = [], surplus = [] }: Pick<Plan, "taken" | "surplus">,
): PlannedPlace[] {
  if (taken.length === 0 && surplus.length === 0) return [];
  const waiting = gangs.flatMap(({ members }) => [...members.values()])
    .filter((record) => memberClassOf(record) === "pending");
  const sentTo = ({ pod }: PodRecord) => placement.chosen.get(pod.metadata.uid)?.node;
  const open = [...taken, ...surplus].map((use) => ({ use, left: use.count }));
  const place = (record: PodRecord, isFor: (use: Use) => boolean): PlannedPlace[] => {
    const { kind, gang } = record;
    const found = open.find(({ use, left }) =>
      left > 0 && use.kind === kind && (use.gang ?? gang) === gang && isFor(use)
    );
    if (!found) return [];
    found.left--;
    return [{ record, node: found.use.node }];
  };
  const sent = waiting.filter((record) => sentTo(record) !== undefined);
  const others = waiting.filter((record) => sentTo(record) === undefined);
  return [
    ...sent.flatMap((record) => place(record, ({ node }) => node === sentTo(record))),
    ...others.flatMap((record) => place(record, () => true)),
  ];
}
