import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { Gang } from "../../shared/cluster/gang.ts";
import { recordOf } from "../../shared/cluster/pod_record.ts";
import { type ReadGang, readGang } from "../../shared/kubernetes/declaring/gang_reader.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import { podOf } from "../support/objects.ts";

const name = "pod-group.scheduling.sigs.k8s.io/name";
const quorum = "pod-group.scheduling.sigs.k8s.io/min-available";

const member = fc.record({
  name: fc.constantFrom("a", "b", "c", "d", "e", "f"),
  leaves: fc.boolean(),
  ends: fc.boolean(),
  binds: fc.boolean(),
  age: fc.constantFrom(0, 0, 0, 60),
  priority: fc.constantFrom(5, 5, 5, 5, 7),
  quorum: fc.constantFrom("3", "3", "3", "3", "4", "none", undefined),
  role: fc.constantFrom(undefined, undefined, undefined, undefined, "worker"),
});

Deno.test("gang: what is remembered of its declaration is what its members say now, whoever came and left", () => {
  let [read, kept] = [0, 0];
  fc.assert(
    fc.property(fc.array(member, { maxLength: 12 }), (steps) => {
      const gang = new Gang("default/tf", {});
      for (const { leaves, ends, binds, role, quorum: text, ...parts } of steps) {
        const pod = podOf({
          ...parts,
          labels: { [name]: "tf", ...(text !== undefined && { [quorum]: text }) },
          ...(role && {
            annotations: { "muster.scheduling/role": role, "muster.scheduling/role-min": "1" },
          }),
        });
        const { uid } = pod.metadata;
        const before = gang.members.size > 0 ? gang.read() : undefined;
        if (leaves) gang.memberLeft(uid);
        else if (!gang.members.has(uid)) gang.memberChanged(recordOf(pod, undefined));
        else if (ends) {
          const record = gang.members.get(uid)!;
          gang.memberChanged(
            Object.assign(record, { pod: { ...record.pod, status: { phase: "Failed" } } }),
          );
        } else if (binds) {
          const record = gang.members.get(uid)!;
          const spec = { ...record.pod.spec, nodeName: "n" };
          gang.memberChanged(Object.assign(record, { pod: { ...record.pod, spec } }));
        }
        if (gang.members.size === 0) continue;
        const pods = [...gang.members.values()].map(({ pod }) => pod);
        assertEquals(saidOf(gang.read()), saidOf(readGang(pods)));
        read++;
        if (gang.read() === before) kept++;
      }
    }),
    { numRuns: 500 },
  );
  assertEquals([read > 100, kept > 50], [true, true], `${kept} of ${read} were not read again`);
});

/** Pods by name: they may have changed since they were read. */
function saidOf({ roleOf: _, from, warnings, ...rest }: ReadGang): object {
  const nameOf = (pod: Pod | undefined) => pod?.metadata.name;
  return {
    ...rest,
    from: [from.ruling, from.oldest, from.waiting].map(nameOf),
    warnings: warnings.map(({ pod, message }) => [nameOf(pod), message]),
  };
}
