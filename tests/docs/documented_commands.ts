import { listFiles } from "../../tools/list_files.ts";

const root = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");

/** A command that a page tells its reader to run. */
export interface DocumentedCommand {
  /** The page, relative to the project's folder. */
  readonly page: string;
  readonly command: string;
}

/** A fenced block of language `sh`, which may stand in a list. */
const SH_BLOCK = /^ *```sh\n([^]*?)^ *```/gm;

/** The commands of a page: each line of a `sh` block, lines that end with a backslash joined, comments left out. */
export function commandsIn(page: string, text: string): DocumentedCommand[] {
  return [...text.matchAll(SH_BLOCK)]
    .flatMap(([, block = ""]) => block.replace(/\\\n\s*/g, "").split("\n"))
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((command) => ({ page, command }));
}

/** The commands of README.md, CONTRIBUTING.md and every page of docs/, page by page. */
export async function documentedCommands(): Promise<DocumentedCommand[]> {
  const pages = (await listFiles(root, ".md"))
    .filter((path) => /^(README|CONTRIBUTING|docs\/.*)\.md$/.test(path));
  const commands: DocumentedCommand[] = [];
  for (const page of pages.sort()) {
    commands.push(...commandsIn(page, await Deno.readTextFile(`${root}/${page}`)));
  }
  return commands;
}

/** Where the text that runs a command is. */
interface RunBy {
  readonly file: string;
  readonly says: string;
}

/** Why no test runs a command. */
interface NotRun {
  readonly because: string;
}

const tasks = "tests/e2e/muster/tasks_test.ts";
const muster = "tests/cli/muster/muster_test.ts";
const promise = "tests/e2e/queue/promise_test.ts";
const recording = "tests/cli/recording_test.ts";
const bench = {
  because: "it takes long, on a machine that does nothing else; its flags are looked up",
};
const chart = "tests/e2e/install/chart_test.ts";
const registry = { because: "it asks a registry, and no test needs the network" };
/** The Pod whose scheduler leads. */
const leader =
  `"pod/$(kubectl get lease muster-scheduler -n muster-system -o jsonpath='{.spec.holderIdentity}' | sed 's/_[^_]*$//')"`;
const noKubelet = { because: "a kubelet answers it, and no test has one" };

