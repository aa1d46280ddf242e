import { assertEquals } from "@std/assert";
import { untilGang } from "../support/gangs.ts";
import { type Cluster, onCluster } from "../support/on_cluster.ts";
import { installPodGroups, PodGroups } from "../support/pod_groups.ts";
import { koordinatorAnnotations, needsAnchor, type PodOptions } from "../support/pods.ts";
import { membersOf, type Space } from "../support/space.ts";

const scenario = onCluster(() => ({
  nodes: { "node-1": 4, "node-2": 4 },
  muster: { profile: "koordinator" },
}));

/** Creates a gang of two, both of which are needed, in a gang group; returns the names of its members. */
async function createGang(
  space: Space,
  options: PodOptions & { name: string; groups: string },
): Promise<string[]> {
  const { name, groups, ...rest } = options;
  const names = membersOf(name, 2);
  const annotations = koordinatorAnnotations({ name, "min-available": "2", groups });
  for (const member of names) await space.create(member, { ...rest, annotations });
  return names;
}

const member = { labels: { "pod-group.scheduling.sigs.k8s.io": "workers" } };
const annotation = "gang.scheduling.koordinator.sh/groups";

/** Names of gangs as a list in JSON. */
function groupOf(...ids: string[]): string {
  return JSON.stringify(ids);
}

/** The PodGroups that declare gangs of the test. */
async function podGroupsOf({ cluster, space }: { cluster: Cluster; space: Space }) {
  const { api } = cluster.controlPlane;
  await installPodGroups(api, "scheduling.sigs.k8s.io");
  const apiVersion = "scheduling.sigs.k8s.io/v1alpha1";
  return new PodGroups(api, { apiVersion, namespace: space.name });
}

scenario(
  "gangs of a group in two namespaces start together, once the second one is there",
  async ({ space, otherSpace }) => {
    const other = await otherSpace();
    const groups = groupOf(`${space.name}/workers`, `${other.name}/servers`);
    const workers = await createGang(space, { name: "workers", groups, gpus: 2 });
    await space.untilTold(
      workers,
      `the gang group waits for ${other.name}/servers: no pods of it exist yet`,
    );
    // Its room is not kept for a group that is not there.
    await space.create("regular-1", { gpus: 4 });
    await space.create("regular-2", { gpus: 4 });
    await space.untilBound(["regular-1", "regular-2"]);
    await space.delete("regular-1", "regular-2");
    // In another order, which is the same group.
    const reversed = groupOf(`${other.name}/servers`, `${space.name}/workers`);
    const servers = await createGang(other, { name: "servers", groups: reversed, gpus: 2 });
    await Promise.all([space.untilBound(workers), other.untilBound(servers)]);
  },
);

scenario(
  "of a gang group that does not fit whole no gang is bound, though one would fit, and it starts when it fits",
  async ({ space, otherSpace }) => {
    const other = await otherSpace();
    const groups = groupOf(`${space.name}/workers`, `${other.name}/servers`);
    await space.create("blocker", { gpus: 1 });
    await space.untilBound(["blocker"]);
    const workers = await createGang(space, { name: "workers", groups, gpus: 2 });
    const servers = await createGang(other, { name: "servers", groups, gpus: 2 });
    const sentence = `gang group ${
      [`${space.name}/workers`, `${other.name}/servers`].sort().join(", ")
    } needs room for 4 more members and finds it for 3: short of nvidia.com/gpu`;
    await space.untilTold(workers, sentence);
    await other.untilTold(servers, sentence);
    assertEquals([...await space.bound(), ...await other.bound()], ["blocker"]);
    await space.delete("blocker");
    await Promise.all([space.untilBound(workers), other.untilBound(servers)]);
  },
);

scenario(
  "a member that finds no node keeps the other gang of its group from starting, too",
  async ({ space, otherSpace }) => {
    const other = await otherSpace();
    const groups = groupOf(`${space.name}/workers`, `${other.name}/servers`);
    const workers = await createGang(space, { name: "workers", groups, gpus: 2 });
    const servers = await createGang(other, {
      name: "servers",
      groups,
      gpus: 2,
      spec: needsAnchor,
    });
    await space.untilTold(workers, `gang ${other.name}/servers can not become whole: no node for`);
    assertEquals([...await space.bound(), ...await other.bound()], []);
    await other.create("anchor", { labels: { app: "anchor" } });
    await Promise.all([space.untilBound(workers), other.untilBound(servers)]);
  },
);

