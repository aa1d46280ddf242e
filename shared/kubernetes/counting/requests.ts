/**
 * What a pod asks of a node and what a node has, counted as the scheduler counts.
 *
 * @module
 */
import type { Resources } from "../../core/room/fit.ts";
import { isQuantity, quantity } from "./quantity.ts";
import type { Container, Node, Pod, ResourceList } from "../types.ts";

/** What the API server cuts quantities to; sums stay finite, and so can be told as JSON. */
const largestAmount = 2 ** 63 - 1;

/** Of one pod. No node has as many. */
const mostResources = 100;

/**
 * A pod's requests: the sum of its containers and sidecars, or the largest init container with the sidecars before it
 * where that is more; what the pod itself requests instead where it does; its overhead; and a pod slot.
 */
export function requestsOf({ spec }: Pick<Pod, "spec">): Resources {
  const sum = sumOf(spec, containerRequests);
  const { requests, limits } = spec.resources ?? {};
  for (const [resource, most] of amounts(limits)) if (!sum.has(resource)) sum.set(resource, most);
  return withOwn(spec, sum, amounts(requests));
}

/** What all containers of a pod come to, where each counts as is told. */
export function sumOf(
  { containers = [], initContainers = [] }: Pod["spec"],
  each: (container: Container) => Resources,
): Map<string, number> {
  const sidecars = new Map<string, number>();
  const largestInit = new Map<string, number>();
  for (const container of initContainers) {
    const requests = each(container);
    if (container.restartPolicy === "Always") add(sidecars, requests);
    else raise(largestInit, beside(sidecars, requests));
  }
  const sum = new Map(sidecars);
  for (const container of containers) add(sum, each(container));
  raise(sum, largestInit);
  return sum;
}

/** The same with what counts in place of it, the pod's overhead, and a pod slot. */
export function withOwn(
  { overhead }: Pod["spec"],
  sum: Map<string, number>,
  own: Resources,
): Resources {
  for (const [resource, amount] of own) sum.set(resource, amount);
  add(sum, amounts(overhead));
  const asked = sum.size > mostResources ? firstOf(sum) : sum;
  asked.set("pods", 1);
  return asked;
}

/** Nothing is lost: a pod that asks for more than nothing of so many resources runs nowhere. */
function firstOf(sum: Resources): Map<string, number> {
  return new Map([...sum].filter(([, amount]) => amount > 0).slice(0, mostResources));
}

/** What init containers ask for while the sidecars before them run. */
function beside(sidecars: Resources, requests: Resources): Resources {
  return new Map(
    [...requests].map(([resource, amount]) => [resource, amount + (sidecars.get(resource) ?? 0)]),
  );
}

/** What a node offers to pods. */
export function allocatableOf(node: Node): Resources {
  return amounts(node.status?.allocatable);
}

/** A list of resources as users write it; what is not a quantity is left out. */
export function amountsOf(list: ResourceList | undefined): Resources {
  return amounts(
    Object.fromEntries(Object.entries(list ?? {}).filter(([, text]) => isQuantity(text))),
  );
}

/** Adds amounts, or takes them away with `sign` -1. */
export function add(to: Map<string, number>, amounts: Resources, sign: 1 | -1 = 1): void {
  for (const [resource, amount] of amounts) {
    to.set(resource, (to.get(resource) ?? 0) + sign * amount);
  }
}

/** The API server copies limits to requests that are missing; other sources of pods may not. */
export function containerRequests({ resources }: Container): Resources {
  return amounts({ ...resources?.limits, ...resources?.requests });
}

/** A list of resources as the API server shows it. */
export function amounts(list: ResourceList | undefined): Map<string, number> {
  const all = new Map<string, number>();
  for (const resource in list) all.set(resource, amountOf(resource, list[resource]!));
  return all;
}

/** By how they are written, of CPUs and of all else: pods come by the thousand, and such texts do not. */
const [cpus, others] = [new Map<string, number>(), new Map<string, number>()];
const mostTexts = 1000;

function amountOf(resource: string, text: string): number {
  const isCpu = resource === "cpu";
  const known = isCpu ? cpus : others;
  let amount = known.get(text);
  if (amount !== undefined) return amount;
  amount = Math.min(largestAmount, quantity(text, isCpu ? 3 : 0));
  if (known.size >= mostTexts) known.clear();
  known.set(text, amount);
  return amount;
}

/** Of each resource the larger amount. */
export function raise(to: Map<string, number>, atLeast: Resources): void {
  for (const [resource, amount] of atLeast) {
    to.set(resource, Math.max(to.get(resource) ?? 0, amount));
  }
}
