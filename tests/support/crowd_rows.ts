/**
 * Crowds in a few words, and who leaves.
 *
 * @module
 */
import { type Crowd, type Declared, type Runs, victimsIn } from "./evictions.ts";
import { members } from "./rooms.ts";

/** A crowd in which members of priority 9 need room. */
export interface CrowdRow {
  /** `n0 4, n1 2+8`: GPUs, and CPUs. */
  readonly nodes: string;
  /**
   * The oldest first: `low@n0 2+1` asks for GPUs and CPUs, one GPU if nothing is said; then, as far as it is so, `p5` its
   * priority, `of g/ps` its gang and role, `under x y` its budgets, `held`.
   */
  readonly pods: string;
  /** `g 2, h 3 one-by-one ps>=1`: minimum, whether members leave one by one, minima of roles. */
  readonly gangs?: string;
  /** `x 1`: so many may leave. */
  readonly budgets?: string;
  /** `2x1, 1x2@n0`: count and GPUs, and the one node where they may run. */
  readonly members: string;
}

/** Who leaves, in the order of their names; `nobody` has to, or `none may`. */
export function leavingIn(row: CrowdRow): string {
  const victims = victimsIn(crowdOf(row));
  return victims === undefined ? "none may" : victims.join(" ") || "nobody";
}

function crowdOf({ nodes, pods, gangs, budgets, members: needed }: CrowdRow): Crowd {
  return {
    nodes: Object.fromEntries(
      list(nodes).map((text) => text.split(" ") as [string, string])
        .map(([name, amounts]) => [name, amountsOf(amounts)]),
    ),
    pods: list(pods).map(podOf),
    gangs: Object.fromEntries(list(gangs).map(gangOf)),
    budgets: Object.fromEntries(
      list(budgets).map((text) => text.split(" ")).map(([name, count]) => [name, Number(count)]),
    ),
    members: list(needed).flatMap((text) => {
      const [, count, gpus, node] = text.match(/^(\d+)x(\d+)(?:@(.+))?$/)!;
      const mayRunOn = node === undefined ? undefined : new RegExp(`^${node}$`);
      return members(Number(count), amountsOf(gpus!), mayRunOn);
    }),
    priority: 9,
  };
}

function podOf(text: string, startedAt: number): Runs {
  const [, name, node, amounts = "1", rest = ""] = text.match(/^(\S+)@(\S+)(?: ([\d+]+))?(.*)$/)!;
  const [, priority] = rest.match(/ p(\d+)/) ?? [];
  const [, gang, role] = rest.match(/ of (\w+)(?:\/(\w+))?/) ?? [];
  const [, budgets] = rest.match(/ under ([\w ]+?)(?: held|$)/) ?? [];
  return {
    name: name!,
    node: node!,
    asks: amountsOf(amounts),
    startedAt,
    ...(priority && { priority: Number(priority) }),
    ...(gang && { gang }),
    ...(role && { role }),
    ...(budgets && { budgets: budgets.split(" ") }),
    ...(rest.endsWith(" held") && { isHeld: true }),
  };
}

function gangOf(text: string): [string, Declared] {
  const [name, minMember, ...more] = text.split(" ");
  const roles = more.flatMap((each) => each.includes(">=") ? [each.split(">=")] : []);
  return [name!, {
    minMember: Number(minMember),
    disruption: more.includes("one-by-one") ? "member" : "gang",
    roles: Object.fromEntries(roles.map(([role, min]) => [role!, Number(min)])),
  }];
}

function amountsOf(text: string): { gpu: number; cpu?: number } {
  const [gpu, cpu] = text.split("+").map(Number) as [number, number?];
  return { gpu, ...(cpu !== undefined && { cpu }) };
}

function list(text = ""): string[] {
  return text === "" ? [] : text.split(", ");
}
