import { assert, assertEquals, assertGreater, assertStringIncludes } from "@std/assert";
import { childDeno } from "../../tools/child_deno.ts";
import { untilReady } from "../../tools/control_plane/readiness.ts";
import { startSandbox } from "../../tools/sandbox/sandbox.ts";
import { ServingChild } from "../functions/child.ts";
import { podOf } from "../support/gang_pods.ts";
import {
  commandsIn,
  documentedCommands,
  isForCluster,
  runElsewhere,
} from "./documented_commands.ts";

const root = new URL("../..", import.meta.url).pathname;
const documented = await documentedCommands();
const commands = [...new Set(documented.map(({ command }) => command))];

const npx = "npx -y deno@2 ";
const start = `${npx}task start --kubeconfig relay.kubeconfig`;
const isCurl = (command: string) => command.startsWith("curl ");
const isHelp = (command: string) => /^npx -y deno@2 task [\w ]+ --help$/.test(command);

function isRunHere(command: string): boolean {
  return command === start || isCurl(command) || isHelp(command);
}

/** What Deno is given by a command that brings it along. */
function denoArgs(command: string): string[] {
  assert(command.startsWith(npx), command);
  return command.slice(npx.length).split(" ");
}

async function helpOf(args: string[]): Promise<string> {
  const { code, stdout } = await childDeno([...args, "--help"], {
    cwd: root,
    env: { NO_COLOR: "1" },
    stdout: "piped",
    stderr: "null",
  }).output();
  assertEquals(code, 0);
  return new TextDecoder().decode(stdout);
}

Deno.test("docs: commands are the lines of sh blocks, in lists too", () => {
  const text = [
    "1. First:",
    "   ```sh",
    "   # why",
    "   one --flag \\",
    "     value",
    "   two",
    "   ```",
    "```yaml",
    "no: command",
    "```",
  ].join("\n");
  assertEquals(commandsIn("a.md", text), [
    { page: "a.md", command: "one --flag value" },
    { page: "a.md", command: "two" },
  ]);
});

Deno.test("docs: every command is run by a test", () => {
  assertGreater(commands.length, 20);
  const unknown = documented.filter(({ command }) =>
    !isRunHere(command) && !isForCluster(command) && !Object.hasOwn(runElsewhere, command)
  );
  assertEquals(unknown, [], "give it a test, and a line of tests/docs/documented_commands.ts");
});

Deno.test("docs: what is said to run a command does, and the command is still there", async () => {
  for (const [command, where] of Object.entries(runElsewhere)) {
    assert(commands.includes(command), `no page has "${command}" any more`);
    if ("file" in where) {
      assertStringIncludes(await Deno.readTextFile(root + where.file), where.says);
    }
  }
});

Deno.test("docs: every flag of a documented task is one of the task's", async (t) => {
  for (const command of commands.filter((command) => / --/.test(command))) {
    if (!command.startsWith(npx)) continue;
    await t.step(command, async () => {
      const args = denoArgs(command);
      const words = args.slice(0, args.findIndex((arg) => arg.startsWith("--")));
      const help = await helpOf(words);
      for (const flag of args.filter((arg) => arg.startsWith("--"))) {
        assertStringIncludes(help, `${flag} `);
      }
    });
  }
});

Deno.test("docs: start serves what curl is told to ask", async (t) => {
  const sandbox = await startSandbox();
  await using child = new ServingChild();
  try {
    const args = denoArgs(start).map((arg) =>
      arg === "relay.kubeconfig" ? sandbox.kubeconfigPath : arg
    );
    await child.start(args, { MUSTER_PORT: "0" });
    const gang = { name: "tf-smoke-gpu", minAvailable: 5 };
    await sandbox.createPod(podOf("tf-smoke-gpu-0", { gang, spec: { schedulerName: "muster" } }));
    await untilReady(async () => (await child.ask("/v1/gangs")).gangs.length === 1, {
      what: "the gang",
      signal: new AbortController().signal,
    });
    const curls = commands.filter(isCurl);
    assertGreater(curls.length, 1);
    for (const command of curls) {
      await t.step(command, async () => {
        const { code, stdout } = await new Deno.Command("sh", {
          args: ["-c", command.replace("http://127.0.0.1:8080", child.url)],
          stderr: "null",
        }).output();
        const answer = JSON.parse(new TextDecoder().decode(stdout));
        const { name, reason } = answer.gangs?.[0] ?? { ...answer, ...answer.spec };
        assertEquals({ code, name, reason }, {
          code: 0,
          name: "tf-smoke-gpu",
          reason: "MembersMissing",
        });
      });
    }
  } finally {
    await sandbox.stop();
  }
});
