/**
 * What an API server serves of the kinds that not every one does.
 *
 * @module
 */
import type { KubeApi } from "./kube_api.ts";

/** A kind that may be served. */
export interface Kind {
  /** The API group. */
  readonly group: string;
  readonly plural: string;
  /** Versions that can be read, the best first; an API server serves some of them or none. */
  readonly versions: readonly string[];
}

/** Where objects of a kind are, and their `apiVersion`, which a list does not repeat for each. */
export interface Served {
  readonly apiVersion: string;
  readonly path: string;
}

interface ApiGroupList {
  readonly groups: readonly {
    readonly name: string;
    readonly versions: readonly { readonly version: string }[];
  }[];
}

interface ApiResourceList {
  readonly resources: readonly { readonly name: string }[];
}

/** What is served now: asks for the groups once, and for a version of a group where it can be read. */
export async function discover(
  api: KubeApi,
): Promise<(kind: Kind) => Promise<Served | undefined>> {
  const { groups } = await api.read<ApiGroupList>("/apis");
  return async ({ group, plural, versions }) => {
    const found = groups.find(({ name }) => name === group)?.versions ?? [];
    const served = found.map(({ version }) => version);
    for (const version of versions.filter((version) => served.includes(version))) {
      const apiVersion = `${group}/${version}`;
      // A group may be served without the kind.
      const { resources } = await api.read<ApiResourceList>(`/apis/${apiVersion}`);
      const isServed = resources.some(({ name }) => name === plural);
      if (isServed) return { apiVersion, path: `/apis/${apiVersion}/${plural}` };
    }
    return undefined;
  };
}
