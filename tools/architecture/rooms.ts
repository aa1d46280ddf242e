/** What the stages decide by; a relay asks them. */
export const rulesOfStages = [
  "shared/core/stage/",
  "shared/core/gang/phase",
  "shared/core/gang/quorum",
];

/** Rooms, and what else of their house each may import. */
export const rooms: Record<string, string[]> = {
  "cli/muster/": [
    "cli/expected_duration.ts",
    "cli/flag_values.ts",
    "cli/http_client.ts",
    "cli/policy/",
    "cli/print.ts",
    "cli/topology_levels.ts",
  ],
  "relay/kube/": [],
  "relay/policy/": [],
  "relay/report/": [],
  "relay/run/": ["relay/policy/", "relay/report/"],
  "relay/scheduler/": ["relay/report/", "relay/run/"],
  "shared/core/gang/": [],
  "shared/core/room/": ["shared/core/gang/"],
  "shared/core/words/": ["shared/core/gang/", "shared/core/room/"],
  "shared/core/queue/": ["shared/core/gang/"],
  "shared/core/stage/": ["shared/core/gang/", "shared/core/words/"],
  "shared/core/plan/": ["shared/core/gang/", "shared/core/room/"],
  "shared/core/attend/": [
    "shared/core/gang/",
    "shared/core/plan/",
    "shared/core/room/",
    "shared/core/stage/",
    "shared/core/words/",
  ],
  "shared/core/record/": [
    "shared/core/attend/",
    "shared/core/gang/",
    "shared/core/plan/",
    "shared/core/room/",
    "shared/core/words/",
  ],
  "shared/kubernetes/declaring/": ["shared/kubernetes/types.ts"],
  "shared/kubernetes/counting/": [
    "shared/kubernetes/pod_condition.ts",
    "shared/kubernetes/types.ts",
  ],
  "shared/kubernetes/status/": [
    "shared/kubernetes/counting/",
    "shared/kubernetes/declaring/",
    "shared/kubernetes/pod_condition.ts",
    "shared/kubernetes/types.ts",
  ],
  "shared/store/embedded/": ["damage", "gang_object", "index_object"].map((name) =>
    `shared/store/${name}.ts`
  ),
};
