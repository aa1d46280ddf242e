import { type Declaration, encodeMembers, type LoadClient } from "./load_client.ts";
import { type Gang, GPUS_PER_NODE } from "./work.ts";

/** Requests at the same time. */
const creators = 24;
/** Members of a gang that fits nowhere. */
export const queuedSize = 5;

/** Creates the pods of a gang; resolves with the seconds until all are bound. */
export async function bindPods(
  client: LoadClient,
  gang: Gang,
  declaration: Declaration = {},
): Promise<number> {
  const bodies = encodeMembers(gang, declaration);
  const watching = new AbortController();
  const all = Promise.withResolvers<void>();
  let left = gang.size;
  const watch = client.watchBound((name) => {
    if (name.startsWith(`${gang.name}-`) && --left === 0) all.resolve();
  }, watching.signal);
  const from = performance.now();
  await inTurn(bodies, (body) => client.createPod(body));
  await Promise.race([all.promise, watch]);
  const seconds = (performance.now() - from) / 1000;
  watching.abort();
  await watch;
  return seconds;
}

/** Deletes the pods of a gang. */
export async function deletePods(client: LoadClient, { name, size }: Gang): Promise<void> {
  const names = Array.from({ length: size }, (_, index) => `${name}-${index}`);
  await inTurn(names, (pod) => client.deletePod(pod));
}

/** Does the same for all, some at a time. */
export async function inTurn<T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: creators }, async () => {
    while (next < items.length) await work(items[next++]!);
  }));
}

/** Creates the members of gangs that fit nowhere. */
export async function queue(
  client: LoadClient,
  { gangs, declaration = {} }: { gangs: number; declaration?: Declaration },
): Promise<void> {
  const bodies = Array.from({ length: gangs }, (_, index) =>
    encodeMembers({
      name: `queued-${index}`,
      size: queuedSize,
      gpus: GPUS_PER_NODE * 2,
    }, declaration)).flat();
  await inTurn(bodies, (body) => client.createPod(body));
}
