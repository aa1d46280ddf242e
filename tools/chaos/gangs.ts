import type { Chance } from "../chance.ts";

/** Where the gangs are. */
export const namespace = "chaos";
/** Nodes of the cluster, in racks. */
export const nodeCount = 8;
/** Nodes with one value of the label `rack`. */
export const nodesPerRack = 4;
/** GPUs of every node. */
export const gpusPerNode = 8;

/** The priority classes of the cluster. */
export const priorities = { "chaos-low": 10, "chaos-high": 1000 } as const;

/** Members that are alike. */
export interface Role {
  /** Absent: the gang has no roles. */
  readonly name?: string;
  readonly size: number;
  /** `nvidia.com/gpu` of each member. */
  readonly gpus: number;
}

/** Pods that must start together; a gang of one without a quorum is a regular pod. */
export interface Gang {
  /** Each role is a gang of its own, and all of them are a gang group. */
  readonly isGroup?: boolean;
  readonly name: string;
  readonly roles: readonly Role[];
  /** Absent: a regular pod. */
  readonly minMember?: number;
  readonly priority: keyof typeof priorities;
  /** Absent: it may run anywhere. */
  readonly rack?: "required" | "preferred";
  /** How many milliseconds later than the others its last member is created. */
  readonly lateMs: number;
  /** How many milliseconds it runs once it is whole. */
  readonly runsMs: number;
}

/** A member of a gang, by its pod. */
export interface Member {
  readonly name: string;
  readonly role: Role;
}

/** Draws a gang that fits on the cluster when it is empty. */
export function drawGang(chance: Chance, name: string): Gang {
  const common = {
    name,
    priority: chance.percent(25) ? "chaos-high" : "chaos-low",
    lateMs: chance.percent(20) ? 500 + chance.below(4000) : 0,
    runsMs: 1000 + chance.below(6000),
  } as const;
  if (chance.percent(10)) return { ...common, roles: [{ size: 1, gpus: 1 }] };
  if (chance.percent(30)) {
    const workers = 1 + chance.below(6);
    const roles = [
      { name: "ps", size: 1, gpus: 1 },
      { name: "worker", size: workers, gpus: 1 + chance.below(4) },
    ];
    if (chance.percent(50)) return { ...common, roles, minMember: workers + 1, isGroup: true };
    return { ...common, roles, minMember: workers + 1, ...drawRack(chance) };
  }
  const size = 2 + chance.below(chance.percent(20) ? 22 : 7);
  const gpus = size > 12 ? 1 : chance.percent(10) ? gpusPerNode / 2 : 1 + chance.below(2);
  const surplus = size > 3 && chance.percent(20) ? 1 : 0;
  return {
    ...common,
    // Eight members of half a node's GPUs are what one rack has.
    roles: [{ size: Math.min(size, gpus === gpusPerNode / 2 ? nodesPerRack * 2 : size), gpus }],
    minMember: Math.min(size, gpus === gpusPerNode / 2 ? nodesPerRack * 2 : size) - surplus,
    ...drawRack(chance),
  };
}

function drawRack(chance: Chance): Pick<Gang, "rack"> {
  if (chance.percent(25)) return { rack: "required" };
  return chance.percent(20) ? { rack: "preferred" } : {};
}

/** All members of a gang. */
export function membersOf({ name, roles }: Gang): Member[] {
  return roles.flatMap((role) =>
    Array.from({ length: role.size }, (_, index) => ({
      name: [name, role.name ?? [], index].flat().join("-"),
      role,
    }))
  );
}

const koordinator = "gang.scheduling.koordinator.sh";
const podGroup = "pod-group.scheduling.sigs.k8s.io";
/** The label of a gang's quorum. */
export const quorumLabel = `${podGroup}/min-available`;

/** What the pod of a member says of its gang's quorum. */
export function quorumOf(
  { isGroup, minMember: drawn }: Gang,
  { role }: Member,
  minMember = drawn,
): string | undefined {
  if (minMember === undefined) return undefined;
  return String(isGroup ? role.size : minMember);
}

/** The pod of a member, which starts with its gang where that needs so many. */
export function podOf(gang: Gang, member: Member, minMember = gang.minMember): object {
  const { name, role } = member;
  const quorum = quorumOf(gang, member, minMember);
  const named = gang.isGroup ? nameInGroup(gang, role) : gang.name;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      labels: quorum === undefined ? {} : { [`${podGroup}/name`]: named, [quorumLabel]: quorum },
      annotations: {
        ...(gang.rack && { [`muster.scheduling/${gang.rack}-topology`]: "rack" }),
        ...(gang.isGroup ? groupAnnotation(gang) : role.name && {
          "muster.scheduling/role": role.name,
          "muster.scheduling/role-min": String(role.size),
        }),
      },
    },
    spec: {
      schedulerName: "muster",
      priorityClassName: gang.priority,
      terminationGracePeriodSeconds: 0,
      containers: [{
        name: "main",
        image: "none",
        resources: { limits: { "nvidia.com/gpu": String(role.gpus) } },
      }],
    },
  };
}

function nameInGroup({ name }: Gang, role: Role): string {
  return `${name}-${role.name}`;
}

function groupAnnotation(group: Gang): Record<string, string> {
  const gangs = group.roles.map((role) => `${namespace}/${nameInGroup(group, role)}`);
  return { [`${koordinator}/groups`]: JSON.stringify(gangs) };
}

/** One line about a gang. */
export function describeGang(gang: Gang): string {
  const { name, roles, minMember, priority, rack, lateMs, isGroup } = gang;
  const what = roles.map((role) => `${role.size} ${role.name ?? "members"} of ${role.gpus} GPUs`);
  return [
    minMember === undefined ? `pod ${name}` : isGroup ? `gang group ${name}` : `gang ${name}`,
    what.join(" and "),
    ...(minMember === undefined ? [] : [`at least ${minMember}`]),
    priority.slice("chaos-".length),
    ...(rack ? [`a rack ${rack}`] : []),
    ...(lateMs > 0 ? [`the last ${lateMs} ms late`] : []),
  ].join(", ");
}
