import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { Gang } from "../../shared/cluster/gang.ts";
import { recordOf } from "../../shared/cluster/pod_record.ts";
import { readGang } from "../../shared/kubernetes/declaring/gang_reader.ts";
import { podOf } from "../support/objects.ts";

const name = "pod-group.scheduling.sigs.k8s.io/name";
const quorum = "pod-group.scheduling.sigs.k8s.io/min-available";

const member = fc.record({
  name: fc.constantFrom("a", "b", "c", "d", "e", "f"),
  leaves: fc.boolean(),
  ends: fc.boolean(),
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
      for (const { leaves, ends, role, quorum: text, ...parts } of steps) {
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
            Object.assign(record, { pod: { ...record.pod, status: { phase: "Succeeded" } } }),
          );
        }
        if (gang.members.size === 0) continue;
        const pods = [...gang.members.values()].map(({ pod }) => pod);
        const { roleOf: _, ...now } = gang.read();
        const { roleOf: __, ...anew } = readGang(pods);
        assertEquals(now, anew);
        read++;
        if (gang.read() === before) kept++;
      }
    }),
    { numRuns: 500 },
  );
  assertEquals([read > 100, kept > 50], [true, true], `${kept} of ${read} were not read again`);
});