/** The commands that neither tests/docs nor tests/e2e/docs runs as it is written. */
export const runElsewhere: Readonly<Record<string, RunBy | NotRun>> = {
  "npx -y deno@2 task check": { file: ".ci/run", says: "npx -y deno@2 task check" },
  "npx -y deno@2 task test": { file: ".ci/run", says: "npx -y deno@2 task test" },
  "npx -y deno@2 task demo": { file: tasks, says: `[["demo"], ["demo", "--real"]]` },
  "npx -y deno@2 task demo --serve": { file: tasks, says: `denoTask(["demo", "--serve"]` },
  "npx -y deno@2 task cluster": { file: tasks, says: `denoTask(["cluster"` },
  "npx -y deno@2 task operators": {
    file: ".github/workflows/operators.yml",
    says: "npx -y deno@2 task operators",
  },
  "npx -y deno@2 task start --functions-url https://muster.example.com --functions-token-file /var/run/secrets/muster/token":
    { file: "tests/e2e/muster/credential_test.ts", says: "`--functions-token-file=" },
  "npx -y deno@2 task start --record muster.recording": {
    file: recording,
    says: "`--record=${folder.file}`",
  },
  "npx -y deno@2 task replay muster.recording": { file: recording, says: "replay(folder.file)" },
  "npx -y deno@2 task replay muster.recording --gang default/tf-smoke-gpu": {
    file: recording,
    says: `replay(folder.file, "--gang", "default/big")`,
  },
  "npx -y deno@2 task bench contention --repetitions 5 --out results": bench,
  "npx -y deno@2 task bench store --out results": bench,
  "npx -y deno@2 task bench distance --out results": bench,
  "npx -y deno@2 task bench cold --out results": bench,
  "npx -y deno@2 task bench plan --out results": bench,
  "npx -y deno@2 task bench relay --work huge --pods 20000 --out results": bench,
  "npx -y deno@2 task bench rounds --out results": bench,
  "npx -y deno@2 task bench recovery --out results": bench,
  "npx -y deno@2 task bench load --out results": bench,
  "npx -y deno@2 task chaos --seed 18 --minutes 10 --kills 500 --out results": bench,
  "npx -y deno@2 task bench traces --jobs jobs.csv --nodes nodes.csv --gpus 400": bench,
  "podman build --file deploy/Containerfile --tag registry.example.com/muster-relay:1 .": {
    file: ".github/workflows/ci.yml",
    says: "podman build --file deploy/Containerfile --tag registry.example.com/muster-relay:1 .",
  },
  "cosign verify --certificate-identity krel-trust@k8s-releng-prod.iam.gserviceaccount.com --certificate-oidc-issuer https://accounts.google.com registry.k8s.io/kube-scheduler:v1.37.1":
    registry,
  "skopeo inspect --format '{{.Digest}}' docker://docker.io/denoland/deno:distroless-2.9.6":
    registry,
  "kubectl apply -f https://raw.githubusercontent.com/kubernetes-sigs/scheduler-plugins/v0.30.6/config/crd/bases/scheduling.x-k8s.io_podgroups.yaml":
    { file: "tools/operators/operators.ts", says: `version: "v0.30.6"` },
  "helm install muster deploy/helm/muster --namespace muster-system --set images.relay=registry.example.com/muster-relay:1 --set images.scheduler=registry.k8s.io/kube-scheduler:v1.37.1":
    { file: chart, says: `helm("install"` },
  "helm upgrade muster deploy/helm/muster --namespace muster-system --reset-then-reuse-values --set images.relay=registry.example.com/muster-relay:2":
    { file: chart, says: `"--reset-then-reuse-values"` },
  "helm rollback muster --namespace muster-system": { file: chart, says: `helm("rollback"` },
  "helm uninstall muster --namespace muster-system": { file: chart, says: `helm("uninstall"` },
  "npx -y deno@2 run -A npm:wrangler@4.156.0 rollback": {
    because: "it changes what an account of Cloudflare serves",
  },
  [`kubectl port-forward -n muster-system ${leader} 8080`]: noKubelet,
  'ln -s "$PWD"/bin/kubectl-muster "$PWD"/bin/kubectl_complete-muster ~/.local/bin/': {
    because: "it is the reader's folder",
  },
  "kubectl muster list -A": { file: muster, says: `run("list", "-A"` },
  "kubectl muster explain tf-smoke-gpu": { file: muster, says: `run("explain", "short")` },
  "kubectl muster simulate -f job.yaml": { file: muster, says: `"simulate", "-f", job, "--nodes"` },
  "kubectl muster simulate -f job.yaml --add-nodes 2 --like gpu-node": {
    file: muster,
    says: `"--add-nodes", "2", "--like", "gpu-node"`,
  },
  "kubectl muster simulate -f job.yaml --policy fair.ts": {
    file: "tests/cli/muster/simulate_policy_test.ts",
    says: `path("policy.js")`,
  },
  "npx -y deno@2 task start --stage-url queue-sort=https://policy.example.com --stage-url admit=https://policy.example.com --stage-timeout admit=500ms --stage-failure admit=wait":
    { file: "tests/e2e/queue/own_policy_test.ts", says: "`--stage-url=admit=" },
  "npx -y deno@2 task new-policy fair": {
    file: "tests/tools/new_policy_test.ts",
    says: `"new-policy", "fair"`,
  },
  "npx -y deno@2 task conform http://127.0.0.1:8090": {
    file: "tests/examples/served.ts",
    says: `"tools/conform.ts"`,
  },
  ...Object.fromEntries(
    ["fair_share", "office_hours", "licence_tokens"].map((name) => [
      `npx -y deno@2 serve -A --host 127.0.0.1 --port 8090 examples/policies/${name}.ts`,
      { file: "tests/examples/policies_test.ts", says: `${name}: {` },
    ]),
  ),
  "go -C examples/policies/deadlines run .": {
    file: "tests/examples/policies_test.ts",
    says: `cwd: join(root, examples, "deadlines")`,
  },
  "python3 examples/policies/month_budget.py": {
    file: "tests/examples/policies_test.ts",
    says: "${examples}/month_budget.py",
  },
  "kubectl muster export past": { file: promise, says: `"export", "past"` },
  "npx -y deno@2 task replay-trace past/gangs.csv --nodes past/nodes.csv --backfill timed,easy,easy-4":
    { file: promise, says: `"--backfill", "timed,easy"` },
  "npx -y deno@2 task replay-trace past/gangs.csv --nodes past/nodes.csv --add-nodes 4 --out replayed":
    { file: "tests/cli/replay_trace/command_test.ts", says: `"--add-nodes", "2"` },
  "npx -y deno@2 task replay-trace gangs_1.csv --nodes 20x8 --estimates true --backfill none,timed,easy,easy-4,conservative":
    {
      file: "tests/cli/replay_trace/command_test.ts",
      says: `"--estimates", "true", "--backfill", rules`,
    },
  "npx -y deno@2 task replay-trace past/gangs.csv --nodes past/nodes.csv --backfill easy --policy fair.ts":
    { file: "tests/cli/replay_trace/own_policy_test.ts", says: `path ?? "fair.ts"` },
  "npx -y deno@2 task replay-trace past/gangs.csv --nodes past/nodes.csv --backfill timed,easy": {
    file: promise,
    says: `"past/gangs.csv", "--nodes", "past/nodes.csv", "--backfill", "timed,easy"`,
  },
  [`kubectl logs -n muster-system ${leader} -c relay`]: noKubelet,
};

/** Whether tests/e2e/docs runs it. */
export function isForCluster(command: string): boolean {
  return command.startsWith("kubectl ") && !Object.hasOwn(runElsewhere, command);
}
