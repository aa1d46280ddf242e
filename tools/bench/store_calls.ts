import { type GangFacts, type Group, noMembers } from "../../shared/core/gang/facts.ts";
import type { Call } from "./store_load.ts";

/** Facts grow with every call, as those of a relay do: each call is decided and written anew. */
let epoch = 0;

/** Calls of permit about gangs in turn, all of whose members but one are held. */
export function permitCalls({ objects, size }: { objects: number; size: number }): () => Call {
  const gangs = Array.from(
    { length: objects },
    (_, index) => gangOf(`permit-${size}-${index}`, { size, held: size - 1, pending: 1 }),
  );
  return inTurn(gangs, "/v1/permit");
}

/** Calls of prefilter about so many gangs in turn, each of which changes the gang's line in the index. */
export function reportCalls(gangs: number): () => Call {
  let round = 0;
  let index = -1;
  return () => {
    index = (index + 1) % gangs;
    if (index === 0) round++;
    const pending = 1 + round % 7;
    return { path: "/v1/prefilter", body: told(gangOf(`waits-${index}`, { size: 8, pending })) };
  };
}

/** Calls of queue-sort about so many gangs that {@linkcode reportCalls} has told of. */
export function queueSortCalls(gangs: number): () => Call {
  const units = Array.from({ length: gangs }, (_, index) => {
    const { gang } = gangOf(`waits-${index}`, { size: 8 });
    return { id: `default/${gang.name}`, gang, priority: 0, queuedAt: gang.createdAt, bound: 0 };
  });
  return () => ({ path: "/v1/queue-sort", body: { units } });
}

/** Reads of the gangs that {@linkcode reportCalls} has told of, in turn. */
export function gangCalls(gangs: number): () => Call {
  let index = 0;
  return () => ({ path: `/v1/gangs/default/waits-${index++ % gangs}` });
}

/** Reads of the first page of the list. */
export function listCalls(limit: number): () => Call {
  return () => ({ path: `/v1/gangs?limit=${limit}` });
}

function inTurn(gangs: readonly GangFacts[], path: string): () => Call {
  let index = 0;
  return () => ({ path, body: told(gangs[index++ % gangs.length]!) });
}

function told(facts: GangFacts): Group {
  return { relay: { id: "bench", epoch: ++epoch }, gangs: [facts] };
}

function gangOf(
  name: string,
  { size, held = 0, pending = 0 }: { size: number; held?: number; pending?: number },
): GangFacts {
  return {
    gang: { namespace: "default", name, minMember: size, createdAt: "2026-01-01T00:00:00Z" },
    census: { ...noMembers, pending },
    held: Array.from({ length: held }, (_, index) => ({
      namespace: "default",
      name: `${name}-${index}`,
      uid: `${name}-${index}-4f0c9a55-3c6c`,
      node: `node-${index % 100}`,
    })),
  };
}
