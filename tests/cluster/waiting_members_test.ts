import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { type PodRecord, recordOf } from "../../shared/cluster/pod_record.ts";
import { WaitingMembers } from "../../shared/cluster/waiting_members.ts";
import { podOf } from "../support/objects.ts";

const label = { "pod-group.scheduling.sigs.k8s.io/name": "tf" };

function memberOf({ name, age }: { name: string; age: number }): PodRecord {
  return recordOf(podOf({ name, age, labels: label }), undefined);
}

Deno.test("waiting members: the first is the oldest that waits, in whatever order they came, got their nodes, ended and left", () => {
  const member = fc.record({ name: fc.stringMatching(/^[a-f]{1,3}$/), age: fc.nat({ max: 3 }) });
  const members = fc.uniqueArray(member, { selector: ({ name }) => name, minLength: 5 });
  fc.assert(
    fc.property(
      members,
      fc.array(fc.nat({ max: 20 }), { minLength: 5 }),
      fc.nat({ max: 5 }),
      (parts, goes, known) => {
        const records = parts.map(memberOf);
        const oldestFirst = parts.map(({ name, age }, index) => ({
          name,
          age,
          record: records[index]!,
        }))
          .sort((a, b) => b.age - a.age || (a.name < b.name ? -1 : 1));
        const waiting = new WaitingMembers(records.slice(0, known));
        const left = new Set<PodRecord>();
        const over = new Set<PodRecord>();
        const check = (came: number) => {
          const first = oldestFirst.find(({ record }) =>
            records.indexOf(record) < came && !left.has(record) && !over.has(record)
          );
          assertEquals(waiting.first((record) => !left.has(record)), first?.record.pod);
        };
        for (const [step, at] of goes.entries()) {
          const came = Math.min(known + step, records.length);
          if (known + step < records.length) waiting.add(records[came]!);
          const record = records[at % records.length]!;
          if (step % 3 === 0) left.add(record);
          else {
            over.add(record);
            const { pod } = record;
            record.pod = step % 3 === 1
              ? { ...pod, spec: { ...pod.spec, nodeName: "n" } }
              : { ...pod, status: { phase: "Failed" } };
          }
          check(came + 1);
        }
      },
    ),
    { numRuns: 2000 },
  );
});
