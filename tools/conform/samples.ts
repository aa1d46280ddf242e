/**
 * Facts to ask a stage about, the same each time.
 *
 * @module
 */
import type { StageName } from "../../shared/core/attend/stage_health.ts";
import { noMembers } from "../../shared/core/gang/facts.ts";

/** A body of a call. */
// deno-lint-ignore no-explicit-any -- bodies are changed here and there before they are sent
export type Body = any;

const start = Date.parse("2026-03-02T10:00:00Z");
const time = (seconds: number) => new Date(start + seconds * 1000).toISOString();
const asks = (gpus: number) => ({
  cpu: 1000 * gpus,
  memory: 2 ** 30 * gpus,
  "nvidia.com/gpu": gpus,
});

/** What policies may be told by users, and what they make of nonsense. */
const said: (Record<string, string> | undefined)[] = [
  undefined,
  { team: "research", deadline: "2026-03-02T18:00:00Z" },
  { team: "research", licences: "matlab=2" },
  { team: "", deadline: "soon", licences: "matlab=many,=3,x" },
  { "__proto__": "x", team: "constructor", deadline: "9999-99-99T99:99:99Z" },
];

function specOf(index: number): Body {
  const attributes = said[index % said.length];
  return {
    namespace: `team-${"abc"[index % 3]}`,
    name: `job-${index}`,
    minMember: 1 + (index % 4),
    priority: [0, 0, 10, -5][index % 4],
    createdAt: time(-60 * index),
    ...(attributes && { attributes }),
  };
}

function cluster(index: number): Body {
  const runs = Array.from({ length: index % 6 }, (_, each) => {
    const { namespace, name, attributes } = specOf(each);
    const running = { namespace, name: `${name}-old`, pods: 1 + each, requests: asks(1 + each) };
    return attributes ? { ...running, attributes } : running;
  });
  return {
    at: new Date().toISOString(),
    resources: [
      { name: "cpu", allocatable: 64_000, bound: 3000, held: 0 },
      { name: "nvidia.com/gpu", allocatable: 16, bound: 3, held: 1 },
    ],
    running: [...runs, { namespace: "kube-system", pods: 9, requests: { cpu: 900 } }],
    starting: runs.slice(0, 2).map((gang) => ({ ...gang, name: `${gang.name}-starts` })),
  };
}

/** A queue of some units: lone gangs, two gangs of one group, and a regular pod. */
function queue(index: number): Body {
  const groups = ["team-a/left", "team-a/right"];
  const pair = groups.map((id) => ({
    id,
    gang: { ...specOf(index), namespace: "team-a", name: id.slice(7), groups },
    priority: 0,
    queuedAt: time(0),
  }));
  const lone = Array.from({ length: 8 }, (_, each) => {
    const gang = specOf(index + each);
    const { namespace, name, priority, createdAt } = gang;
    return {
      id: `${namespace}/${name}`,
      gang,
      priority,
      queuedAt: createdAt,
      asks: asks(gang.minMember),
    };
  });
  const members = Array.from({ length: 3 }, (_, member) => ({
    ...lone[0]!,
    id: `${lone[0]!.id}-${member}`,
  }));
  const pod = { id: "team-c/pod", priority: 0, queuedAt: time(-30) };
  return { units: [...lone, ...members, ...pair, pod], ...cluster(index) };
}

let epoch = 0;

function group(
  index: number,
  { held = 0, pending = 0 }: { held?: number; pending?: number },
): Body {
  const gang = { ...specOf(index), namespace: "conformance", name: `gang-${index}` };
  const pods = Array.from({ length: held }, (_, pod) => ({
    namespace: gang.namespace,
    name: `${gang.name}-${pod}`,
    uid: `${gang.name}-uid-${pod}`,
    node: "node-1",
  }));
  return {
    relay: { id: "conformance", epoch: ++epoch },
    gangs: [{
      gang,
      census: { ...noMembers, pending },
      held: pods,
    }],
  };
}

/** Facts of that number for a stage. */
export function sampleOf(stage: StageName, index: number): Body {
  const needed = 1 + (index % 4);
  switch (stage) {
    case "queue-sort":
      return queue(index);
    case "admit": {
      const facts = group(index, { pending: needed });
      const id = `conformance/gang-${index}`;
      return { ...facts, ...cluster(index), asks: { [id]: asks(needed) } };
    }
    case "prefilter":
      return { ...group(index, { pending: needed }), fit: { members: needed, of: needed } };
    case "permit":
      return group(index, { held: needed - (index % 2) });
    case "postfilter": {
      const facts = group(index, { held: needed, pending: 1 });
      return { ...facts, failed: [{ uid: "late", message: "0/1 nodes are available" }] };
    }
    case "unreserve": {
      const facts = group(index, { held: needed });
      const pod = { namespace: "conformance", name: "lost", uid: "lost" };
      return { ...facts, lost: [{ pod, cause: "aborted" }] };
    }
  }
}

/** Bodies that follow no contract; none may be answered by a 5xx, or not at all. */
export function hostileBodies(stage: StageName): { name: string; text: string; isJson: boolean }[] {
  const good = JSON.stringify(sampleOf(stage, 5));
  const json = (name: string, value: unknown) => ({
    name,
    text: typeof value === "string" ? value : JSON.stringify(value),
    isJson: true,
  });
  const wrong = Object.keys(sampleOf(stage, 5)).flatMap((field) =>
    [null, 0, "x", [], {}, [null], [{}]].map((value) =>
      json(`${field} ${JSON.stringify(value)}`, { ...sampleOf(stage, 5), [field]: value })
    )
  );
  return [
    { name: "nothing", text: "", isJson: false },
    { name: "a brace", text: "{", isJson: false },
    { name: "half of it", text: good.slice(0, good.length / 2), isJson: false },
    { name: "no JSON", text: "<xml/>\u0000", isJson: false },
    json("null", null),
    json("a number", 7),
    json("a text", '"x"'),
    json("a list", []),
    json("an empty object", {}),
    json("a prototype", '{"__proto__":{"units":1,"gangs":1},"constructor":{"prototype":{}}}'),
    json("deep lists", `${"[".repeat(50_000)}${"]".repeat(50_000)}`),
    json("numbers without end", good.replaceAll(/:\d+/g, ":1e400")),
    json("negative numbers", good.replaceAll(/:\d+/g, ":-9007199254740993")),
    json("long texts", good.replaceAll('"job-', `"${"x".repeat(2000)}`)),
    json("six megabytes", `{"units":[],"gangs":[],"x":"${"x".repeat(6 * 1024 * 1024)}"}`),
    ...wrong,
  ];
}
