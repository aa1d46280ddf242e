import { assertEquals } from "@std/assert";
import { untilReady } from "../../tools/control_plane/readiness.ts";
import { membersOf, whyPending } from "../support/gang_pods.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

const nodes = { "node-1": 4 };
const koordinator = "gang.scheduling.koordinator.sh/";

/** Creates a member that declares its gang by annotations of Koordinator. */
async function createAnnotated(world: RelayWorld, pod: string, fields: Record<string, string>) {
  const annotations = Object.fromEntries(
    Object.entries(fields).map(([name, text]) => [koordinator + name, text]),
  );
  await world.sandbox.createPod({
    metadata: { name: pod, annotations },
    spec: { containers: [{ name: "main" }] },
  });
}

/** Waits until the pods, an event about each of them, and `GET /v1/gangs` say the same. */
async function untilAllSay(
  world: RelayWorld,
  message: string,
  about: { gang: string; reason: string; pods: readonly string[] },
): Promise<void> {
  await world.until(`each pod and an event about each says "${message}"`, (pods) => {
    const told = pods.filter((pod) => whyPending(pod)?.includes(`Muster: ${message}.`));
    const events = world.sandbox.server.store.list("events")
      .filter((event) => event.reason === about.reason && event.message === message)
      .map((event) => (event.involvedObject as { name: string }).name);
    return about.pods.every((name) =>
      events.includes(name) && told.some(({ metadata }) => metadata.name === name)
    );
  });
  const gang = await world.gang(about.gang);
  assertEquals([gang.reason, gang.message], ["InvalidGang", message]);
}

relayTest("a gang whose quorum is no number waits and says so", { nodes }, async (world) => {
  const pods = await world.createGang("typo", { size: 2, minAvailable: "five", gpus: 1 });
  await untilAllSay(
    world,
    "gang default/typo has no usable quorum: label pod-group.scheduling.sigs.k8s.io/min-available of " +
      'pod typo-0 is "five", but must be a whole number of at least 1',
    { gang: "typo", reason: "InvalidMinMember", pods },
  );
  assertEquals(world.bound(), []);
  await world.delete(...pods);
  await world.createGang("typo", { size: 2, gpus: 1 });
  await world.untilBound(pods);
});

relayTest("an event is said once, also by relays that come later", { nodes }, async (world) => {
  await world.createGang("typo", { size: 2, minAvailable: "five", gpus: 1 });
  const events = () =>
    world.sandbox.server.store.list("events")
      .filter(({ reason }) => reason === "InvalidMinMember");
  await world.until("each member has an event", () => events().length === 2);
  await world.stopRelay();
  await world.startRelay();
  const { written } = world.relay;
  await untilReady(
    () => Promise.resolve(written.filter((write) => write.endsWith("/events")).length === 2),
    { what: "what the next relay says", signal: new AbortController().signal },
  );
  await world.stopRelay();
  assertEquals(events().length, 2);
  assertEquals(world.log.filter((line) => line.includes("an event")), []);
});

relayTest(
  "a gang of members of different priorities waits and says so",
  { nodes },
  async (world) => {
    const gang = { name: "mixed", minAvailable: 2 };
    await world.create("mixed-0", { gpus: 1, gang });
    await world.create("mixed-1", { gpus: 1, priority: 5, gang });
    await untilAllSay(
      world,
      "gang default/mixed has members of different priorities: pod mixed-0 has 0, pod mixed-1 has 5; " +
        "give all of them the same",
      { gang: "mixed", reason: "PriorityConflict", pods: ["mixed-0", "mixed-1"] },
    );
    assertEquals(world.bound(), []);
  },
);

relayTest(
  "a gang that names another one in its group waits and says whom it disagrees with, the other one does not",
  { nodes },
  async (world) => {
    const groups = ["default/first", "default/second"];
    const first = await world.createGang("first", { size: 2, groups, gpus: 1 });
    const second = await world.createGang("second", { size: 2, gpus: 1 });
    await world.untilBound(second);
    await untilAllSay(
      world,
      "gang default/first names the gang group default/first, default/second, but gang default/second " +
        "names none: declare the same gang group on both",
      { gang: "first", reason: "GroupConflict", pods: first },
    );
  },
);

relayTest(
  "a gang whose name is no RFC 1123 name waits and says so",
  { nodes },
  async (world) => {
    await createAnnotated(world, "member-0", { name: "Team_A", "min-available": "1" });
    await untilAllSay(
      world,
      "gang default/Team_A of pod member-0 has a name that can not be used: write it with lower-case " +
        "letters, digits, dashes and dots only, a letter or digit at both ends",
      { gang: "Team_A", reason: "InvalidName", pods: ["member-0"] },
    );
  },
);