scenario(
  "gangs that name different groups wait and say so, until both name the same one",
  async ({ cluster, space, otherSpace }) => {
    const { url } = cluster.muster;
    const other = await otherSpace();
    const [workersId, serversId] = [`${space.name}/workers`, `${other.name}/servers`];
    const groups = groupOf(workersId, serversId);
    const servers = await createGang(other, {
      name: "servers",
      groups: groupOf(serversId, `${other.name}/absent`),
    });
    const workers = await createGang(space, { name: "workers", groups });
    const conflict =
      `gang ${workersId} names the gang group ${[workersId, serversId].sort().join(", ")}, but ` +
      `gang ${serversId} names ${[serversId, `${other.name}/absent`].sort().join(", ")}: ` +
      "declare the same gang group on both";
    await space.untilTold(workers, conflict);
    await space.untilEvent(
      "an event says so",
      ({ pod, reason, message }) =>
        workers.includes(pod) && reason === "GroupConflict" && message === conflict,
    );
    const said = await untilGang(url, workersId, ({ reason }) => reason === "InvalidGang");
    assertEquals(said.message, conflict);
    await other.untilTold(servers, "the gang group waits for");
    assertEquals([...await space.bound(), ...await other.bound()], []);

    await other.delete(...servers);
    await createGang(other, { name: "servers", groups });
    await Promise.all([space.untilBound(workers), other.untilBound(servers)]);
  },
);

scenario(
  "a gang that waits for its group starts alone when its PodGroup names the group no more",
  async ({ cluster, space }) => {
    const podGroups = await podGroupsOf({ cluster, space });
    await podGroups.create("workers", { minMember: 2 }, {
      [annotation]: groupOf(`${space.name}/workers`, `${space.name}/absent`),
    });
    const names = membersOf("workers", 2);
    for (const name of names) await space.create(name, { ...member, gpus: 1 });
    await space.untilTold(names, `the gang group waits for ${space.name}/absent`);
    await podGroups.patch("workers", { annotations: { [annotation]: null } });
    await space.untilBound(names);
    await untilGang(
      cluster.muster.url,
      `${space.name}/workers`,
      ({ phase }) => phase === "Running",
    );
  },
);

scenario(
  "a gang that waits alone joins the group that its PodGroup names from then on",
  async ({ cluster, space }) => {
    const podGroups = await podGroupsOf({ cluster, space });
    const groups = groupOf(`${space.name}/workers`, `${space.name}/servers`);
    await podGroups.create("workers", { minMember: 2 });
    const workers = membersOf("workers", 2);
    await space.create("workers-0", { ...member, gpus: 1 });
    await space.untilTold(["workers-0"], `gang ${space.name}/workers has 1 of 2 members`);
    const servers = await createGang(space, { name: "servers", groups, gpus: 1 });
    await space.untilTold(servers, `gang ${space.name}/workers names none`);
    await podGroups.patch("workers", { annotations: { [annotation]: groups } });
    await space.untilTold(
      ["workers-0", ...servers],
      `gang ${space.name}/workers has 1 of 2 members`,
    );
    assertEquals(await space.bound(), []);
    await space.create("workers-1", { ...member, gpus: 1, spec: needsAnchor });
    await space.untilTold(["workers-0", ...servers], "can not become whole");
    assertEquals(await space.bound(), []);
    await space.create("anchor", { labels: { app: "anchor" } });
    await space.untilBound([...workers, ...servers]);
  },
);

scenario(
  "a gang whose list of groups is not JSON is a gang of its own, and an event says what to write",
  async ({ space }) => {
    const groups = `${space.name}/alone, ${space.name}/other`;
    const names = await createGang(space, { name: "alone", groups });
    await space.untilEvent(
      "an event says so",
      ({ message }) =>
        message === `annotation gang.scheduling.koordinator.sh/groups is "${groups}", but must ` +
            'be a JSON list such as ["ns/gang-a", "ns/gang-b"]: its default is used',
    );
    await space.untilBound(names);
  },
);

scenario(
  "a name that is not RFC 1123 is refused with what to write, on the pod, in an event and over HTTP",
  async ({ cluster, space }) => {
    const annotations = koordinatorAnnotations({ name: "Train_1", "min-available": "1" });
    await space.create("train", { annotations });
    const sentence =
      `gang ${space.name}/Train_1 of pod train has a name that can not be used: write it with ` +
      "lower-case letters, digits, dashes and dots only, a letter or digit at both ends";
    await space.untilTold(["train"], sentence);
    await space.untilEvent(
      "an event says so",
      ({ pod, reason, message }) =>
        pod === "train" && reason === "InvalidName" && message === sentence,
    );
    const said = await untilGang(cluster.muster.url, `${space.name}/Train_1`, () => true);
    assertEquals([said.reason, said.message], ["InvalidGang", sentence]);
  },
);

scenario(
  "a total below the quorum counts as the quorum",
  async ({ cluster, space }) => {
    const annotations = koordinatorAnnotations({
      name: "small",
      "min-available": "2",
      "total-number": "1",
    });
    await space.create("small-0", { annotations });
    await space.untilTold(["small-0"], `gang ${space.name}/small has 1 of 2 members`);
    const { spec } = await untilGang(cluster.muster.url, `${space.name}/small`, () => true);
    assertEquals([spec.minMember, spec.totalMember], [2, 2]);
    await space.create("small-1", { annotations });
    await space.untilBound(["small-0", "small-1"]);
  },
);
