/**
 * Histories of gangs in trees that broke a rule once, by what was wrong.
 *
 * @module
 */
import { unused, usual } from "./found.ts";
import type { History } from "./history.ts";

export const foundInTrees: Readonly<Record<string, History>> = {
  "a pod left whose room was not needed any more when the rest of a composite left with others": {
    ...usual,
    evicts: true,
    gangs: [
      unused,
      { minMember: 1, gpus: 1, cpus: 1, priority: 10 },
      ...Array.from({ length: 5 }, () => unused),
      { minMember: 2, gpus: 2, cpus: 1, priority: 0 },
      unused,
      ...Array.from({ length: 2 }, () => unused),
    ],
    tree: { name: "t0", needs: 2, parts: [7, 8] },
    nodes: [{ gpus: 1, cpus: 1 }],
    happenings: [
      { do: "add node", gpus: 4, cpus: 3 },
      { do: "change needs", which: 0, needs: 1 },
      { do: "pods", gang: 7, count: 2, gate: "none" },
      { do: "wait", ms: 1500 },
      { do: "finish pod", which: 0, phase: "Succeeded" },
      { do: "change minMember", gang: 1, minMember: 3 },
      { do: "change needs", which: 0, needs: 2 },
      { do: "pods", gang: 8, count: 1, gate: "none" },
      { do: "pods", gang: 1, count: 3, gate: "none" },
      { do: "regular pod", priority: 0, cpus: 1, gpus: 0 },
    ],
  },
  "members of a gang that its group started without were woken and refused in turn without a pause":
    {
      ...usual,
      gangs: [
        ...Array.from({ length: 7 }, () => unused),
        { minMember: 2, gpus: 0, cpus: 1, priority: 0 },
        unused,
        { minMember: 2, gpus: 0, cpus: 1, priority: 0 },
        unused,
      ],
      tree: { name: "t0", needs: 1, parts: [7, 8] },
      nodes: [{ gpus: 0, cpus: 1 }],
      happenings: [
        { do: "pods", gang: 7, count: 2, gate: "none" },
        { do: "pods", gang: 8, count: 1, gate: "none" },
        { do: "scheduler refuses pod", which: 1 },
        { do: "scheduler refuses pod", which: 0 },
        { do: "add node", gpus: 0, cpus: 1 },
        { do: "wait", ms: 65000 },
      ],
    },
  "gangs of a composite that had fewer parts than it needs were let in": {
    ...usual,
    gangs: Array.from({ length: 11 }, () => unused),
    tree: {
      name: "t0",
      needs: 1,
      parts: [{ name: "t1", needs: 2, parts: [7, 8] }, { name: "t2", needs: 1, parts: [9, 10] }],
    },
    nodes: [{ gpus: 0, cpus: 1 }],
    happenings: [
      { do: "pods", gang: 7, count: 1, gate: "none" },
      { do: "pods", gang: 8, count: 1, gate: "none" },
      { do: "add node", gpus: 0, cpus: 1 },
      { do: "wait", ms: 1000 },
      { do: "delete native group", which: 23 },
    ],
  },
  "a gang that nobody had created counted among those that a victim breaks": {
    ...usual,
    gangs: [
      { minMember: 2, gpus: 0, cpus: 1, priority: 0 },
      ...Array.from({ length: 3 }, () => unused),
      { minMember: 1, gpus: 0, cpus: 2, priority: 10 },
      ...Array.from({ length: 2 }, () => unused),
      { minMember: 1, gpus: 0, cpus: 2, priority: 0 },
      ...Array.from({ length: 3 }, () => unused),
    ],
    tree: { name: "t0", needs: 1, parts: [7, 8] },
    nodes: [{ gpus: 0, cpus: 1 }],
    happenings: [
      { do: "add node", gpus: 0, cpus: 5 },
      { do: "pods", gang: 7, count: 2, gate: "none" },
      { do: "pods", gang: 0, count: 3, gate: "none" },
      { do: "wait", ms: 5000 },
      { do: "add node", gpus: 0, cpus: 2 },
      { do: "wait", ms: 1 },
      { do: "regular pod", priority: 5, cpus: 3, gpus: 0 },
      { do: "wait", ms: 1 },
      { do: "pods", gang: 4, count: 1, gate: "none" },
    ],
  },
  "a group followed another tree than there was, because of a gang that had no members any more": {
    ...usual,
    gangs: Array.from({ length: 11 }, () => unused),
    tree: { name: "t0", needs: 1, parts: [7, 8] },
    nodes: [{ gpus: 0, cpus: 1 }],
    happenings: [
      { do: "pods", gang: 7, count: 1, gate: "none" },
      { do: "pods", gang: 8, count: 1, gate: "none" },
      { do: "delete gang", gang: 7 },
      { do: "change needs", which: 0, needs: 2 },
    ],
  },
  "members that no gang needs took the room of a gang that its group can do without": {
    ...usual,
    gangs: [
      ...Array.from({ length: 7 }, () => unused),
      { minMember: 1, gpus: 0, cpus: 2, priority: 0 },
      unused,
      { minMember: 3, gpus: 0, cpus: 2, priority: 0 },
      unused,
    ],
    tree: { name: "t0", needs: 1, parts: [7, { name: "t1", needs: 1, parts: [8, 9] }] },
    nodes: [{ gpus: 0, cpus: 1 }],
    happenings: [
      { do: "regular pod", priority: 0, cpus: 2, gpus: 0 },
      { do: "network", loseRequest: 0, loseAnswer: 0, repeat: 0, delay: 40, refuse: 0 },
      { do: "pods", gang: 9, count: 3, gate: "none" },
      { do: "wait", ms: 65_000 },
      { do: "add node", gpus: 0, cpus: 2 },
      { do: "add node", gpus: 0, cpus: 8 },
      { do: "wait", ms: 3 },
      { do: "wait", ms: 3 },
      { do: "pods", gang: 7, count: 2, gate: "none" },
    ],
  },
  "a gang that its group can do without went elsewhere with every plan": {
    ...usual,
    gangs: [
      ...Array.from({ length: 7 }, () => unused),
      { minMember: 2, gpus: 0, cpus: 2, priority: 0 },
      unused,
      { minMember: 2, gpus: 0, cpus: 2, priority: 0 },
      unused,
    ],
    tree: { name: "t0", needs: 1, parts: [7, { name: "t1", needs: 1, parts: [8, 9] }] },
    nodes: [{ gpus: 0, cpus: 4 }, { gpus: 0, cpus: 1 }],
    happenings: [
      { do: "network", loseRequest: 100, loseAnswer: 0, repeat: 0, delay: 0, refuse: 0 },
      { do: "pods", gang: 9, count: 2, gate: "none" },
      { do: "add node", gpus: 0, cpus: 6 },
      { do: "wait", ms: 3 },
      { do: "pods", gang: 7, count: 2, gate: "none" },
      { do: "scheduler refuses pod", which: 251 },
      { do: "wait", ms: 5000 },
    ],
  },
  "nodes that were cleared for one gang of a group went to the members of another": {
    ...usual,
    gangs: [
      ...Array.from({ length: 7 }, () => unused),
      { minMember: 1, gpus: 0, cpus: 1, priority: 10 },
      ...Array.from({ length: 3 }, () => unused),
    ],
    tree: { name: "t0", needs: 2, parts: [7, 8] },
    nodes: [{ gpus: 0, cpus: 1 }],
    evicts: true,
    happenings: [
      { do: "pods", gang: 8, count: 1, gate: "none" },
      { do: "pods", gang: 0, count: 1, gate: "none" },
      { do: "wait", ms: 5000 },
      { do: "change needs", which: 0, needs: 1 },
      { do: "pods", gang: 7, count: 1, gate: "none" },
    ],
  },
  "a member refused before it was seen slept on, because its group had been let in without its gang":
    {
      ...usual,
      gangs: Array.from({ length: 9 }, () => unused),
      tree: { name: "t0", needs: 1, parts: [7, 8] },
      nodes: [{ gpus: 0, cpus: 1 }],
      happenings: [
        { do: "pods", gang: 7, count: 1, gate: "none" },
        { do: "watch lags", ms: 2500 },
        { do: "pods", gang: 8, count: 1, gate: "none" },
        { do: "add node", gpus: 0, cpus: 1 },
      ],
    },
};