/** What a member writes beside its name and a quorum of 2, what an event says of it, and what `GET /v1/gangs` shows of it. */
const lenient: [field: string, text: string, must: string, shown: Record<string, unknown>][] = [
  [
    "groups",
    "default/tf",
    'must be a JSON list such as ["ns/gang-a", "ns/gang-b"]: its default',
    {},
  ],
  ["total-number", "1", "minMember is 2: minMember", { totalMember: 2 }],
  ["mode", "Loose", 'must be "Strict" or "NonStrict": its default', {}],
  [
    "waiting-time",
    "-5s",
    'must be a duration above 0, such as "600s" or "1h30m": its default',
    {},
  ],
];

for (const [field, text, must, shown] of lenient) {
  relayTest(
    `a gang whose ${field} can not be used is scheduled without it, and an event says so`,
    { nodes },
    async (world) => {
      const fields = { name: "tf", "min-available": "2", [field]: text };
      const names = membersOf("tf", 2);
      for (const name of names) await createAnnotated(world, name, fields);
      await world.untilBound(names);
      const message = `annotation ${koordinator}${field} is "${text}", but ${must} is used`;
      await world.until(
        "an event says so",
        () => world.sandbox.server.store.list("events").some((event) => event.message === message),
      );
      const { spec } = await world.gang("tf");
      const { groups, totalMember, mode, waitSeconds } = spec;
      assertEquals(JSON.parse(JSON.stringify({ groups, totalMember, mode, waitSeconds })), shown);
    },
  );
}

/** What pods declare beside their gang's name, and the spec that `GET /v1/gangs` shows of it. */
const declared: [id: string, fields: Record<string, string>, spec: Record<string, unknown>][] = [
  [
    "KO-DF-3 KO-DF-15 everything, its group in canonical order",
    {
      "min-available": "2",
      "total-number": "3",
      "mode": "NonStrict",
      "waiting-time": "20m",
      "match-policy": "only-waiting",
      "groups": '["default/z", "default/gang", "b/a"]',
    },
    {
      minMember: 2,
      totalMember: 3,
      mode: "NonStrict",
      waitSeconds: 1200,
      matchPolicy: "only-waiting",
      groups: ["b/a", "default/gang", "default/z"],
    },
  ],
  ["KO-DF-4 a name and a quorum", { "min-available": "2" }, { minMember: 2 }],
  [
    "KO-DF-6 a total below the quorum",
    { "min-available": "3", "total-number": "2" },
    { minMember: 3, totalMember: 3 },
  ],
  ["KO-DF-7 an unknown mode", { "min-available": "2", "mode": "Loose" }, { minMember: 2 }],
  ["KO-DF-8 a bad wait", { "min-available": "2", "waiting-time": "0s" }, { minMember: 2 }],
  ["KO-DF-9 groups that are no JSON", { "min-available": "2", "groups": "a" }, { minMember: 2 }],
  [
    "KO-DF-17 a group of nothing, and one that is no list",
    { "min-available": "2", "groups": "", "gang-groups": "{}" },
    { minMember: 2 },
  ],
];

for (const [id, fields, expected] of declared) {
  relayTest(`http: ${id}`, { nodes, scheduler: false }, async (world) => {
    await createAnnotated(world, "member-0", { name: "gang", ...fields });
    await world.until(
      "the functions know it",
      () => world.policy.made.some(({ answer }) => answer),
    );
    const { spec } = await world.gang("gang");
    const { namespace: _, name: __, createdAt: ___, priority: ____, ...rest } = spec;
    assertEquals(rest, expected);
  });
}

relayTest(
  "http: KO-DF-5 a quorum that is no number keeps a gang waiting until a pod comes that has one",
  { nodes, scheduler: false },
  async (world) => {
    const told = (minMember: number, reason: string) =>
      world.until(
        `the functions answer ${reason} for minMember ${minMember}`,
        () =>
          world.policy.made.some(({ body, answer }) =>
            body.gangs?.[0]?.gang.minMember === minMember && answer?.reason === reason
          ),
      );
    await createAnnotated(world, "member-0", { name: "gang", "min-available": "two" });
    await told(1, "InvalidGang");
    await createAnnotated(world, "member-1", { name: "gang", "min-available": "3" });
    await told(3, "MembersMissing");
    assertEquals((await world.gang("gang")).minMember, 3);
  },
);

relayTest(
  "a member replaced at once by one of another quorum learns whose rules",
  { nodes },
  async (world) => {
    const { store } = world.sandbox.server;
    await world.createGang("train", { size: 2, minAvailable: 3 });
    await world.until(
      "both wait for the third",
      (pods) => pods.every((pod) => whyPending(pod)?.includes("has 2 of 3 members")),
    );
    const { metadata, ...rest } = world.pod("train-1");
    const labels = { ...metadata.labels, "pod-group.scheduling.sigs.k8s.io/min-available": "2" };
    // As one change to whoever watches.
    store.remove("pods", { metadata, ...rest });
    store.put("pods", { ...rest, metadata: { ...metadata, labels, uid: crypto.randomUUID() } });
    await world.until(
      "an event says so",
      () =>
        store.list("events").some(({ reason, message }) =>
          reason === "GangConflict" && String(message).includes("pod train-0, the oldest one")
        ),
    );
  },
);
