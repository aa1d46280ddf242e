import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "node:path";
import { bundleRelay } from "../../tools/build.ts";
import { startSandbox } from "../../tools/sandbox/sandbox.ts";
import { ServingChild } from "../functions/child.ts";

const root = new URL("../..", import.meta.url).pathname;
const { tasks } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));

/** The arguments that a task gives to Deno. */
function argsOf(task: string): string[] {
  const text: string = tasks[task];
  return text.slice(text.lastIndexOf("deno run") + "deno ".length).split(" ");
}

/** As the image starts it: `{state}` and `{secrets}` are in the place of what is mounted. */
async function entrypoint(): Promise<string[]> {
  const text = await Deno.readTextFile(join(root, "deploy/Containerfile"));
  const [, args] = /^ENTRYPOINT (\[[^]*?\])$/m.exec(text.replaceAll("\\\n", ""))!;
  return JSON.parse(args!).slice(1);
}

Deno.test("least permissions: nothing that runs in production may do everything, or asks for more", async () => {
  for (const args of [argsOf("start"), argsOf("functions"), await entrypoint()]) {
    const allowed = args.filter((arg) => arg.startsWith("--allow") || arg === "-A");
    assertEquals(allowed.includes("-A") || allowed.includes("--allow-all"), false);
    assertEquals(allowed.some((arg) => /ffi|import/.test(arg)), false, allowed.join(" "));
    assertEquals(args.includes("--no-prompt"), true);
  }
  const image = (await entrypoint()).join(" ");
  assertEquals(/--allow-run|--allow-(read|write)( |$)/.test(image), false, image);
});

/** Says, when the process says that it listens, what became of starting a program and of loading a library. */
const probe = "--preload=data:text/javascript," + encodeURIComponent(`
  const { log } = console;
  const nameOf = (attempt) => {
    try {
      attempt();
      return "done";
    } catch ({ name }) {
      return name;
    }
  };
  console.log = (...said) => {
    log("program:", nameOf(() => new Deno.Command("true").outputSync()));
    log("library:", nameOf(() => Deno.dlopen("libc.so.6", {})));
    log(...said);
  };
`);

for (const runtime of ["deno", "workerd"]) {
  Deno.test(`least permissions: deno task functions serves by its flags, and on loopback only, on ${runtime}`, async () => {
    await using child = new ServingChild();
    await child.start([...argsOf("functions"), "--runtime", runtime, "--port", "0"]);
    assertEquals(await (await fetch(`${child.url}/healthz`)).text(), "ok");
    assertEquals((await child.ask("/v1/gangs")).gangs, []);
    // Whoever listens everywhere listens there too.
    const elsewhere = { hostname: "127.0.0.2", port: Number(new URL(child.url).port) };
    await assertRejects(() => Deno.connect(elsewhere), Deno.errors.ConnectionRefused);
  });
}

Deno.test("least permissions: deno task functions starts no program and loads no library", async () => {
  await using child = new ServingChild();
  const [run, ...args] = argsOf("functions");
  await child.start([run!, probe, ...args, "--port=0"]);
  assertMatch(await child.output(), /program: NotCapable\nlibrary: NotCapable\n/);
});

Deno.test("least permissions: deno task start serves by its flags, starts no program and loads no library", async () => {
  const sandbox = await startSandbox();
  await using child = new ServingChild();
  const [run, ...args] = argsOf("start");
  try {
    await child.start([
      run!,
      probe,
      ...args,
      `--kubeconfig=${sandbox.kubeconfigPath}`,
      "--port=0",
    ]);
    assertEquals(await (await fetch(`${child.url}/readyz`)).text(), "ok");
    assertEquals((await child.ask("/v1/gangs")).gangs, []);
    assertMatch(await child.output(), /program: NotCapable\nlibrary: NotCapable\n/);
  } finally {
    await sandbox.stop();
  }
});

Deno.test("least permissions: the image serves by its flags, and reads and writes nothing else", async () => {
  const sandbox = await startSandbox();
  await using child = new ServingChild();
  const [state, secrets, bundle] = ["state", "secrets", "bundle"].map((name) =>
    join(child.dir, name)
  ) as [string, string, string];
  try {
    for (const folder of [state, secrets]) await Deno.mkdir(folder);
    const kubeconfig = join(secrets, "kubeconfig");
    await Deno.copyFile(sandbox.kubeconfigPath, kubeconfig);
    const { path } = await bundleRelay(bundle);
    const args = (await entrypoint()).map((arg) =>
      arg.replace("/var/lib/muster", state).replace("/var/run/secrets", secrets)
        .replace("/muster/relay.js", path)
    );
    const env = { MUSTER_STORE: join(state, "store"), MUSTER_HEALTH_ADDRESS: "127.0.0.1:0" };
    await child.start([...args, "--port=0"], { ...env, KUBECONFIG: kubeconfig });
    assertEquals(await (await fetch(`${child.url}/readyz`)).text(), "ok");
    assertEquals((await child.ask("/v1/gangs")).gangs, []);
    await child.process!.kill("SIGTERM");

    const outside = join(child.dir, "outside");
    const stopped = child.start([...args, "--port=0"], {
      ...env,
      KUBECONFIG: kubeconfig,
      MUSTER_STORE: outside,
    });
    await stopped.catch(() => {});
    assertMatch(await child.output(), /Requires write access|NotCapable|Requires read access/);
  } finally {
    await sandbox.stop();
  }
});
