import { assertEquals } from "@std/assert";
import { isStatic, parkedAnnotation, staysForGood } from "../../shared/cluster/pod_record.ts";
import { exclusiveOf } from "../../shared/kubernetes/counting/exclusive.ts";
import { dialects } from "../../shared/kubernetes/declaring/dialect.ts";
import { readGang } from "../../shared/kubernetes/declaring/gang_reader.ts";
import { dropUnread } from "../../shared/kubernetes/unread.ts";
import { podOf } from "../support/objects.ts";

Deno.test("dropUnread() frees what nobody reads of pods and nodes, and leaves the rest", () => {
  const pod = {
    metadata: {
      name: "p",
      uid: "u",
      labels: { app: "a" },
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" },
      managedFields: [{ manager: "m" }],
      finalizers: ["example.com/f"],
    },
    spec: {
      nodeName: "n",
      volumes: [{ name: "v" }],
      hostAliases: [{ ip: "10.0.0.1" }],
      containers: [{ name: "main", env: [{ name: "A" }], resources: { limits: { cpu: "1" } } }],
      initContainers: [{
        name: "proxy",
        restartPolicy: "Always",
        ports: [{ hostPort: 1 }],
        args: ["a"],
        livenessProbe: {},
        lifecycle: {},
      }],
    },
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: "True" }, { type: "Initialized", status: "True" }],
      containerStatuses: [{ name: "main" }],
    },
  };
  dropUnread(pod);
  assertEquals(JSON.parse(JSON.stringify(pod)), {
    metadata: { name: "p", uid: "u", labels: { app: "a" }, annotations: {} },
    spec: {
      nodeName: "n",
      containers: [{ name: "main", resources: { limits: { cpu: "1" } } }],
      initContainers: [{ name: "proxy", restartPolicy: "Always", ports: [{ hostPort: 1 }] }],
    },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  });
  const node = {
    metadata: { name: "n" },
    status: { allocatable: { cpu: "1" }, capacity: { cpu: "1" }, conditions: [{}], images: [{}] },
  };
  dropUnread(node);
  assertEquals(JSON.parse(JSON.stringify(node)), {
    metadata: { name: "n" },
    status: { allocatable: { cpu: "1" } },
  });
  const podGroup = { spec: { minMember: 2 }, status: { conditions: [{ type: "Initialized" }] } };
  dropUnread(podGroup);
  assertEquals(podGroup.status.conditions, [{ type: "Initialized" }]);
});

Deno.test("dropUnread() leaves of containers when they ended, once all have", () => {
  const terminated = (finishedAt: string) => ({ state: { terminated: { finishedAt } } });
  const ends = ["2026-01-01T12:00:00Z", "2026-01-01T12:00:09Z"];
  const [first, last] = ends.map((end) => ({ name: "c", imageID: "i", ...terminated(end) }));
  const left = (...containerStatuses: object[]) => {
    const pod = { spec: { containers: [] }, status: { containerStatuses } };
    dropUnread(pod);
    return pod.status.containerStatuses;
  };
  assertEquals(left(first!, last!), ends.map(terminated));
  assertEquals(left(first!, { name: "c", state: { running: {} } }), undefined);
});

Deno.test("dropUnread() leaves of a pod every annotation that a dialect, Muster, a policy or Kueue's words are read from", () => {
  const fields = dialects.flatMap(({ nameField, quorumField = "" }) => [nameField, quorumField]);
  const ofDialects = fields.flatMap((field) => /annotation (\S+)/.exec(field)?.[1] ?? []);
  const keys = [
    ...ofDialects,
    ...["yunikorn.apache.org/app-id", "yunikorn.apache.org/task-group-name"],
    ...["leaderworkerset.sigs.k8s.io/leader-name", "volcano.sh/task-spec"],
    ...["muster.scheduling/role", "policy.muster.scheduling/deadline", parkedAnnotation],
    ...["kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/max-exec-time-seconds"],
  ];
  const annotations = Object.fromEntries(keys.map((key) => [key, "a"]));
  const pod = podOf({ annotations: { ...annotations, "example.com/other": "a" }, containers: [] });
  dropUnread(pod);
  assertEquals(pod.metadata.annotations, annotations);
});

Deno.test("dropUnread() leaves a static pod one that its node keeps", () => {
  const pod = podOf({ annotations: { "kubernetes.io/config.mirror": "a" }, containers: [] });
  dropUnread(pod);
  assertEquals([isStatic(pod), staysForGood(pod)], [true, true]);
});

Deno.test("dropUnread() leaves few namespaces of a term, and the pod means the same", () => {
  const namespaces = [...Array.from({ length: 1000 }, (_, at) => `b${at}`), "default"];
  const term = {
    topologyKey: "kubernetes.io/hostname",
    labelSelector: { matchLabels: { app: "a" } },
    namespaces,
  };
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
  const pod = podOf({ labels: { app: "a" }, affinity: { podAntiAffinity }, containers: [] });
  const before = exclusiveOf(pod);
  dropUnread(pod);
  assertEquals(term.namespaces.length, 16);
  assertEquals(exclusiveOf(pod), before);
});

Deno.test("dropUnread() leaves of an annotation that is longer than any may be the beginning, and the gang waits for the same", () => {
  const groups = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => `default/g${at}`));
  const pod = () =>
    podOf({
      annotations: {
        "gang.scheduling.koordinator.sh/name": "g",
        "gang.scheduling.koordinator.sh/min-available": "1",
        "gang.scheduling.koordinator.sh/groups": groups,
      },
      containers: [],
    });
  const read = pod();
  dropUnread(read);
  assertEquals(Object.values(read.metadata.annotations!).map(({ length }) => length), [
    1,
    1,
    20_001,
  ]);
  assertEquals(readGang([read]).problem, readGang([pod()]).problem);
});
