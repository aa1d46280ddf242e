/**
 * Histories that broke a rule once, by what was wrong.
 *
 * @module
 */
import type { History } from "./history.ts";

export const found: Readonly<Record<string, History>> = {
  "a member beyond those that are planned took the room of one that was on its way, whose node was then taken for refused":
    {
      seed: 0,
      profile: "default",
      longestHold: 3000,
      nodes: [4],
      gangs: [
        { minMember: 4, gpus: 2, isGrouped: true },
        { minMember: 1, gpus: 1, isGrouped: false },
        { minMember: 1, gpus: 1, isGrouped: true },
        { minMember: 2, gpus: 2, isGrouped: true },
      ],
      happenings: [
        { do: "create", gang: 0, members: 1 },
        { do: "node", gpus: 2 },
        { do: "create", gang: 2, members: 1 },
        { do: "create", gang: 3, members: 3 },
        { do: "node", gpus: 3 },
        { do: "node", gpus: 2 },
        { do: "create", gang: 0, members: 3 },
        { do: "slow functions", ms: 943 },
        { do: "wait", ms: 5 },
        { do: "node", gpus: 2 },
        { do: "wait", ms: 3056 },
        { do: "restart scheduler" },
      ],
    },
  "two members were sent to a node on which the next plan had one place, and each kept the other from it":
    {
      seed: 0,
      profile: "default",
      longestHold: 3000,
      nodes: [2, 2, 3],
      gangs: [
        { minMember: 2, gpus: 2, isGrouped: true },
        { minMember: 1, gpus: 1, isGrouped: true },
      ],
      happenings: [
        { do: "create", gang: 0, members: 2 },
        { do: "create", gang: 1, members: 2 },
        { do: "wait", ms: 21 },
        { do: "create", gang: 0, members: 1 },
        { do: "wait", ms: 3098 },
      ],
    },
  "nodes that took a member alone and not two were refused and offered in turn for ever": {
    seed: 0,
    profile: "default",
    longestHold: 3000,
    nodes: [4, 4],
    gangs: [
      { minMember: 4, gpus: 1, isGrouped: true, isApart: true },
      { minMember: 2, gpus: 2, isGrouped: true, isApart: true },
    ],
    happenings: [
      { do: "create", gang: 0, members: 4 },
      { do: "create", gang: 1, members: 2 },
    ],
  },
  "members that were not needed waited for ever behind a gang that was tried in vain again and again":
    {
      seed: 0,
      profile: "default",
      longestHold: 50_000,
      nodes: [3],
      gangs: [
        { minMember: 1, gpus: 1, isGrouped: false, prefersHost: true },
        { minMember: 2, gpus: 1, isGrouped: false, isApart: true },
      ],
      happenings: [
        { do: "create", gang: 0, members: 1 },
        { do: "wait", ms: 3000 },
        { do: "create", gang: 1, members: 2 },
        { do: "wait", ms: 8000 },
        { do: "create", gang: 0, members: 2 },
      ],
    },
  "members that were not needed waited for ever behind those of another gang that no node took": {
    seed: 0,
    profile: "default",
    longestHold: 3000,
    nodes: [2, 1],
    gangs: [
      { minMember: 1, gpus: 1, isGrouped: false, isApart: true },
      { minMember: 1, gpus: 1, isGrouped: false, prefersHost: true },
    ],
    happenings: [
      { do: "node", gpus: 1 },
      { do: "create", gang: 0, members: 1 },
      { do: "create", gang: 1, members: 2 },
      { do: "create", gang: 0, members: 1 },
      { do: "create", gang: 0, members: 1 },
    ],
  },
  "a member was bound in another rack than those for which its gang had been planned anew since it was let through":
    {
      seed: 0,
      profile: "default",
      longestHold: 3000,
      bindMs: 2,
      nodes: [2],
      gangs: [{ minMember: 2, gpus: 2, isGrouped: false, requiresRack: true }],
      happenings: [
        { do: "create", gang: 0, members: 1 },
        { do: "node", gpus: 4 },
        { do: "delete", which: 0 },
        { do: "plugins refuse", node: 0, gang: 0 },
        { do: "create", gang: 0, members: 2 },
        { do: "create", gang: 0, members: 2 },
        { do: "create", gang: 0, members: 1 },
        { do: "create", gang: 0, members: 3 },
        { do: "node", gpus: 2 },
        { do: "plugins refuse", node: 1, gang: 0 },
        { do: "create", gang: 0, members: 2 },
        { do: "create", gang: 0, members: 4 },
        { do: "create", gang: 0, members: 2 },
        { do: "create", gang: 0, members: 4 },
        { do: "wait", ms: 1006 },
      ],
    },
  "a member that came where its gang was not planned any more did not show that the scheduler takes it there":
    {
      seed: 756999236,
      profile: "default",
      longestHold: 3000,
      bindMs: 200,
      nodes: [1, 2, 3],
      gangs: [
        { minMember: 1, gpus: 1, isGrouped: false, requiresRack: true },
        { minMember: 1, gpus: 1, isGrouped: false },
        { minMember: 1, gpus: 2, isGrouped: false },
      ],
      happenings: [
        { do: "wait", ms: 0 },
        { do: "delete", which: 0 },
        { do: "create", gang: 2, members: 3 },
        { do: "node", gpus: 2 },
        { do: "create", gang: 0, members: 3 },
        { do: "delete", which: 0 },
        { do: "create", gang: 0, members: 2 },
        { do: "outage", ms: 4105 },
        { do: "create", gang: 0, members: 3 },
        { do: "create", gang: 0, members: 4 },
      ],
    },
  "a member that is not needed waited for ever for the room that its gang's plan, which was kept, had found for it":
    {
      seed: 0,
      profile: "sigs",
      longestHold: 50_000,
      nodes: [4, 2],
      gangs: [
        { minMember: 1, gpus: 2, isGrouped: false, requiresRack: true },
        { minMember: 2, gpus: 2, isGrouped: false, requiresRack: true },
        { minMember: 2, gpus: 1, isGrouped: false },
      ],
      happenings: [
        { do: "create", gang: 1, members: 3 },
        { do: "wait", ms: 1109 },
        { do: "delete", which: 0 },
        { do: "create", gang: 1, members: 1 },
        { do: "node", gpus: 2 },
        { do: "create", gang: 3, members: 1 },
        { do: "create", gang: 2, members: 3 },
        { do: "create", gang: 0, members: 1 },
        { do: "delete", which: 0 },
      ],
    },
};
