/**
 * What the examples are asked about.
 *
 * @module
 */

/** What is asked for and shared out. */
export const gpu = "nvidia.com/gpu";
/** What the nodes have of it. */
export const resources = [{ name: gpu, allocatable: 16, bound: 8, held: 0 }];

/** So many GPUs that run. */
export function runs(
  namespace: string,
  gpus: number,
  parts: { name?: string; team?: string } = {},
) {
  const { name = "old", team } = parts;
  const attributes = team === undefined ? {} : { attributes: { team } };
  return { namespace, name, ...attributes, pods: 1, requests: { [gpu]: gpus } };
}

/** A policy that is reached over the network. */
export function over(url: string) {
  return {
    fetch: (request: Request) => fetch(url + new URL(request.url).pathname, request),
  };
}
