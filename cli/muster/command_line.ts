/**
 * The command line of `kubectl muster`.
 *
 * @module
 */
import tab from "@bomb.sh/tab/commander";
import { Command, Option } from "commander";
import { parseSeconds, parseUrl } from "../flag_values.ts";
import { exitCodes } from "./failure.ts";
import { exportCommand } from "./export_command.ts";
import { explain, list, queue, watch } from "./gang_commands.ts";
import { simulateCommand } from "./simulate_command.ts";
import { unpark } from "./unpark.ts";

const description = "Gangs and why they wait, what would start, and gangs to try again.";

const exitHelp = `
Exit codes: ${exitCodes.done} done, ${exitCodes.failed} failed, ${exitCodes.usage} wrong command line, ${exitCodes.notFound} no such gang, ${exitCodes.waits} the gang waits (explain, simulate).

Without --url, the relay is found by the kubeconfig and reached by kubectl port-forward.
`;

/** The command line; `ended` is told the exit code of the command that ran. */
export function commandLine(ended: (code: number) => void): Command {
  const program = new Command("kubectl-muster").description(description)
    .addHelpText("after", exitHelp);
  readsGangs(program.command("list").description("list gangs"), { isOfMany: true })
    .action(async (options) => ended(await list(options)));
  readsGangs(program.command("queue").description("list waiting gangs, the next first"), {
    isOfMany: true,
  }).action(async (options) => ended(await queue(options)));
  readsGangs(
    program.command("explain").description("say why a gang waits, and what would help")
      .argument("<gang>", "the gang's name, or namespace/name"),
    { isOfMany: false },
  ).action(async (gang, options) => ended(await explain(gang, options)));
  readsGangs(program.command("watch").description("print what changes, until Ctrl-C"), {
    isOfMany: true,
  }).addOption(
    new Option("--interval <seconds>", "time between two looks").env("MUSTER_WATCH_INTERVAL")
      .default(2).argParser(parseSeconds),
  ).action(async (options) => ended(await watch(options, untilAsked())));
  const simulated = program.command("simulate");
  hasCluster(simulated);
  simulateCommand(simulated, ended);
  exportCommand(reachesGangs(program.command("export")), ended);
  const unparked = program.command("unpark")
    .description("let gangs that timed out for good try again")
    .argument("<gangs...>", "names of gangs, or namespace/name");
  hasCluster(unparked).addOption(namespace())
    .action(async (gangs, options) => ended(await unpark(gangs, options)));
  // Of the subcommands too.
  for (const command of [program, ...program.commands]) command.exitOverride();
  tab(program, { completionCommandName: "completion" });
  return program;
}

function readsGangs(command: Command, { isOfMany }: { isOfMany: boolean }): Command {
  reachesGangs(command)
    .addOption(namespace())
    .addOption(new Option("-o, --output <format>", "for programs").choices(["json", "yaml"]));
  return isOfMany ? command.option("-A, --all-namespaces", "gangs of all namespaces") : command;
}

function reachesGangs(command: Command): Command {
  return hasCluster(command)
    .addOption(
      new Option(
        "--url <url>",
        "functions, or a relay on loopback; absent: found by the kubeconfig",
      )
        .env("MUSTER_URL").argParser(parseUrl),
    )
    .addOption(
      new Option("--token-file <file>", "bearer token for the functions").env("MUSTER_TOKEN_FILE"),
    )
    .addOption(
      new Option("--cluster <name>", "the cluster, where the functions serve several")
        .env("MUSTER_CLUSTER"),
    );
}

function hasCluster(command: Command): Command {
  return command
    .addOption(
      new Option("--kubeconfig <file>", "absent: KUBECONFIG, ~/.kube/config, or the Pod's own")
        .env("MUSTER_KUBECONFIG"),
    )
    .addOption(
      new Option("--context <name>", "context of the kubeconfig; absent: its current one")
        .env("MUSTER_CONTEXT"),
    );
}

function namespace(): Option {
  return new Option("-n, --namespace <name>", "absent: the context's").env("MUSTER_NAMESPACE");
}

/** Aborted when somebody asks this process to end. */
function untilAsked(): AbortSignal {
  const asked = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => asked.abort());
  }
  return asked.signal;
}
