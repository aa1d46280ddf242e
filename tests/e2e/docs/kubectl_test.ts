import { assertEquals, assertGreater, assertStringIncludes } from "@std/assert";
import { delimiter, dirname, join } from "node:path";
import { findOrBuildClient } from "../../../tools/control_plane/binaries.ts";
import type { ControlPlane } from "../../../tools/control_plane/control_plane.ts";
import { startScheduler } from "../../../tools/control_plane/scheduler.ts";
import { startControlPlane } from "../../../tools/control_plane/start_control_plane.ts";
import { documentedCommands, isForCluster } from "../../docs/documented_commands.ts";
import { deploy, startInstalledPod } from "../install/installed.ts";
import { addNode, progress } from "../support/on_cluster.ts";
import { Space } from "../support/space.ts";

let controlPlane: ControlPlane;
let kubectl: string;

Deno.test.beforeAll(async () => {
  kubectl = await findOrBuildClient("kubectl", { onProgress: progress });
  controlPlane = await startControlPlane({
    dir: await Deno.makeTempDir({ prefix: "muster-docs-" }),
    onProgress: progress,
    extraApiServerArgs: ["--runtime-config=admissionregistration.k8s.io/v1beta1=true"],
  });
  await Promise.all(["node-1", "node-2"].map((name) => addNode(controlPlane, { name, gpus: 2 })));
  await Deno.symlink(deploy, join(controlPlane.dir, "deploy"));
});

Deno.test.afterAll(async () => {
  await controlPlane.stop();
  await Deno.remove(controlPlane.dir, { recursive: true });
});

/** Runs a command line as a reader does who stands in the project's folder; its output. */
async function run(command: string): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-o", "pipefail", "-c", command],
    cwd: controlPlane.dir,
    env: {
      KUBECONFIG: controlPlane.kubeconfig,
      PATH: `${dirname(kubectl)}${delimiter}${Deno.env.get("PATH")}`,
    },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  assertEquals(code, 0, `"${command}": ${decoder.decode(stderr)}`);
  return decoder.decode(stdout);
}

Deno.test({
  name: "docs: kubectl does what every page tells it to",
  // The control plane's processes write and end while the test runs.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const commands = (await documentedCommands()).filter(({ command }) => isForCluster(command));
    const runPages = async (isWanted: (page: string) => boolean) => {
      const wanted = commands.filter(({ page }) => isWanted(page));
      assertGreater(wanted.length, 0);
      for (const { page, command } of wanted) {
        await t.step(`${page}: ${command}`, async () => {
          said.set(command, await run(command));
        });
      }
    };
    const said = new Map<string, string>();
    const [operations, upgrade] = ["docs/operations.md", "docs/upgrade.md"];

    const plain = await startScheduler(controlPlane);
    await runPages((page) => page !== operations && page !== upgrade);
    assertStringIncludes(
      await run("kubectl --kubeconfig relay.kubeconfig auth whoami"),
      "system:serviceaccount:muster-system:muster-relay",
    );

    // Muster is now installed; what its Pods run, runs here. The plain scheduler would serve its pods too.
    await plain.process.stop();
    const { relay, scheduler } = await startInstalledPod(controlPlane);
    const space = new Space(controlPlane.api, "default");
    await space.createGang("tf-smoke-gpu", { size: 1, minAvailable: 5 });
    const sentence = "gang default/tf-smoke-gpu has 1 of 5 members";
    // `kubectl describe` tells of events, not of what conditions say.
    await space.untilEvent(
      `one says "${sentence}"`,
      ({ kind, message }) => kind === "Pod" && message.includes(sentence),
    );
    await runPages((page) => page === operations);
    assertStringIncludes(said.get("kubectl describe pod tf-smoke-gpu-0") ?? "", sentence);
    // A tenant sees the same without any access to Muster.
    const ofTenant = [...said].filter(([command]) => command.includes(" --as system:"));
    assertEquals(ofTenant.length, 2);
    for (const [command, told] of ofTenant) assertStringIncludes(told, sentence, command);

    await scheduler.stop();
    await relay.stop();
    await startScheduler(controlPlane);
    const own = "muster.scheduling/queued";
    const gates = [{ name: "example.com/other" }, { name: own }];
    const nowhere = { nodeSelector: { "kubernetes.io/hostname": "none" } };
    await space.create("named", { spec: { schedulerName: "muster", ...nowhere } });
    await space.create("gated", { spec: { schedulerName: "volcano", schedulingGates: gates } });
    await runPages((page) => page === upgrade);
    const listed = commands.find(({ command }) =>
      command.includes("-o custom-columns='NAMESPACE")
    )!;
    for (const name of ["named", "gated"]) assertStringIncludes(said.get(listed.command)!, name);
    const left = await controlPlane.api.list(space.path);
    const gated = left.find(({ metadata }) => metadata.name === "gated");
    assertEquals(gated?.["spec"].schedulingGates, gates.filter(({ name }) => name !== own));
    assertEquals(left.filter(({ metadata }) => metadata.name === "named"), []);
  },
});
