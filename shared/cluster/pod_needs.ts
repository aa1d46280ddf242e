/**
 * What a pod asks of its node, and with which pods it is alike in that.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { Resources } from "../core/room/fit.ts";
import { exclusiveOf } from "../kubernetes/counting/exclusive.ts";
import { placementKey, rulesOf } from "../kubernetes/counting/node_match.ts";
import { requestsOf } from "../kubernetes/counting/requests.ts";
import { schedulerRulesOf } from "../kubernetes/counting/scheduler_rules.ts";
import { takenOtherwise } from "../kubernetes/counting/taken.ts";
import { foreignRole, ownRole } from "../kubernetes/declaring/role_texts.ts";
import type { Pod } from "../kubernetes/types.ts";

/** What one asks for. */
export interface PodNeeds {
  readonly requests: Resources;
  /** Pods of one kind ask for the same on the same nodes, by the same kinds of rules, and those of one gang are of one role. */
  readonly kind: string;
  /** What its node must be without, in words. */
  readonly exclusive: readonly string[];
  /** So many rules say where it may run. */
  readonly rules: number;
}

/** What pods of a kind ask for, by kind: pods come by the thousand, and kinds do not. Those that ask for more resources share nothing. */
const alike = new Map<string, PodNeeds>();
const most = { kinds: 1000, resources: 32 };

/** What a pod asks for, which pods of one kind share; or takes of its node otherwise. */
export function needsOf(pod: Pod): PodNeeds {
  const asked = askedBy(pod);
  const requests = takenOtherwise(pod);
  return requests ? { ...asked, requests } : asked;
}

function askedBy(pod: Pod): PodNeeds {
  const requests = requestsOf(pod);
  const exclusive = exclusiveOf(pod).map(short);
  const role = ownRole(pod)?.text ?? foreignRole(pod);
  const rules = schedulerRulesOf(pod);
  const hasMore = exclusive.length > 0 || rules.length > 0 || role !== undefined;
  const more = hasMore ? JSON.stringify([exclusive, role, ...rules]) : "";
  const kind = short(JSON.stringify([...requests].sort()) + placementKey(pod) + more);
  const known = alike.get(kind);
  if (known) return known;
  const needs = { requests, kind, exclusive, rules: rulesOf(pod) };
  if (requests.size > most.resources) return needs;
  if (alike.size >= most.kinds) alike.clear();
  alike.set(kind, needs);
  return needs;
}

/** Selectors and affinity may be as long as a pod: what stands for them in every plan is not. */
function short(text: string): string {
  return text.length > longest ? createHash("sha256").update(text).digest("hex") : text;
}

const longest = 500;
