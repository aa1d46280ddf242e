import { assert, assertEquals, assertRejects } from "@std/assert";
import { fileURLToPath } from "node:url";
import { ApiError, type KubernetesObject } from "../../tools/control_plane/api_client.ts";
import type { AuditEvent } from "../../tools/control_plane/audit.ts";
import type { ControlPlane } from "../../tools/control_plane/control_plane.ts";
import { type Scheduler, startScheduler } from "../../tools/control_plane/scheduler.ts";
import { startControlPlane } from "../../tools/control_plane/start_control_plane.ts";
import { progress } from "./support/on_cluster.ts";
import { untilPrinted } from "./support/output.ts";
import { descendantsOf, isAlive, untilDead } from "./support/process_tree.ts";
import { until } from "./support/until.ts";

const pods = "/api/v1/namespaces/default/pods";
const root = fileURLToPath(new URL("../..", import.meta.url));
const clusterTool = `${root}tools/cluster.ts`;

let controlPlane: ControlPlane;
let scheduler: Scheduler;

Deno.test.beforeAll(async () => {
  controlPlane = await startControlPlane({
    dir: await Deno.makeTempDir({ prefix: "muster-control-plane-" }),
    auditLog: true,
    onProgress: progress,
  });
  await controlPlane.addNode("node-1", { gpus: 2, cpus: 4, memory: "8Gi" });
  scheduler = await startScheduler(controlPlane);
});

Deno.test.afterAll(async () => {
  await controlPlane.stop();
  await Deno.remove(controlPlane.dir, { recursive: true });
});

function pod(name: string, spec: object = {}): object {
  const containers = [{ name: "main", image: "none" }];
  return { apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { containers, ...spec } };
}

function named(name: string): string {
  return `${pods}?fieldSelector=metadata.name%3D${name}`;
}

function isRunning(objects: KubernetesObject[]): boolean {
  return objects.some((object) => object["status"].phase === "Running");
}

Deno.test("startControlPlane() answers on a verified connection and its node is ready", async () => {
  assertEquals(await controlPlane.api.text("/readyz"), "ok");
  const node = await controlPlane.api.get("/api/v1/nodes/node-1");
  assertEquals(node["status"].allocatable["nvidia.com/gpu"], "2");
  assertEquals(node["spec"].taints, undefined);
});

Deno.test("kubeconfigs are for their owner's eyes only", async () => {
  for (const path of Object.values(controlPlane.kubeconfigs)) {
    assertEquals(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600, path);
  }
});

Deno.test("the plain scheduler serves both names, and bound pods run", async () => {
  for (const schedulerName of ["default-scheduler", "muster"]) {
    await controlPlane.api.create(pods, pod(schedulerName, { schedulerName }));
    await controlPlane.api.watchUntil(named(schedulerName), isRunning);
  }
});

Deno.test("a Job completes", async () => {
  await controlPlane.api.create("/apis/batch/v1/namespaces/default/jobs", {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "train" },
    spec: {
      completions: 2,
      parallelism: 2,
      template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] } },
    },
  });
  await controlPlane.api.watchUntil(
    "/apis/batch/v1/namespaces/default/jobs?fieldSelector=metadata.name%3Dtrain",
    (jobs) => jobs.some((job) => job["status"].succeeded === 2),
  );
});

Deno.test("the relay may bind a pod, but neither delete one nor read secrets", async () => {
  using relay = controlPlane.client("relay");
  await controlPlane.api.create(pods, pod("by-hand", { schedulerName: "nobody" }));
  await relay.create(`${pods}/by-hand/binding`, {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name: "by-hand" },
    target: { apiVersion: "v1", kind: "Node", name: "node-1" },
  });
  await controlPlane.api.watchUntil(named("by-hand"), isRunning);
  await relay.get("/api/v1/namespaces/kube-system");
  const forbidden = [
    () => relay.delete(`${pods}/by-hand`),
    () => relay.get("/api/v1/secrets"),
    () => relay.create(pods, pod("created-by-relay")),
    () => relay.get("/api/v1/namespaces/default"),
    () => relay.patch("/api/v1/nodes/node-1", { spec: { unschedulable: true } }),
  ];
  for (const attempt of forbidden) {
    const error = await assertRejects(attempt, ApiError);
    assertEquals(error.status, 403, error.message);
  }
});

Deno.test("auditEvents() tells who bound which pod to which node", async () => {
  await controlPlane.api.create(pods, pod("audited"));
  await controlPlane.api.watchUntil(named("audited"), isRunning);
  let bindings: AuditEvent[] = [];
  // A line is written a moment after what it tells.
  await until("the audit log", async () => {
    bindings = (await controlPlane.auditEvents()).filter((event) =>
      event.objectRef?.subresource === "binding" && event.objectRef.name === "audited"
    );
    return bindings.length > 0;
  });
  assertEquals(bindings.map((event) => event.user.username), ["system:kube-scheduler"]);
  assertEquals(bindings[0]?.requestObject?.target?.name, "node-1");
  assertEquals(bindings[0]?.responseStatus?.code, 201);
});

Deno.test({
  name: "a scheduler killed while a bind call is held binds the pod after its restart",
  // It replaces the scheduler that all the tests share.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: bindAfterRestart,
});

