import { bindingsOf, relayUser } from "../control_plane/audit.ts";
import type { KubernetesObject } from "../control_plane/api_client.ts";
import { hasRoom, type Rest } from "./fit.ts";
import { membersOf, namespace } from "./gangs.ts";
import { childrenOf, type System } from "./system.ts";
import { isBound, type Tenancy } from "./tenants.ts";

const muster = "muster.scheduling/queued";
/** Descriptors of a relay that does nothing: connections that are kept, files, timers. */
const mostDescriptors = 100;

/** What is wrong when every fault is over and nothing more is bound, a sentence each. */
export function wrongAtRest(tenancies: readonly Tenancy[], rest: Rest): string[] {
  const states = tenancies.map((tenancy) => {
    const names = new Set(membersOf(tenancy.gang).map(({ name }) => name));
    const pods = rest.pods.filter(({ metadata }) => names.has(metadata.name));
    const needed = tenancy.minMember ?? 1;
    const bound = pods.filter(isBound).length;
    return { tenancy, needed, bound, fits: bound < needed && hasRoom(tenancy, rest) };
  });
  const wrong: string[] = [];
  for (const { tenancy: { gang }, needed, bound, fits } of states) {
    if (!fits) continue;
    if (bound > 0) wrong.push(`${gang.name} is bound in part, ${bound} of ${needed}, and has room`);
    // A gang that waits for room keeps what becomes free from those that come after it.
    const isKeptOut = states.some((other) =>
      other.bound < other.needed && !other.fits && other.tenancy.gang !== gang
    );
    if (bound === 0 && !isKeptOut) wrong.push(`${gang.name} is pending and has room`);
  }
  for (const { metadata, spec, status } of rest.pods) {
    const gates: { name: string }[] = spec.schedulingGates ?? [];
    if (spec.nodeName !== undefined && gates.length > 0) {
      wrong.push(`${metadata.name} is bound behind a gate`);
    }
    if (spec.nodeName === undefined && status?.nominatedNodeName) {
      wrong.push(`${metadata.name} is pending and still nominated to ${status.nominatedNodeName}`);
    }
  }
  return wrong;
}

/** What is wrong when all gangs have run and gone, a sentence each. */
export async function wrongAtEnd(
  tenancies: readonly Tenancy[],
  system: System,
): Promise<string[]> {
  const { api } = system.controlPlane;
  const pods = await api.list(`/api/v1/namespaces/${namespace}/pods`);
  return [
    ...tenancies.filter(({ wholeAt }) => wholeAt === undefined)
      .map(({ gang }) => `${gang.name} never was whole`),
    ...pods.map((pod) => `${pod.metadata.name} is left over${describe(pod)}`),
    ...await wrongBindings(system),
    ...await leftOpen(system),
    ...leaked(system),
  ];
}

function describe({ spec, status }: KubernetesObject): string {
  const gates: { name: string }[] = spec.schedulingGates ?? [];
  const conditions: { type: string; message?: string }[] = status?.conditions ?? [];
  const why = conditions.find(({ type }) => type === "PodScheduled")?.message;
  return [
    ...(gates.some(({ name }) => name === muster) ? [", behind the gate"] : []),
    ...(why ? [`: ${why}`] : []),
  ].join("");
}

/** Each pod is bound once, and by a relay. */
async function wrongBindings({ controlPlane }: System): Promise<string[]> {
  const events = await controlPlane.auditEvents();
  const times = new Map<string, { pod: string; count: number }>();
  for (const { uid, pod } of bindingsOf(events)) {
    times.set(uid, { pod, count: (times.get(uid)?.count ?? 0) + 1 });
  }
  const strangers = events.filter(({ objectRef, user }) =>
    objectRef?.subresource === "binding" && user.username !== relayUser
  );
  return [
    ...[...times.values()].filter(({ count }) => count > 1)
      .map(({ pod, count }) => `${pod} was bound ${count} times`),
    ...strangers.map(({ objectRef, user }) => `${objectRef?.name} was bound by ${user.username}`),
  ];
}

/** No bind call is under way, as the relays count them and as the schedulers do. */
async function leftOpen({ pairs }: System): Promise<string[]> {
  const wrong: string[] = [];
  for (const [index, { muster, scheduler }] of pairs.entries()) {
    const metrics = await (await fetch(`${muster.url}/metrics`)).text();
    const held = sumOf(metrics, /^muster_relay_held_calls(?:\{.*\})? (.*)$/gm);
    if (held !== 0) wrong.push(`relay ${index} holds ${held} calls`);
    const binding = sumOf(
      await scheduler.metrics(),
      /^scheduler_goroutines\{operation="binding"\} (.*)$/gm,
    );
    if (binding !== 0) wrong.push(`scheduler ${index} waits for ${binding} bind calls`);
  }
  return wrong;
}

function sumOf(metrics: string, line: RegExp): number {
  return [...metrics.matchAll(line)].reduce((sum, [, value]) => sum + Number(value), 0);
}

/** Every child is a part's, and none of Muster's has more open than it needs. */
function leaked({ controlPlane, parts }: System): string[] {
  const known = new Set(controlPlane.processes.map(({ pid }) => pid));
  for (const { process } of Object.values(parts)) if (process) known.add(process.pid);
  const wrong = childrenOf(Deno.pid).filter((pid) => !known.has(pid))
    .map((pid) => `process ${pid} is left over`);
  for (const name of ["relay-a", "relay-b", "functions"] as const) {
    const pid = parts[name].process?.pid;
    if (pid === undefined) continue;
    const count = [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
    if (count > mostDescriptors) wrong.push(`${name} has ${count} open descriptors`);
  }
  return wrong;
}
