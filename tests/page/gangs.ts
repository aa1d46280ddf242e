/**
 * Gangs for a page to show.
 *
 * @module
 */
import type { ClusterMap } from "../../shared/core/gang/cluster_map.ts";
import { gang, group } from "../support/facts.ts";
import type { PageServer } from "./browser.ts";

let epoch = 0;

/** Who has so many nodes of 8 GPUs, or the domains of so many: whole nodes, parts of them, and some that are planned or held. */
export function mapOf(
  { places, isByNode, name = "" }: { places: number; isByNode: boolean; name?: string },
): ClusterMap {
  const gangs = Array.from({ length: 20 }, (_, index) => `vision/train-${index}${name}`);
  return {
    at: new Date().toISOString(),
    resource: "nvidia.com/gpu",
    levels: ["example.com/block", "example.com/rack"],
    gangs,
    places: Array.from({ length: places }, (_, index) => {
      const nodes = isByNode ? 1 : 16;
      const state = index % 7 === 0 ? "held" : index % 5 === 0 ? "planned" : "bound";
      return {
        domain: [
          `b${Math.floor(index / 32)}`,
          `r${Math.floor(index / (isByNode ? 8 : 1))}${name.slice(0, 60)}`,
        ],
        ...(isByNode && { node: `gpu-${index}${name}` }),
        nodes,
        allocatable: 8 * nodes,
        gangs: index % 9 === 8 ? [] : [
          { gang: Math.floor(index / 3) % 20, [state]: 4 * nodes },
          { gang: (index + 5) % 20, bound: (index % 4) * nodes },
        ],
        others: index % 4 === 1 ? { bound: nodes } : {},
      };
    }),
  };
}

/** Tells a stage, prefilter where no other is named, of a gang, made as `gang` makes one. */
export async function tell(
  server: PageServer,
  parts: Parameters<typeof gang>[0],
  { stage = "prefilter", ...more }: Record<string, unknown> = {},
): Promise<void> {
  const relay = { id: "relay", epoch: ++epoch };
  await server.post(`/v1/${stage}`, { ...group(gang(parts)), relay, ...more });
}

/** As they may be at the time of a gang. */
function resources(index: number) {
  const [gpus, held] = [3000 + Math.round(600 * Math.sin(index / 90)), index % 97];
  return [
    { name: "nvidia.com/gpu", allocatable: 4096, bound: gpus, held },
    { name: "cpu", allocatable: 16_384_000, bound: gpus * 2500, held: held * 2500 },
    { name: "memory", allocatable: 64 * 2 ** 40, bound: gpus * 2 ** 33, held: held * 2 ** 33 },
  ];
}

/** Of a gang that runs: some for longer than they declare, and of some nobody knows how long. */
function timesOf(index: number) {
  const startedAt = new Date(Date.now() - (index % 60) * 120_000).toISOString();
  const runTime = { seconds: 5400, source: "learnt", runs: 14, median: 3600 };
  return { startedAt, ...(index % 3 > 0 && { runTime }) };
}

/** Tells of so many gangs in all phases. */
export async function tellMany(server: PageServer, count: number): Promise<void> {
  const teams = ["vision", "speech", "ranking", "research"];
  const started = Date.now() - 6 * 3600_000;
  const all = Array.from({ length: count }, (_, index) => index);
  for (let first = 0; first < count; first += 50) {
    await Promise.all(
      all.slice(first, first + 50).map((index) => {
        const named = {
          namespace: teams[index % 4]!,
          name: `train-${String(index).padStart(4, "0")}`,
          minMember: 4 + index % 5,
          priority: index % 7 === 0 ? 100 : 0,
          createdAt: new Date(started + index * 15_000).toISOString(),
        };
        const { minMember } = named;
        switch (index % 10) {
          case 0:
            return tell(server, { ...named, pending: minMember - 2 });
          case 1:
            return tell(server, { ...named, running: 1, failed: minMember });
          case 2:
            return tell(server, { ...named, succeeded: minMember });
          case 3:
          case 4:
          case 5:
            return tell(server, { ...named, pending: minMember }, {
              fit: { members: 2, of: minMember, shortOf: "nvidia.com/gpu" },
            });
          default:
            return tell(server, { ...named, running: minMember }, {
              resources: resources(index),
              times: { [`${named.namespace}/${named.name}`]: timesOf(index) },
            });
        }
      }),
    );
  }
}
