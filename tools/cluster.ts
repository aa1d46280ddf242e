/**
 * `deno task cluster`: a real local control plane with nodes played by kwok, Muster, and one stock scheduler.
 *
 * @module
 */
import { Command, Option } from "commander";
import { type ClusterOptions, parseClusterOptions } from "./control_plane/cluster_options.ts";
import type { ControlPlane } from "./control_plane/control_plane.ts";
import { applyKustomization, deployAdmission } from "./control_plane/manifests.ts";
import { schedulerNames, startMuster } from "./control_plane/muster.ts";
import { startScheduler } from "./control_plane/scheduler.ts";
import { startControlPlane } from "./control_plane/start_control_plane.ts";
import { print, say } from "../cli/print.ts";
import { stopAllProcesses } from "../cli/process.ts";
import { readSwitches } from "../cli/switches.ts";
import { untilAsked } from "./until_asked.ts";

const command = new Command("deno task cluster")
  .description(
    "Runs a local Kubernetes control plane, nodes without machines, Muster and one stock kube-scheduler, which serves the " +
      "scheduler names default-scheduler and muster. The first run builds the programs, which takes minutes. Ends on Ctrl-C.",
  )
  .addOption(flag("--dir <folder>", "state, logs and kubeconfigs", "DIR").default(".cluster"))
  .addOption(flag("--nodes <count>", "nodes to create; 0 is fine", "NODES").default("2"))
  .addOption(flag("--gpus <count>", "nvidia.com/gpu per node", "GPUS").default("2"))
  .addOption(flag("--cpus <count>", "cores per node", "CPUS").default("32"))
  .addOption(flag("--memory <quantity>", "memory per node", "MEMORY").default("64Gi"))
  .addOption(flag("--profile <name>", "policy profile of Muster", "PROFILE").default("default"))
  .addOption(
    flag(
      "--without-admission",
      "gang pods name their scheduler and gate themselves",
      "WITHOUT_ADMISSION",
    ),
  )
  .addOption(flag("--without-muster", "only the scheduler, without gangs", "WITHOUT_MUSTER"));

function flag(flags: string, description: string, variable: string): Option {
  return new Option(flags, description).env(`MUSTER_${variable}`);
}

/** A control plane whose scheduler runs, and the address of Muster, where there is one. */
interface Running {
  readonly controlPlane: ControlPlane;
  readonly url: string | undefined;
}

async function startCluster(options: ClusterOptions): Promise<Running> {
  const controlPlane = await startControlPlane({ dir: options.dir, onProgress: say });
  const nodes = Array.from({ length: options.nodes }, (_, index) => `node-${index + 1}`);
  say(`waiting for ${nodes.length} nodes and the scheduler`);
  const [url] = await Promise.all([
    startScheduling(controlPlane, options),
    ...nodes.map((name) => controlPlane.addNode(name, options)),
  ]);
  return { controlPlane, url };
}

/** Resolves with the address of Muster, where there is one. */
async function startScheduling(
  controlPlane: ControlPlane,
  options: ClusterOptions,
): Promise<string | undefined> {
  if (options.withoutMuster) {
    await startScheduler(controlPlane);
    return undefined;
  }
  if (!options.withoutAdmission) await applyKustomization(controlPlane.api, deployAdmission);
  const muster = await startMuster(controlPlane, { profile: options.profile });
  await startScheduler(controlPlane, { extenderUrl: muster.url });
  return muster.url;
}

function advice(kubeconfig: string, url: string | undefined): string[] {
  const kubectl = `kubectl --kubeconfig ${kubeconfig}`;
  const overrides = JSON.stringify({
    spec: {
      schedulerName: "muster",
      containers: [{
        name: "train",
        image: "train",
        resources: { limits: { "nvidia.com/gpu": "1" } },
      }],
    },
  });
  const dialect = "pod-group.scheduling.sigs.k8s.io";
  const labels = url === undefined
    ? ""
    : ` --labels=${dialect}/name=train,${dialect}/min-available=3`;
  return [
    ...(url === undefined ? [] : [
      `MUSTER_URL=${url}`,
      `MUSTER_SCHEDULER_NAME=${schedulerNames}`,
      `page: ${url}/page`,
    ]),
    "try next, in another terminal:",
    `  ${kubectl} get nodes`,
    `  for i in 1 2 3; do ${kubectl} run train-$i --image=train${labels} --overrides='${overrides}'; done`,
    `  ${kubectl} get pods -o wide --watch`,
    ...(url === undefined ? [] : [`  npx -y deno@2 task muster list -A --url ${url}`]),
  ];
}

async function run(options: ClusterOptions): Promise<never> {
  const { controlPlane, url } = await startCluster(options);
  print(`ready: KUBECONFIG=${controlPlane.kubeconfig}`);
  for (const line of advice(controlPlane.kubeconfig, url)) print(line);
  return await Promise.race(controlPlane.processes.map((process) => process.failure()));
}

async function main(): Promise<number> {
  readSwitches(command.parse(Deno.args, { from: "user" }));
  const parsed = parseClusterOptions(command.opts());
  if ("problems" in parsed) {
    for (const problem of parsed.problems) say(problem);
    return 1;
  }
  const asked = untilAsked();
  try {
    await Promise.race([asked, run(parsed.options)]);
    say("stopping");
    return 0;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    await stopAllProcesses();
  }
}

if (import.meta.main) Deno.exit(await main());
