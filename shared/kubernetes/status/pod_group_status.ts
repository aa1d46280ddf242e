/**
 * The status of a PodGroup, in the fields of its kind: what it says follows from the pods as they are, and from what it
 * said before only where they can not tell any more.
 *
 * @module
 */
import {
  kubeBatchPodGroup,
  nativePodGroup,
  type PodGroupKind,
  sigsPodGroup,
  volcanoPodGroup,
  xPodGroup,
} from "../declaring/pod_group.ts";
import {
  conditionIn,
  isMismatch,
  noneLeft,
  placed,
  unschedulable,
  withCondition,
} from "./conditions.ts";
import { type PodGroupStatus, type StatusGiven, type Summary, summaryOf } from "./summary.ts";
import { volcanoStatus } from "./volcano_status.ts";

/** The fields of each kind whose status is kept, by API group. */
const fields: Readonly<Record<string, (given: StatusGiven) => PodGroupStatus | undefined>> = {
  [sigsPodGroup.group]: (given) => {
    const summary = summaryOf(given);
    const { phase, placed, hasQuorum, running, succeeded, failed } = summary;
    return {
      // Between Scheduling and Running, Koordinator tells whether enough members have a node.
      phase: phase === "Scheduling" && hasQuorum ? "Scheduled" : phase,
      ...coscheduling(given, summary),
      scheduled: placed,
      running,
      succeeded,
      failed,
    };
  },
  [xPodGroup.group]: (given) => {
    const summary = summaryOf(given);
    const { phase, running, succeeded, failed } = summary;
    return { phase, ...coscheduling(given, summary), running, succeeded, failed };
  },
  // S4 names the counts; it leaves the phases open.
  [kubeBatchPodGroup.group]: (given) => {
    const summary = summaryOf(given);
    const { phase, placed, running, succeeded, failed } = summary;
    return {
      phase,
      ...unschedulable(given, { summary, inItsWords: (refusal) => refusal }),
      admitted: placed,
      running,
      succeeded,
      failed,
    };
  },
  [volcanoPodGroup.group]: volcanoStatus,
  [nativePodGroup.group]: (given) => podGroupScheduled(given, summaryOf(given)),
};

/** The status that a PodGroup should have; undefined: that is not Muster's to say. */
export function podGroupStatus(
  kind: Pick<PodGroupKind, "group">,
  given: StatusGiven,
): PodGroupStatus | undefined {
  const { members } = given.facts;
  if (members.length > 0 && members.every(({ foreign }) => foreign)) return undefined;
  return fields[kind.group]?.(given);
}

/** So many owners are named; a gang has one as a rule. */
const namedOwners = 10;

/** Whose the members are, and since when they are enough. */
function coscheduling({ facts, before }: StatusGiven, { phase }: Summary): PodGroupStatus {
  const owners = facts.members.flatMap(({ pod: { metadata } }) =>
    metadata.ownerReferences?.map(({ name }) => `${metadata.namespace}/${name}`) ?? []
  );
  const startedAt = before["scheduleStartTime"] ?? (phase === "Pending" ? undefined : facts.now);
  return {
    ...(owners.length > 0 &&
      { occupiedBy: [...new Set(owners)].sort().slice(0, namedOwners).join(",") }),
    ...(startedAt !== undefined && { scheduleStartTime: startedAt }),
  };
}

/**
 * The condition of KEP-4671; once true, it stays so while a member has its node, and from Kubernetes 1.37 on, which calls
 * it otherwise, for good.
 */
function podGroupScheduled(given: StatusGiven, summary: Summary): PodGroupStatus {
  const isForGood = !given.facts.apiVersion.endsWith("/v1alpha2");
  const type = isForGood ? "PodGroupInitiallyScheduled" : "PodGroupScheduled";
  const { facts: { refusal }, before } = given;
  if (summary.hasQuorum) return withCondition(given, { type, status: "True", ...placed });
  const known = conditionIn(before, type);
  const wasPlaced = known?.status === "True";
  if (wasPlaced && (isForGood || summary.placed > 0)) return {};
  if (refusal && (summary.phase === "Scheduling" || isMismatch(refusal))) {
    const { message } = refusal;
    return withCondition(given, { type, status: "False", reason: "Unschedulable", message });
  }
  // Where its pods are gone nothing tells whose scheduler's gang it was, but for what was said of it.
  const isOurs = wasPlaced && known.message === placed.message;
  return isOurs ? withCondition(given, { type, status: "False", ...noNode }) : {};
}

const noNode = { reason: "MembersMissing", message: `${noneLeft} that has a node` };
