import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { startSandbox } from "../../tools/sandbox/sandbox.ts";
import { gang, group } from "../support/facts.ts";
import { membersOf, podOf } from "../support/gang_pods.ts";
import { commandLinesWith, descendantsOf, untilDead } from "../e2e/support/process_tree.ts";
import { ServingChild } from "./child.ts";

const onWorkerd = ["--runtime", "workerd", "--port", "0"];
const functions = ["run", "-A", "--no-check", "cli/functions.ts", ...onWorkerd];
const start = ["run", "-A", "--no-check", "cli/start.ts", ...onWorkerd];
const facts = group(gang({ minMember: 2, held: 1, pending: 1 }));

Deno.test("functions --runtime workerd: serves, keeps its state, and leaves no process behind", async () => {
  await using child = new ServingChild();
  await child.start(functions);
  assertMatch(await child.output(), /^listening: http:\/\/127\.0\.0\.1:\d+$/m);
  const before = await child.ask("/v1/permit", facts);
  assertEquals(before.verdict, "wait");

  const second = new ServingChild();
  await assertFails(() => second.start(functions, { MUSTER_STORE: child.store }), {
    says: `process ${child.process!.pid} uses it`,
  });
  await second[Symbol.asyncDispose]();

  const [workerd] = descendantsOf(child.process!.pid);
  assert(workerd !== undefined);
  await child.process!.kill("SIGKILL");
  await untilDead([workerd]);
  await child.start(functions);
  assertEquals((await child.ask("/v1/permit", facts)).deadline, before.deadline);
  await child.process!.kill("SIGTERM");
  assertEquals((await child.process!.exited).code, 0);
  assertEquals(commandLinesWith(child.dir), []);
});

Deno.test("functions --runtime workerd: ends when workerd does, and says so", async () => {
  await using child = new ServingChild();
  await child.start(functions);
  const [workerd] = descendantsOf(child.process!.pid);
  Deno.kill(workerd!, "SIGKILL");
  assertEquals((await child.process!.exited).code, 1);
  assertStringIncludes(await child.output(), "workerd ended unexpectedly by SIGKILL");
});

Deno.test("functions --runtime workerd: what it can not use is refused with a reason", async () => {
  await using child = new ServingChild();
  await assertFails(() => child.start([...functions, "--wait-seconds", "soon"]), {
    says: 'MUSTER_WAIT_SECONDS is "soon"',
  });
});

for (const [who, env] of [["loopback", {}], ["a credential", credentials()]] as const) {
  Deno.test(`start --runtime workerd: a gang binds where ${who} may call`, async () => {
    const sandbox = await startSandbox();
    await using child = new ServingChild();
    try {
      await child.start([...start, "--kubeconfig", sandbox.kubeconfigPath], env);
      await sandbox.startScheduler({ extenderUrl: `${child.url}/extender` });
      await sandbox.addNode({ name: "node-1", gpus: 4 });
      for (const name of membersOf("train", 3)) {
        const spec = { schedulerName: "muster" };
        const gang = { name: "train", minAvailable: 3 };
        await sandbox.createPod(podOf(name, { gpus: 1, gang, spec }));
      }
      await sandbox.waitFor((pods) => pods.every(({ spec }) => spec.nodeName), {
        what: "the gang is bound",
        timeout: 30_000,
      });
      const { gangs, status } = await child.ask("/v1/gangs");
      if (who === "loopback") assertEquals(gangs[0].name, "train");
      else assertEquals(status, 401);
    } finally {
      await sandbox.stop();
    }
  });
}

function credentials() {
  return { MUSTER_TOKENS: JSON.stringify({ another: ["0123456789abcdef0123456789abcdef"] }) };
}

async function assertFails(
  action: () => Promise<void>,
  { says }: { says: string },
): Promise<void> {
  const error = await action().then(() => undefined, (error) => error);
  assertStringIncludes(String(error), says);
}
