/**
 * Histories of preemptors and victims that broke a rule once, by what was wrong.
 *
 * @module
 */
import { unused, usual } from "./found.ts";
import type { History } from "./history.ts";

export const foundInPreemptions: Readonly<Record<string, History>> = {
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
  "a gang that was let go for a pod made room for it for seconds after that was gone": {
    ...usual,
    isPrompt: true,
    seed: 721528598,
    gangs: [
      ...Array(5).fill(unused),
      { minMember: 1, gpus: 1, cpus: 1, priority: 0 },
      { minMember: 4, gpus: 1, cpus: 1, priority: 30 },
    ],
    nodes: [{ gpus: 4, cpus: 8 }],
    happenings: [
      { do: "regular pod", priority: 0, cpus: 1, gpus: 1 },
      { do: "regular pod", priority: 0, cpus: 1, gpus: 1 },
      { do: "regular pod", priority: 0, cpus: 1, gpus: 1 },
      { do: "regular pod", priority: 20, cpus: 1, gpus: 1 },
      { do: "pods", gang: 5, count: 1, gate: "none" },
      { do: "wait", ms: 1000 },
      { do: "regular pod", priority: 5, cpus: 1, gpus: 1 },
      { do: "regular pod", priority: 5, cpus: 1, gpus: 1 },
      { do: "regular pod", priority: 20, cpus: 1, gpus: 1 },
      { do: "regular pod", priority: 5, cpus: 1, gpus: 1 },
      { do: "pods", gang: 6, count: 1, gate: "own" },
      { do: "wait", ms: 300 },
    ],
  },
  "a pod that the scheduler was about to evict was evicted by Muster first, and its preemptor slept":
    {
      ...usual,
      isPrompt: true,
      seed: 413462147,
      evicts: true,
      gangs: [
        ...Array(6).fill(unused),
        { minMember: 2, gpus: 1, cpus: 1, priority: 10, says: {} },
      ],
      nodes: [{ gpus: 2, cpus: 8 }, { gpus: 2, cpus: 8 }],
      happenings: [
        { do: "regular pod", priority: 20, cpus: 1, gpus: 1 },
        { do: "pods", gang: 6, count: 1, gate: "own" },
        { do: "regular pod", priority: 0, cpus: 1, gpus: 1 },
        { do: "regular pod", priority: 20, cpus: 1, gpus: 1 },
        { do: "wait", ms: 3 },
        { do: "regular pod", priority: 5, cpus: 1, gpus: 1 },
        { do: "wait", ms: 3 },
        { do: "regular pod", priority: 20, cpus: 1, gpus: 1 },
      ],
    },
  "a pod that Muster had just evicted was left to the scheduler to evict, and its preemptor slept":
    {
      ...usual,
      isPrompt: true,
      seed: 2059682194,
      evicts: true,
      gangs: [
        { minMember: 2, gpus: 1, cpus: 1, priority: 30, says: {} },
        ...Array(3).fill(unused),
        { minMember: 2, gpus: 1, cpus: 1, priority: 10, says: {} },
      ],
      nodes: [{ gpus: 1, cpus: 8 }, { gpus: 4, cpus: 8 }],
      happenings: [
        { do: "regular pod", priority: 0, cpus: 1, gpus: 1 },
        { do: "pods", gang: 4, count: 1, gate: "none" },
        { do: "regular pod", priority: 0, cpus: 1, gpus: 1 },
        { do: "regular pod", priority: 0, cpus: 1, gpus: 1 },
        { do: "pods", gang: 0, count: 1, gate: "none" },
        { do: "regular pod", priority: 20, cpus: 1, gpus: 1 },
        { do: "regular pod", priority: 0, cpus: 1, gpus: 1 },
        { do: "wait", ms: 5000 },
        { do: "regular pod", priority: 20, cpus: 1, gpus: 1 },
        { do: "regular pod", priority: 20, cpus: 1, gpus: 1 },
      ],
    },
  "members that may evict for themselves were woken by a second look, because the first said afterwards where others are to go":
    {
      ...usual,
      evicts: true,
      gangs: [
        { minMember: 2, gpus: 0, cpus: 2, priority: 10 },
        ...Array(3).fill(unused),
        { minMember: 1, gpus: 0, cpus: 1, priority: 0 },
        ...Array(2).fill(unused),
      ],
      nodes: [{ gpus: 0, cpus: 1 }],
      happenings: [
        { do: "pods", gang: 0, count: 4, gate: "none" },
        { do: "binding takes", ms: 2000 },
        { do: "pods", gang: 4, count: 2, gate: "none" },
        { do: "wait", ms: 5000 },
        { do: "add node", gpus: 0, cpus: 4 },
        { do: "wait", ms: 12_000 },
      ],
    },
};
