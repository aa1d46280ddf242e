/**
 * `kubectl muster unpark`: lets gangs try again that timed out for good (S3).
 *
 * @module
 */
import { parkedAnnotation } from "../../shared/cluster/pod_record.ts";
import { membershipOf } from "../../shared/kubernetes/declaring/dialect.ts";
import { mergePatch } from "../../shared/kubernetes/writes.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import { print } from "../print.ts";
import { type AccessOptions, gangsNamed, withCluster } from "./access.ts";
import { exitCodes, Failure } from "./failure.ts";
import { printable } from "./table.ts";

/** Removes the timeout annotation from the members of gangs. */
export async function unpark(names: readonly string[], options: AccessOptions): Promise<number> {
  const gangs = await gangsNamed(names, options);
  return await withCluster(options, async (api) => {
    for (const { namespace, name } of gangs) {
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
      const { items: pods } = await api.list<Pod>(path);
      const members = pods.filter((pod) => membershipOf(pod)?.name === name);
      if (members.length === 0) {
        throw new Failure(
          `No pod of a gang "${namespace}/${name}" exists: "kubectl muster list -A" shows all gangs`,
          exitCodes.notFound,
        );
      }
      const parked = members.filter(({ metadata }) =>
        parkedAnnotation in (metadata.annotations ?? {})
      );
      for (const { metadata } of parked) {
        const change = {
          metadata: { uid: metadata.uid, annotations: { [parkedAnnotation]: null } },
        };
        await api.write(mergePatch(`${path}/${metadata.name}`, change));
      }
      const title = printable(`gang ${namespace}/${name}`);
      print(
        parked.length > 0
          ? `${title} is not parked any more: it is tried again (${parked.length} pods changed)`
          : `${title} is not parked: nothing to do`,
      );
    }
    return exitCodes.done;
  });
}