async function bindAfterRestart(): Promise<void> {
  await scheduler.process.stop();
  using relay = controlPlane.client("relay");
  const held = Promise.withResolvers<void>();
  const dropped = Promise.withResolvers<void>();
  let hold = true;
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const args = await request.json();
      if (request.url.endsWith("/extender/filter")) {
        return Response.json({
          NodeNames: args.NodeNames,
        });
      }
      if (hold) {
        request.signal.addEventListener("abort", () => dropped.resolve());
        held.resolve();
        await dropped.promise;
        return new Response();
      }
      await relay.create(`/api/v1/namespaces/${args.PodNamespace}/pods/${args.PodName}/binding`, {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name: args.PodName, uid: args.PodUID },
        target: { apiVersion: "v1", kind: "Node", name: args.Node },
      });
      return Response.json({});
    },
  );
  scheduler = await startScheduler(controlPlane, {
    extenderUrl: `http://127.0.0.1:${server.addr.port}`,
  });
  await controlPlane.api.create(pods, pod("held"));
  await held.promise;
  await scheduler.kill();
  await dropped.promise;
  assertEquals((await controlPlane.api.get(`${pods}/held`))["spec"].nodeName, undefined);
  hold = false;
  await scheduler.start();
  await controlPlane.api.watchUntil(named("held"), isRunning);
  await scheduler.process.stop();
}

Deno.test("startControlPlane() refuses the folder of a live control plane", async () => {
  await assertRejects(
    () => startControlPlane({ dir: controlPlane.dir }),
    Error,
    `process ${Deno.pid} uses it`,
  );
});

/** A `deno task cluster` that is ready, the pids of everything it started, and the end of what it prints. */
async function startClusterTool(
  dir: string,
  command = ["run", "-A", clusterTool],
): Promise<{ tool: Deno.ChildProcess; pids: number[]; rest: Promise<void> }> {
  const tool = new Deno.Command(Deno.execPath(), {
    args: [...command, `--dir=${dir}`, "--nodes=1", "--without-muster"],
    cwd: root,
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const { output, rest } = await untilPrinted(tool.stdout, /^ready: .*\n/m);
  assertEquals(output.split("\n")[0], `ready: KUBECONFIG=${dir}/admin.kubeconfig`);
  const pids = descendantsOf(tool.pid);
  assertEquals(pids.length, command[0] === "task" ? 6 : 5);
  return { tool, pids, rest };
}

Deno.test("SIGTERM ends the cluster tool with code 0 and every process that it started", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-cluster-" });
  const { tool, pids, rest } = await startClusterTool(dir);
  tool.kill("SIGTERM");
  assertEquals((await tool.status).code, 0);
  await rest;
  assertEquals(pids.filter(isAlive), []);
  await Deno.remove(dir, { recursive: true });
});

Deno.test("SIGKILL of the cluster tool ends every process that it started, and its folder can be used again", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-cluster-" });
  const first = await startClusterTool(dir);
  first.tool.kill("SIGKILL");
  await first.tool.status;
  await untilDead(first.pids);
  await first.rest;
  const second = await startClusterTool(dir);
  second.tool.kill("SIGTERM");
  await second.tool.status;
  await second.rest;
  await Deno.remove(dir, { recursive: true });
});

Deno.test("SIGKILL of deno task ends the cluster tool and every process that it started", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-cluster-" });
  const { tool, pids, rest } = await startClusterTool(dir, ["task", "cluster"]);
  tool.kill("SIGKILL");
  await tool.status;
  await untilDead(pids);
  await rest;
  await Deno.remove(dir, { recursive: true });
});

Deno.test("a process that dies ends the cluster tool with code 1", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-cluster-" });
  const { tool, pids, rest } = await startClusterTool(dir);
  Deno.kill(pids[0] ?? 0, "SIGKILL");
  assertEquals((await tool.status).code, 1);
  await rest;
  assertEquals(pids.filter(isAlive), []);
  await Deno.remove(dir, { recursive: true });
});

Deno.test("the cluster tool reports every bad flag at once", async () => {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", clusterTool, "--nodes=-1", "--memory=lots", "--profile=none"],
  }).output();
  const report = new TextDecoder().decode(stderr);
  assertEquals(code, 1);
  for (const flag of ["--nodes", "--memory", "--profile"]) assert(report.includes(flag), report);
});

Deno.test("findOrBuildBinaries() takes what is installed and tells what is missing without Go", async () => {
  const folder = await Deno.makeTempDir({ prefix: "muster-assets-" });
  await Deno.writeTextFile(`${folder}/etcd`, "", { mode: 0o755 });
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", clusterTool, `--dir=${folder}/cluster`],
    env: {
      PATH: "/nowhere",
      XDG_CACHE_HOME: folder,
      KUBEBUILDER_ASSETS: folder,
      DENO_DIR: denoDir(),
    },
  }).output();
  const report = new TextDecoder().decode(stderr);
  assertEquals(code, 1);
  assert(report.includes("Cannot build kube-apiserver, kube-controller-manager"), report);
  assert(report.includes("install Go"), report);
  await Deno.remove(folder, { recursive: true });
});

/** Where Deno keeps its packages, as XDG_CACHE_HOME would move it too. */
function denoDir(): string {
  const { stdout } = new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).outputSync();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
