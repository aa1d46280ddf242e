import { assertEquals } from "@std/assert";
import { dropUnread } from "../../shared/kubernetes/unread.ts";

Deno.test("dropUnread() frees what nobody reads of pods and nodes, and leaves the rest", () => {
  const pod = {
    metadata: { name: "p", uid: "u", labels: { app: "a" }, managedFields: [{ manager: "m" }] },
    spec: {
      nodeName: "n",
      volumes: [{ name: "v" }],
      containers: [{ name: "main", env: [{ name: "A" }], resources: { limits: { cpu: "1" } } }],
    },
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: "True" }, { type: "Initialized", status: "True" }],
      containerStatuses: [{ name: "main" }],
    },
  };
  dropUnread(pod);
  assertEquals(JSON.parse(JSON.stringify(pod)), {
    metadata: { name: "p", uid: "u", labels: { app: "a" } },
    spec: { nodeName: "n", containers: [{ name: "main", resources: { limits: { cpu: "1" } } }] },
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
