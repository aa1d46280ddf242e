import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { type PodRecord, recordOf } from "../../shared/cluster/pod_record.ts";
import { WaitingMembers } from "../../shared/cluster/waiting_members.ts";
import { podOf } from "../support/objects.ts";

const label = { "pod-group.scheduling.sigs.k8s.io/name": "tf" };

function memberOf({ name, age }: { name: string; age: number }): PodRecord {
  return recordOf(podOf({ name, age, labels: label }), undefined);
}

Deno.test("waiting members: the first is the oldest that waits, in whatever order they came, got their nodes and left", () => {
  const member = fc.record({ name: fc.stringMatching(/^[a-f]{1,3}$/), age: fc.nat({ max: 3 }) });
  const members = fc.uniqueArray(member, { selector: ({ name }) => name, minLength: 1 });
  fc.assert(fc.property(members, fc.array(fc.nat()), fc.nat(), (parts, goes, known) => {
    const records = parts.map(memberOf);
    const oldestFirst = parts.map(({ name, age }, index) => ({
      name,
      age,
      record: records[index]!,
    }))
      .sort((a, b) => b.age - a.age || (a.name < b.name ? -1 : 1));
    const waiting = new WaitingMembers(records.slice(0, known));
    for (const record of records.slice(known)) waiting.add(record);
    const left = new Set<PodRecord>();
    for (const [step, at] of goes.entries()) {
      const record = records[at % records.length]!;
      if (step % 2 === 0) left.add(record);
      else record.pod = { ...record.pod, spec: { ...record.pod.spec, nodeName: "n" } };
      const first = oldestFirst.find(({ record }) =>
        !left.has(record) && record.pod.spec.nodeName === undefined
      );
      assertEquals(waiting.first((record) => !left.has(record)), first?.record.pod);
    }
  }));
});
