import { assertEquals } from "@std/assert";
import { readGang } from "../../../shared/kubernetes/declaring/gang_reader.ts";
import { sigsPodGroup } from "../../../shared/kubernetes/declaring/pod_group.ts";
import { declaresSame } from "../../../shared/kubernetes/declaring/member.ts";
import { podGroupOf, podOf, type PodParts } from "../../support/objects.ts";

const expected = "muster.scheduling/expected-duration";
const most = "kueue.x-k8s.io/max-exec-time-seconds";

const gang = {
  "pod-group.scheduling.sigs.k8s.io/name": "tf",
  "pod-group.scheduling.sigs.k8s.io/min-available": "2",
};
const crd = { "pod-group.scheduling.sigs.k8s.io": "tf" };

function member(name: string, parts: PodParts = {}, labels: Record<string, string> = gang) {
  return podOf({ name, ...parts, labels: { ...labels, ...parts.labels } });
}

const table: [about: string, members: PodParts[], expect: string | undefined][] = [
  ["what nobody says is not known", [{}, {}], undefined],
  ["what it declares", [{ annotations: { [expected]: "1h30m" } }], "5400 declared"],
  ["by a label, too", [{ labels: { [expected]: "90m" } }], "5400 declared"],
  [
    "what it declares before its deadline",
    [{ annotations: { [expected]: "60s" }, activeDeadlineSeconds: 3600 }],
    "60 declared",
  ],
  [
    "its longest deadline",
    [{ activeDeadlineSeconds: 60 }, { activeDeadlineSeconds: 90 }],
    "90 deadline",
  ],
  ["without one of a member, none", [{ activeDeadlineSeconds: 60 }, {}], undefined],
  ["no deadline in centuries", [{ activeDeadlineSeconds: Number(2n ** 63n - 1n) }], undefined],
  ["that of Kueue", [{ labels: { [most]: "1800" } }], "1800 deadline"],
  [
    "its pods' own before that of Kueue",
    [{ activeDeadlineSeconds: 60, labels: { [most]: "1800" } }],
    "60 deadline",
  ],
  ["of Kueue nothing that is no number", [{ labels: { [most]: "soon" } }], undefined],
];

for (const [about, members, expect] of table) {
  Deno.test(`run time: ${about}`, () => {
    const { runTime } = readGang(members.map((parts, index) => member(`p${index}`, parts)));
    assertEquals(runTime && `${runTime.seconds} ${runTime.source}`, expect);
  });
}

const ofJob: [about: string, members: PodParts[], expect: string | undefined][] = [
  ["where its pods have none", [{}, {}], "600 deadline"],
  ["which ends before theirs", [{ activeDeadlineSeconds: 900 }], "600 deadline"],
  ["which ends after theirs", [{ activeDeadlineSeconds: 60 }], "60 deadline"],
  ["before that of Kueue", [{ labels: { [most]: "1800" } }], "600 deadline"],
  ["after what is declared", [{ annotations: { [expected]: "1h" } }], "3600 declared"],
];

for (const [about, members, expect] of ofJob) {
  Deno.test(`run time: the deadline of a Job, ${about}`, () => {
    const pods = members.map((parts, index) => member(`p${index}`, parts));
    const { runTime } = readGang(pods, { jobDeadlineOf: () => 600 });
    assertEquals(runTime && `${runTime.seconds} ${runTime.source}`, expect);
  });
}

Deno.test("run time: a PodGroup declares it where no pod does", () => {
  const findPodGroup = (kind: unknown) =>
    kind === sigsPodGroup ? podGroupOf({ minMember: 1 }, { [expected]: "2h" }) : undefined;
  const read = (parts: PodParts) => readGang([member("p", parts, crd)], { findPodGroup }).runTime;
  assertEquals(read({})?.seconds, 7200);
  assertEquals(read({ annotations: { [expected]: "1h" } })?.seconds, 3600);
});

for (const text of ["soon", "0s", "-1h", "90", "1e9h", ""]) {
  Deno.test(`run time: "${text}" is not used, keeps no gang from running, and its owner is told`, () => {
    const pod = member("p", { annotations: { [expected]: text } });
    const { runTime, problem, warnings } = readGang([pod, member("q")]);
    assertEquals([runTime, problem], [undefined, undefined]);
    assertEquals(
      warnings.map(({ message }) => message)[0],
      `annotation ${expected} is "${text}", but must be a duration above 0, ` +
        'such as "600s" or "1h30m": it is not used',
    );
  });
}

Deno.test("run time: a deadline that is set later is seen", () => {
  const before = member("p");
  assertEquals(declaresSame(before, member("p")), true);
  assertEquals(declaresSame(before, member("p", { activeDeadlineSeconds: 60 })), false);
  const annotations = { [expected]: "1h" };
  assertEquals(declaresSame(before, member("p", { annotations })), false);
});
