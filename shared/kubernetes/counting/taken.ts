/**
 * What a pod takes of its node where that is not what it asks for: most often while it is resized in place.
 *
 * @module
 */
import { isSame, type Resources } from "../../core/room/fit.ts";
import type { Container, Pod, ResourceList } from "../types.ts";
import { amounts, containerRequests, raise, requestsOf, sumOf, withOwn } from "./requests.ts";

/** The condition of a pod whose resize its node has not begun. */
export const resizePending = "PodResizePending";

/**
 * As the scheduler counts it: the most of what the pod asks for, what its node has set aside for it, and what it has there; the
 * first only where the node may have as much. Undefined: it takes what it asks for.
 */
export function takenOtherwise(pod: Pod): Resources | undefined {
  if (!pod.spec.nodeName || !isTold(pod)) return undefined;
  const taken = withOwn(pod.spec, mostOf(pod), ownOf(pod));
  return isSame(taken, requestsOf(pod)) ? undefined : taken;
}

/** Whether the node says anything of it. */
function isTold({ status = {} }: Pod): boolean {
  const { allocatedResources, resources, conditions = [] } = status;
  return allocatedResources !== undefined || resources !== undefined || isNever(conditions) ||
    statusesIn(status).some((one) => one.allocatedResources ?? one.resources);
}

/** Of its containers together. */
function mostOf({ spec, status = {} }: Pod): Map<string, number> {
  const { allocatedResources, resources, conditions } = status;
  const mayCome = !isNever(conditions);
  const byName = new Map(statusesIn(status).map((one) => [one.name, one]));
  const asked = (container: Container) => mayCome ? containerRequests(container) : nothing;
  const setAside = (container: Container) =>
    given(byName.get(container.name)?.allocatedResources) ?? asked(container);
  const actual = (container: Container) =>
    given(byName.get(container.name)?.resources?.requests) ?? setAside(container);
  const most = sumOf(spec, asked);
  if (allocatedResources && resources?.requests) {
    raise(most, amounts(allocatedResources));
    raise(most, amounts(resources.requests));
  } else {
    raise(most, sumOf(spec, setAside));
    raise(most, sumOf(spec, actual));
  }
  return most;
}

/** What counts in place of that. */
function ownOf({ spec, status = {} }: Pod): Resources {
  const own = amounts(spec.resources?.requests);
  if (own.size === 0 || !status.resources) return own;
  const most = isNever(status.conditions) ? new Map<string, number>() : own;
  for (const list of [status.resources.requests, status.allocatedResources]) {
    raise(most, new Map([...amounts(list)].filter(([resource]) => ofPods.test(resource))));
  }
  return most;
}

/** What may be asked for a pod as a whole. */
const ofPods = /^(cpu|memory|hugepages-.*)$/;

const nothing: Resources = new Map();

function given(list: ResourceList | undefined): Resources | undefined {
  return list && amounts(list);
}

type Status = NonNullable<Pod["status"]>;

function statusesIn({ containerStatuses = [], initContainerStatuses = [] }: Status) {
  return [...initContainerStatuses, ...containerStatuses];
}

/** Whether the node can never have what the pod asks for. */
function isNever(conditions: Status["conditions"] = []): boolean {
  return conditions.find(({ type }) => type === resizePending)?.reason === "Infeasible";
}
