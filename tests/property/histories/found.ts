/**
 * Histories that broke a rule once, by what was wrong.
 *
 * @module
 */
import type { GangPlan } from "./gangs.ts";
import type { History } from "./history.ts";

const unused: GangPlan = { minMember: 1, gpus: 0, cpus: 1, priority: 0 };

const usual = {
  isCalm: false,
  isPrompt: false,
  isMixed: false,
  profile: "default",
  seed: 0,
  longestHoldMs: 3_400_000,
  evicts: false,
} as const;

export const found: Readonly<Record<string, History>> = {
  "a role whose member had succeeded was waited for, though its gang was let in": {
    ...usual,
    gangs: [
      ...Array.from({ length: 4 }, () => unused),
      {
        minMember: 1,
        gpus: 2,
        cpus: 1,
        priority: 0,
        roles: ["ps", "worker"],
        says: { "role-min": "ps=1,worker=1" },
      },
      ...Array.from({ length: 2 }, () => unused),
    ],
    nodes: [{ gpus: 2, cpus: 8 }, { gpus: 2, cpus: 8 }],
    happenings: [
      { do: "pods", gang: 4, count: 3, gate: "none" },
      { do: "wait", ms: 20 },
      { do: "finish pod", which: 105, phase: "Succeeded" },
      { do: "delete pod", which: 0 },
    ],
  },
  "members behind gates of others were nominated to the places of those who were let in": {
    ...usual,
    profile: "koordinator",
    seed: 1269904164,
    gangs: [
      unused,
      { minMember: 1, gpus: 2, cpus: 1, priority: 0, says: { "preferred-topology": "rack,block" } },
      { minMember: 1, gpus: 2, cpus: 1, priority: 0 },
      unused,
      { minMember: 2, gpus: 1, cpus: 1, priority: 0, says: { "preferred-topology": "rack,block" } },
      unused,
      {
        minMember: 2,
        gpus: 2,
        cpus: 1,
        priority: 0,
        roles: ["ps", "worker"],
        says: { "role-min": "ps=1,worker=1" },
      },
    ],
    nodes: [{ gpus: 4, cpus: 8 }, { gpus: 2, cpus: 8 }, { gpus: 1, cpus: 8 }, { gpus: 3, cpus: 8 }],
    evicts: true,
    backfill: "10",
    happenings: [
      { do: "regular pod", priority: 0, cpus: 3, gpus: 1 },
      { do: "pods", gang: 1, count: 2, gate: "none" },
      { do: "pods", gang: 1, count: 2, gate: "own" },
      { do: "pods", gang: 6, count: 5, gate: "both" },
      { do: "regular pod", priority: 0, cpus: 1, gpus: 0 },
      { do: "pods", gang: 2, count: 3, gate: "none" },
      { do: "pods", gang: 4, count: 2, gate: "own" },
      { do: "relay restarts", isKilled: false, downMs: 5 },
      { do: "wait", ms: 5000 },
      { do: "delete gang", gang: 1 },
      { do: "pods", gang: 6, count: 4, gate: "own" },
    ],
  },
  "a gang that was let go for one of higher priority kept its place before that": {
    ...usual,
    seed: 1,
    gangs: [
      { minMember: 1, gpus: 1, cpus: 2, priority: 0 },
      ...Array.from({ length: 4 }, () => unused),
      { minMember: 4, gpus: 1, cpus: 2, priority: 10 },
      unused,
    ],
    nodes: [{ gpus: 0, cpus: 1 }],
    evicts: true,
    happenings: [
      { do: "add node", gpus: 1, cpus: 2 },
      { do: "add node", gpus: 2, cpus: 4 },
      { do: "pods", gang: 5, count: 4, gate: "none" },
      { do: "pods", gang: 0, count: 1, gate: "none" },
      { do: "regular pod", priority: 0, cpus: 1, gpus: 0 },
      { do: "wait", ms: 20 },
      { do: "network", loseRequest: 0, loseAnswer: 100, repeat: 0, delay: 0, refuse: 0 },
      { do: "wait", ms: 300 },
      { do: "pods", gang: 0, count: 4, gate: "none" },
      { do: "add node", gpus: 1, cpus: 2 },
    ],
  },
  "a member whose binding was being written was deleted for a preemptor": {
    ...usual,
    gangs: [
      { minMember: 1, gpus: 0, cpus: 1, priority: 0 },
      ...Array.from({ length: 3 }, () => unused),
      { minMember: 1, gpus: 0, cpus: 2, priority: 10 },
      ...Array.from({ length: 2 }, () => unused),
    ],
    nodes: [{ gpus: 0, cpus: 1 }],
    happenings: [
      { do: "API writes", fault: "delay" },
      { do: "pods", gang: 4, count: 1, gate: "none" },
      { do: "pods", gang: 0, count: 2, gate: "none" },
      { do: "pods", gang: 0, count: 1, gate: "none" },
      { do: "add node", gpus: 0, cpus: 2 },
      { do: "wait", ms: 1500 },
    ],
  },
  "a gang that was parked kept the room that it was planned": {
    ...usual,
    isMixed: true,
    profile: "koordinator",
    seed: 24,
    gangs: [
      unused,
      unused,
      { minMember: 1, gpus: 0, cpus: 1, priority: 0 },
      ...Array.from({ length: 2 }, () => unused),
      { minMember: 2, gpus: 1, cpus: 2, priority: 0 },
      unused,
    ],
    nodes: [{ gpus: 0, cpus: 1 }],
    happenings: [
      { do: "pods", gang: 0, count: 1, gate: "none" },
      { do: "regular pod", priority: 0, cpus: 1, gpus: 0 },
      { do: "pods", gang: 5, count: 3, gate: "none" },
      { do: "scheduler refuses pod", which: 132 },
      { do: "delete pod", which: 153 },
      { do: "API writes", fault: "delay" },
      { do: "scheduler refuses pod", which: 28 },
      { do: "add node", gpus: 2, cpus: 5 },
      { do: "wait", ms: 1500 },
      { do: "wait", ms: 5000 },
      { do: "pods", gang: 2, count: 1, gate: "own" },
      { do: "delete node", which: 0 },
      { do: "network", loseRequest: 0, loseAnswer: 0, repeat: 0, delay: 40, refuse: 0 },
      { do: "wait", ms: 65_000 },
    ],
  },
  "a member beyond those that are planned failed every round of its gang": {
    ...usual,
    isMixed: true,
    profile: "koordinator",
    gangs: [
      ...Array.from({ length: 2 }, () => unused),
      { minMember: 2, gpus: 0, cpus: 2, priority: 0 },
      { minMember: 2, gpus: 0, cpus: 1, priority: 0 },
      ...Array.from({ length: 3 }, () => unused),
    ],
    nodes: [{ gpus: 0, cpus: 1 }],
    happenings: [
      { do: "pods", gang: 3, count: 2, gate: "none" },
      { do: "add node", gpus: 0, cpus: 1 },
      { do: "pods", gang: 2, count: 2, gate: "none" },
      { do: "wait", ms: 5000 },
      { do: "pods", gang: 2, count: 1, gate: "none" },
      { do: "add node", gpus: 0, cpus: 4 },
    ],
  },
};
