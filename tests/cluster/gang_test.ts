import { assertEquals, assertStrictEquals } from "@std/assert";
import fc from "fast-check";
import { Gang, type Surroundings } from "../../shared/cluster/gang.ts";
import { recordOf } from "../../shared/cluster/pod_record.ts";
import { type ReadGang, readGang } from "../../shared/kubernetes/declaring/gang_reader.ts";
import { declaresSame } from "../../shared/kubernetes/declaring/member.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import { podGroupOf, podOf, type PodParts } from "../support/objects.ts";

const name = "pod-group.scheduling.sigs.k8s.io/name";
const quorum = "pod-group.scheduling.sigs.k8s.io/min-available";
const inPodGroup = { "scheduling.x-k8s.io/pod-group": "tf" };

/** A gang that a PodGroup declares, and how often that was looked for. */
function gangOfPodGroup(): { gang: Gang; reads: () => number; surroundings: Surroundings } {
  const podGroup = podGroupOf({ minMember: 3 });
  let count = 0;
  const surroundings = { findPodGroup: () => (count++, podGroup) };
  return { gang: new Gang("default/tf", surroundings), reads: () => count, surroundings };
}

const member = fc.record({
  name: fc.constantFrom("a", "b", "c", "d", "e", "f"),
  leaves: fc.boolean(),
  speaks: fc.boolean(),
  ends: fc.boolean(),
  binds: fc.boolean(),
  age: fc.constantFrom(0, 0, 0, 60),
  priority: fc.constantFrom(5, 5, 5, 5, 7),
  quorum: fc.constantFrom("3", "3", "3", "3", "4", "none", undefined),
  duration: fc.constantFrom(undefined, undefined, "1h"),
  role: fc.constantFrom(undefined, undefined, undefined, undefined, "worker"),
});

/** Whoever is a member says what another pod does. */
function speak(gang: Gang, { metadata: { uid, labels = {}, annotations = {} } }: Pod): void {
  const record = gang.members.get(uid)!;
  const before = record.pod;
  const pod = { ...before, metadata: { ...before.metadata, labels, annotations } };
  gang.memberChanged(Object.assign(record, { pod }));
  if (!declaresSame(before, pod)) gang.memberDeclares(before, pod);
}

for (const who of ["its pods say", "its PodGroup says"]) {
  Deno.test(`gang: what is remembered of its declaration is what ${who} now, whoever came and left`, () => {
    const isOfPodGroup = who === "its PodGroup says";
    let [read, kept] = [0, 0];
    fc.assert(
      fc.property(fc.array(member, { maxLength: 12 }), (steps) => {
        const { surroundings } = isOfPodGroup ? gangOfPodGroup() : { surroundings: {} };
        const gang = new Gang("default/tf", surroundings);
        for (
          const { leaves, speaks, ends, binds, duration, role, quorum: text, ...parts } of steps
        ) {
          const pod = podOf({
            ...parts,
            labels: {
              ...(isOfPodGroup ? inPodGroup : { [name]: "tf" }),
              ...(text !== undefined && { [quorum]: text }),
            },
            annotations: {
              ...(duration && { "muster.scheduling/expected-duration": duration }),
              ...(role && { "muster.scheduling/role": role, "muster.scheduling/role-min": "1" }),
            },
          });
          const { uid } = pod.metadata;
          const before = gang.members.size > 0 ? gang.read() : undefined;
          if (leaves) gang.memberLeft(uid);
          else if (!gang.members.has(uid)) gang.memberChanged(recordOf(pod, undefined));
          else if (speaks) speak(gang, pod);
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
          const anew = readGang(pods, surroundings);
          assertEquals(saidOf(gang.read()), saidOf(anew));
          assertEquals(gang.read().isUniform && !anew.isUniform, false);
          read++;
          if (gang.read().spec === before?.spec) kept++;
        }
      }),
      { numRuns: 500 },
    );
    assertEquals([read > 100, kept > 50], [true, true], `${kept} of ${read} were not read again`);
  });
}

Deno.test("gang: members of a PodGroup that come, or have ended and go, are not read one by one", () => {
  const { gang, reads } = gangOfPodGroup();
  const names = Array.from({ length: 20 }, (_, index) => `p${10 + index}`);
  const change = (name: string, phase?: string) => {
    const pod = podOf({ name, labels: inPodGroup, ...(phase && { phase }) });
    gang.memberChanged(recordOf(pod, undefined));
    gang.read();
  };
  const readsBy = (happens: (name: string) => void) => {
    const before = reads();
    for (const name of names) happens(name);
    return reads() - before;
  };
  const most = 8;
  assertEquals(readsBy((name) => change(name)) <= most, true);
  for (const name of names) change(name, "Succeeded");
  const gone = readsBy((name) => {
    gang.memberLeft(`uid-${name}`);
    gang.read();
  });
  assertEquals(gone <= most, true);
});

Deno.test("gang: members that do not rule and say something else are not read with all others", () => {
  const gang = new Gang("default/tf", {});
  const saying = (member: string, text: string | undefined) =>
    podOf({
      name: member,
      labels: { [name]: "tf", ...(text !== undefined && { [quorum]: text }) },
    });
  const others = ["b", "c", "d", "e", "f"];
  for (const member of ["a", ...others]) {
    gang.memberChanged(recordOf(saying(member, "3"), undefined));
  }
  const { spec } = gang.read();
  for (const text of ["4", "none", undefined, "3", "5"]) {
    for (const member of others) {
      speak(gang, saying(member, text));
      assertStrictEquals(gang.read().spec, spec);
    }
  }
  assertEquals(gang.read().warnings.length, others.length);
});

Deno.test("gang: a member of an earlier run that goes changes nothing of it", () => {
  const gang = new Gang("default/tf", {});
  const owned = (uid: string, parts: PodParts) => {
    const pod = podOf({ ...parts, labels: { [name]: "tf", [quorum]: "2" } });
    const ownerReferences = [{ kind: "Job", name: uid, uid, controller: true }];
    return recordOf({ ...pod, metadata: { ...pod.metadata, ownerReferences } }, undefined);
  };
  const annotations = { "muster.scheduling/role": "worker" };
  for (const name of ["a", "b", "c"]) {
    gang.memberChanged(owned("monday", { name, age: 60, phase: "Succeeded", annotations }));
  }
  gang.memberChanged(owned("tuesday", { name: "d", annotations }));
  const { lists } = gang;
  const read = gang.read();
  assertEquals(gang.counted().length, 1);
  gang.memberLeft("uid-a");
  assertStrictEquals(gang.read(), read);
  assertStrictEquals(gang.lists, lists);
});

/** Pods by name: they may have changed since they were read. */
function saidOf({ roleOf: _, isUniform: __, from, warnings, ...rest }: ReadGang): object {
  const nameOf = (pod: Pod | undefined) => pod?.metadata.name;
  return {
    ...rest,
    from: [from.ruling, from.oldest, from.waiting].map(nameOf),
    warnings: warnings.map(({ pod, message }) => `${nameOf(pod)}: ${message}`).sort(),
  };
}
