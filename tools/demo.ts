/**
 * `deno task demo`: a job that hangs without gangs, waits whole with Muster, and starts whole when there is room.
 *
 * @module
 */
import { join } from "node:path";
import { Command, Option } from "commander";
import { streamGangs } from "./gang_stream.ts";
import { startControlPlane } from "./control_plane/start_control_plane.ts";
import { print } from "../cli/print.ts";
import { stopAllProcesses } from "../cli/process.ts";
import { controlPlaneWorld } from "./sandbox/control_plane_world.ts";
import { startSandbox } from "./sandbox/sandbox.ts";
import { sandboxWorld } from "./sandbox/world.ts";
import { job, type Tell, tellStory, type World } from "./story.ts";
import { untilAsked } from "./until_asked.ts";

const command = new Command("deno task demo")
  .description(
    "Tells the story that Muster is for, on a cluster that exists only for it, and ends by itself. " +
      "Exit code 0 means that everything happened as told, 1 that something was different.",
  )
  .addOption(
    new Option(
      "--real",
      "on a real control plane (etcd, kube-apiserver, kube-scheduler) instead of the sandbox; " +
        "the first run builds it with Go, which takes minutes",
    ).env("MUSTER_REAL"),
  )
  .addOption(
    new Option(
      "--serve",
      "afterwards, keep it alive with gangs that come and go, to be watched in a browser, until Ctrl-C",
    ).env("MUSTER_SERVE"),
  );

interface DemoOptions {
  real?: boolean;
  serve?: boolean;
}

const COLOURS = { act: 1, cluster: 36, user: 33, scheduler: 35, muster: 32 };

/** A teller with elapsed seconds, in colour only on a terminal and without NO_COLOR. */
function teller(): Tell {
  const start = performance.now();
  const coloured = Deno.stdout.isTerminal() && !Deno.env.get("NO_COLOR");
  const paint = (code: number, text: string) => coloured ? `\x1b[${code}m${text}\x1b[0m` : text;
  return (who, what) => {
    if (who === "act") {
      print("");
      print(paint(COLOURS.act, what));
      return;
    }
    const elapsed = ((performance.now() - start) / 1000).toFixed(2).padStart(6);
    print(`${elapsed} s  ${paint(COLOURS[who], who.padEnd(9))}  ${what}`);
  };
}

/** A cluster to tell the story on, and how to end it. */
interface Stage {
  world: World;
  stop: () => Promise<void>;
}

async function realStage(folder: string): Promise<Stage> {
  const dir = join(folder, "cluster");
  const controlPlane = await startControlPlane({ dir, auditLog: true, onProgress: print });
  return { world: controlPlaneWorld(controlPlane), stop: () => controlPlane.stop() };
}

async function sandboxStage(folder: string): Promise<Stage> {
  // The settings of deploy/base/scheduler_config.yaml.
  const sandbox = await startSandbox({
    podInitialBackoffSeconds: 1,
    podMaxBackoffSeconds: 3,
    bindTimeoutSeconds: 3600,
  });
  return { world: sandboxWorld(sandbox, folder), stop: () => sandbox.stop() };
}

async function run(folder: string, options: DemoOptions): Promise<void> {
  const asked = untilAsked();
  const interrupted = asked.then((): never => {
    throw new Error("Interrupted before the end of the story");
  });
  // Whoever asks while gangs are watched interrupts nothing.
  interrupted.catch(() => {});
  const stage = options.real ? realStage(folder) : sandboxStage(folder);
  const { world, stop } = await Promise.race([interrupted, stage]);
  try {
    print(`On ${world.description}.`);
    const tell = teller();
    let url = "";
    const watched: World = {
      ...world,
      startMuster: async () => {
        const extenderUrl = await world.startMuster();
        url = new URL("/page", extenderUrl).href;
        return extenderUrl;
      },
    };
    await Promise.race([interrupted, tellStory(watched, tell)]);
    print("");
    print("All of it happened as told.");
    if (options.serve) await serve(world, { tell, url, asked });
    else print('See it in a browser: "npx -y deno@2 task demo --serve"');
  } finally {
    // Muster first, for it is a client of the rest.
    await stopAllProcesses();
    await stop();
  }
}

/** Lets gangs come and go until somebody asks this process to end. */
async function serve(
  world: World,
  { tell, url, asked }: { tell: Tell; url: string; asked: Promise<void> },
): Promise<void> {
  print("");
  print(`Watch the gangs that follow: ${url}`);
  print("They come and go until Ctrl-C.");
  print("");
  const ended = new AbortController();
  void asked.then(() => ended.abort());
  await streamGangs(world, tell, { first: job, signal: ended.signal });
  print("Ended.");
}

async function main(): Promise<number> {
  const options = command.parse(Deno.args, { from: "user" }).opts<DemoOptions>();
  const folder = await Deno.makeTempDir({ prefix: "muster-demo-" });
  try {
    await run(folder, options);
    return 0;
  } catch (error) {
    print("");
    print(`Something was different: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  } finally {
    await stopAllProcesses();
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) Deno.exit(await main());
