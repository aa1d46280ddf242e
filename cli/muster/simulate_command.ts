/**
 * `kubectl muster simulate`.
 *
 * @module
 */
import { type Command, InvalidArgumentError, Option } from "commander";
import { profiles } from "../../shared/core/gang/settings.ts";
import { membershipOf } from "../../shared/kubernetes/declaring/dialect.ts";
import { type AccessOptions, oneNamespaceOf, withCluster } from "./access.ts";
import { exitCodes, Failure } from "./failure.ts";
import { type Format, output } from "./output.ts";
import { noObjects, type Objects, readManifests } from "./simulation/manifests.ts";
import { simulate, type Verdict } from "./simulation/simulation.ts";
import { snapshot } from "./simulation/snapshot.ts";
import { withManifests, withNodes } from "./simulation/what_if.ts";
import { paragraph, printable, table } from "./table.ts";

interface SimulateOptions extends AccessOptions {
  readonly filename: readonly string[];
  readonly nodes?: string;
  readonly addNodes?: number;
  readonly like?: string;
  readonly profile: keyof typeof profiles;
  readonly backfill: number;
  readonly schedulerName: string;
  readonly output?: Format;
}

/** Adds the options and the action of the command. */
export function simulateCommand(command: Command, ended: (code: number) => void): void {
  command
    .description("say which gangs would start, in which order and where, and why others would not")
    .addOption(
      new Option(
        "-f, --filename <files...>",
        "manifests of Pods, Jobs, PodGroups; - is standard input; absent: what waits in the cluster",
      ).default([], "none"),
    )
    .option("--nodes <file>", "nodes, and pods on them, from a file instead of the cluster")
    .addOption(new Option("--add-nodes <count>", "with so many more nodes").argParser(parseCount))
    .option("--like <node>", "the node that they are like")
    .addOption(
      new Option("--profile <name>", "policy profile of Muster").env("MUSTER_PROFILE")
        .choices(Object.keys(profiles)).default("default"),
    )
    .addOption(
      new Option(
        "--backfill <seconds>",
        "as Muster's own; 0: no gang passes one that waits for room",
      )
        .env("MUSTER_BACKFILL").default(60).argParser(parseCount),
    )
    .addOption(
      new Option(
        "--scheduler-name <names>",
        "those that Muster serves, separated by commas: pods of others are not its own",
      ).env("MUSTER_SCHEDULER_NAME").default("default-scheduler,muster"),
    )
    .addOption(
      new Option("-n, --namespace <name>", "of manifests that name none; absent: the context's")
        .env("MUSTER_NAMESPACE"),
    )
    .addOption(new Option("-o, --output <format>", "for programs").choices(["json", "yaml"]))
    .action(async (options) => ended(await run(options)));
}

async function run(options: SimulateOptions): Promise<number> {
  const { addNodes: count, like, profile, backfill: backfillSeconds } = options;
  if ((count === undefined) !== (like === undefined)) {
    throw new Failure("--add-nodes and --like go together: give both", exitCodes.usage);
  }
  const now = Date.now();
  const namespace = options.nodes === undefined
    ? await oneNamespaceOf(options)
    : options.namespace ?? "default";
  const read = async (names: readonly string[]) =>
    readManifests(await Promise.all(names.map(readFile)), {
      namespace,
      now: new Date(now).toISOString(),
    });
  const added = await read(options.filename);
  const known = options.nodes === undefined
    ? await withCluster(options, snapshot)
    : withManifests(noObjects(), await read([options.nodes]));
  const grown = count === undefined ? known : withNodes(known, { count, like: like! });
  const verdicts = simulate(withManifests(grown, added), {
    settings: profiles[profile],
    now,
    backfillSeconds,
    schedulerNames: options.schedulerName.split(","),
  });
  const asked = verdicts.filter(
    options.filename.length === 0 ? ({ isForeign }) => !isForeign : isAbout(added),
  );
  output(options.output, { data: { verdicts: asked }, text: textOf(asked, added) });
  return asked.every(({ starts }) => starts) ? exitCodes.done : exitCodes.waits;
}

async function readFile(name: string): Promise<{ name: string; text: string }> {
  const text = name === "-"
    ? await new Response(Deno.stdin.readable).text()
    : await Deno.readTextFile(name).catch((error) => {
      throw new Failure(`Cannot read "${name}": ${error.message}`);
    });
  return { name, text };
}

function isAbout({ pods }: Objects): (verdict: Verdict) => boolean {
  const titles = new Set(pods.map(({ metadata }) => `pod ${metadata.namespace}/${metadata.name}`));
  const gangs = new Set(pods.flatMap((pod) => {
    const membership = membershipOf(pod);
    return membership ? [`${membership.namespace}/${membership.name}`] : [];
  }));
  return (verdict) => titles.has(verdict.title) || verdict.gangs.some((gang) => gangs.has(gang));
}

function textOf(verdicts: readonly Verdict[], { ignored }: Objects): string {
  const rows = verdicts.map((verdict) => [
    verdict.order === undefined ? "-" : String(verdict.order),
    verdict.title,
    verdict.starts ? "starts" : "waits",
    verdict.starts ? whereText(verdict) : verdict.message,
  ]);
  const notes = verdicts.flatMap((verdict) => notesOf(verdict));
  const kinds = [...ignored].map(([kind, count]) => `${count} ${kind}`).join(", ");
  return [
    verdicts.length > 0
      ? table(["ORDER", "WHAT", "VERDICT", "WHERE OR WHY"], rows)
      : "Nothing waits",
    ...(notes.length > 0 ? ["", ...notes] : []),
    ...(kinds ? ["", `Not read: ${printable(kinds)}: only Pods, Jobs and PodGroups are`] : []),
  ].join("\n");
}

/** `node-1: 2, node-2: 1`. */
function whereText({ nodes }: Verdict): string {
  const counts = new Map<string, number>();
  for (const node of Object.values(nodes)) counts.set(node, (counts.get(node) ?? 0) + 1);
  return [...counts].sort().map(([node, count]) => `${node}: ${count}`).join(", ");
}

function notesOf({ title, starts, message, evicts, notModelled }: Verdict): string[] {
  const note = (text: string) => paragraph(text, { start: "", indent: "  " });
  return [
    ...(starts ? [] : [note(message)]),
    ...(evicts.length > 0 ? [note(`${title} evicts ${evicts.join(", ")}`)] : []),
    ...(notModelled.length > 0
      ? [
        note(
          `${title}: not modelled: ${notModelled.join(", ")}; the scheduler may decide otherwise`,
        ),
      ]
      : []),
  ];
}

function parseCount(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`"${text}" is not a whole number`);
}
