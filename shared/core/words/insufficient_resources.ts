/**
 * Why a gang waits that finds too little room.
 *
 * @module
 */
import type { Fit, Impossible, MemberFailure } from "../gang/facts.ts";
import { amountText } from "../room/amount.ts";
import { noNodes, noTakingNodes } from "../room/fit.ts";
import { rootCause } from "./root_cause.ts";
import { count, labelText, listed, named } from "./text.ts";

/** What a gang group finds that needs room for so many more members, and what would have to be otherwise. */
export function insufficientResources(
  { title, needed, fit, refused }: {
    title: string;
    needed: number;
    fit: Fit;
    refused?: MemberFailure | undefined;
  },
): string {
  const { byPreemption = 0, shortOf, minResources, impossible } = fit;
  const members = fit.members + (minResources?.members ?? 0);
  const found = byPreemption > 0
    ? `${members}, or ${members + byPreemption} if pods of lower priority left`
    : String(members);
  const refusal = refused && shortOf === noTakingNodes ? rootCause([refused]) : "";
  const details = [domainsText(fit), shortOfText(fit), refusal].filter((text) => text !== "")
    .join("; ");
  const start = `${title} needs room for ${count(needed, "more member")} and finds it for ${found}${
    details && `: ${details}`
  }${leavingText(fit)}`;
  return impossible && shortOf !== noNodes
    ? `${start}; waiting does not help: ${exceeds(impossible)}`
    : start;
}

function leavingText({ leaving }: Fit): string {
  if (!leaving) return "";
  const { pods, first } = leaving;
  const others = pods - first.length;
  const who = `${listed(first)}${others > 0 ? ` and ${others} more` : ""}`;
  return pods === 1
    ? `; 1 pod of lower priority leaves for it: ${who}`
    : `; ${pods} pods of lower priority leave for it: ${who}`;
}

/** `rack r1 has room for 3 of 4, r2 for 3`. */
function domainsText({ domains }: Fit): string {
  const [first, ...others] = domains?.best ?? [];
  if (!domains || !first) return "";
  return `${labelText(domains.key)} ${
    named(first.name)
  } has room for ${first.members} of ${domains.of}${
    others.map(({ name, members }) => `, ${named(name)} for ${members}`).join("")
  }`;
}

function shortOfText({ shortOf, isForMinResources, minResources }: Fit): string {
  if (shortOf === undefined) return "";
  if (shortOf === noNodes) {
    return `short of ${shortOf}, so add such nodes or loosen its selectors, affinity or tolerations`;
  }
  if (!isForMinResources) return `short of ${shortOf}`;
  const numbers = minResources &&
    `, asked are ${amountText(shortOf, minResources.asks, "up")} and free ${
      amountText(shortOf, minResources.free, "down")
    }`;
  return `the cluster is short of ${shortOf} for its minResources${numbers ?? ""}`;
}

/** Both numbers: there is no node here that would do, however long the gang waits. */
function exceeds({ scope, resource, asks, largest }: Impossible): string {
  if (scope === "domain") {
    return `without other pods, no domain that its members are to share has room for more than ${largest} of ${asks}`;
  }
  if (resource === undefined) {
    return `without other pods, the nodes that they may run on have room for ${largest} of ${asks}`;
  }
  const [wanted, there] = [amountText(resource, asks, "up"), amountText(resource, largest, "down")];
  switch (scope) {
    case "member":
      return `a member asks for ${wanted}, and the largest node that it may run on has ${there}`;
    case "gang":
      return `they ask for ${wanted}, and all nodes that they may run on have ${there}`;
    case "minResources":
      return `its minResources ask for ${wanted}, and all nodes have ${there}`;
  }
}

/** What would help a gang for which there is less room than it needs, where that is not what helps others. */
export function whatHelpsFit({ shortOf, impossible }: Fit): string | undefined {
  if (shortOf === noNodes) {
    return "add nodes that its members may run on, or loosen its selectors, affinity or tolerations";
  }
  if (shortOf === noTakingNodes) {
    return "mend what the scheduler says of its members, or add nodes that it takes them on";
  }
  return impossible &&
    "add nodes (to try it: kubectl muster simulate --help), or ask for less: waiting does not help";
}
