/**
 * `kubectl muster simulate`.
 *
 * @module
 */
import { type Command, InvalidArgumentError, Option } from "commander";
import { listed } from "../../shared/core/words/text.ts";
import { type Backfill, backfillOf, backfillRules } from "../../shared/core/gang/backfill.ts";
import { profiles } from "../../shared/core/gang/settings.ts";
import { membershipOf } from "../../shared/kubernetes/declaring/dialect.ts";
import type { TopologyLevel } from "../../shared/kubernetes/declaring/topology_level.ts";
import { addExpectedDuration } from "../expected_duration.ts";
import { parseSchedulerNames } from "../flag_values.ts";
import { loadPolicy } from "../policy/load_policy.ts";
import { addTopologyLevels } from "../topology_levels.ts";
import { type AccessOptions, oneNamespaceOf, withCluster } from "./access.ts";
import { exitCodes, Failure } from "./failure.ts";
import { type Format, output } from "./output.ts";
import { noObjects, type Objects, readManifests } from "./simulation/manifests.ts";
import { simulate, simulateWith } from "./simulation/simulation.ts";
import type { SimulationOptions } from "./simulation/simulation_options.ts";
import { snapshot } from "./simulation/snapshot.ts";
import type { Verdict } from "./simulation/verdict.ts";
import { withManifests, withNodes } from "./simulation/what_if.ts";
import { workloadKinds } from "./simulation/workloads/workloads.ts";
import { paragraph, printable, table, withoutTitle } from "./table.ts";

interface SimulateOptions extends AccessOptions {
  readonly filename: readonly string[];
  readonly nodes?: string;
  readonly addNodes?: number;
  readonly like?: string;
  readonly profile: keyof typeof profiles;
  readonly policy?: string;
  readonly backfill?: Backfill;
  readonly schedulerName: readonly string[];
  readonly topologyLevels: readonly TopologyLevel[];
  readonly expectedDuration?: number;
  readonly output?: Format;
}

/** Adds the options and the action of the command. */
export function simulateCommand(command: Command, ended: (code: number) => void): void {
  addExpectedDuration(addTopologyLevels(command))
    .description("say which gangs would start, in which order and where, and why others would not")
    .addOption(
      new Option(
        "-f, --filename <files...>",
        "manifests of Pods, PodGroups, CompositePodGroups, Jobs and the jobs of operators; - is standard input; absent: what waits in the cluster",
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
        "--policy <file>",
        "a policy of your own that answers queue-sort, admit or both, beside Muster's: WITHOUT says what becomes of each without it",
      ).env("MUSTER_POLICY"),
    )
    .addOption(
      new Option(
        "--backfill <rule>",
        `as Muster's own: ${backfillRules}; absent: the profile's`,
      )
        .env("MUSTER_BACKFILL").argParser(parseBackfill),
    )
    .addOption(
      new Option(
        "--scheduler-name <names>",
        "those that Muster serves, separated by commas: pods of others are not its own",
      ).env("MUSTER_SCHEDULER_NAME").default(["muster"], "muster").argParser(parseSchedulerNames),
    )
    .addOption(
      new Option("-n, --namespace <name>", "of manifests that name none; absent: the context's")
        .env("MUSTER_NAMESPACE"),
    )
    .addOption(new Option("-o, --output <format>", "for programs").choices(["json", "yaml"]))
    .action(async (options) => ended(await run(options)));
}

async function run(options: SimulateOptions): Promise<number> {
  const { addNodes: count, like, profile } = options;
  if ((count === undefined) !== (like === undefined)) {
    throw new Failure("--add-nodes and --like go together: give both", exitCodes.usage);
  }
  if ([...options.filename, options.nodes].filter((name) => name === "-").length > 1) {
    const message = "Only one of the files of --filename and --nodes may be -, standard input";
    throw new Failure(message, exitCodes.usage);
  }
  const now = Date.now();
  const namespace = options.nodes === undefined
    ? await oneNamespaceOf(options)
    : options.namespace ?? "default";
  const read = async (names: readonly string[], { exist = false } = {}) =>
    readManifests(await Promise.all(names.map(readFile)), {
      namespace,
      now: new Date(now).toISOString(),
      exist,
    });
  const added = await read(options.filename);
  if (options.filename.length > 0 && added.pods.length === 0) throw nothingIn(options, added);
  const known = options.nodes === undefined
    ? await withCluster(options, snapshot)
    : withManifests(noObjects(), await read([options.nodes], { exist: true }));
  const grown = count === undefined ? known : withNodes(known, { count, like: like! });
  const how = {
    settings: profiles[profile],
    now,
    backfill: options.backfill ?? backfillOf(profiles[profile].backfill)!,
    schedulerNames: options.schedulerName,
    levels: options.topologyLevels,
    expectedSeconds: options.expectedDuration,
  };
  const objects = withManifests(grown, added);
  const builtIn = simulate(objects, how);
  const verdicts = options.policy === undefined
    ? builtIn
    : await withPolicy(options.policy, { objects, options: how });
  const isAsked = options.filename.length === 0
    ? ({ isForeign }: Verdict) => !isForeign
    : isAbout(added);
  const asked = verdicts.filter(isAsked);
  const ahead = aheadOf(verdicts, isAsked);
  const without = options.policy === undefined ? undefined : builtIn;
  const ignored = Object.fromEntries(added.ignored);
  output(options.output, {
    data: {
      verdicts: asked,
      ...(ahead.length > 0 && { ahead }),
      ...(without && { without }),
      ignored,
    },
    text: textOf(asked, { ahead, added, without }),
  });
  return asked.every(({ starts }) => starts) ? exitCodes.done : exitCodes.waits;
}

async function withPolicy(
  path: string,
  what: { objects: Objects; options: SimulationOptions },
): Promise<Verdict[]> {
  try {
    return await simulateWith(await loadPolicy(path), what);
  } catch (error) {
    throw error instanceof Failure ? error : new Failure((error as Error).message);
  }
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

/** Those that start first and that nobody asked about, where one waits that somebody did. */
function aheadOf(
  verdicts: readonly Verdict[],
  isAsked: (verdict: Verdict) => boolean,
): Verdict[] {
  const last = verdicts.findLastIndex((verdict) => isAsked(verdict) && !verdict.starts);
  return verdicts.slice(0, Math.max(last, 0)).filter((verdict) =>
    verdict.starts && !isAsked(verdict)
  );
}

function textOf(
  verdicts: readonly Verdict[],
  { ahead, added: { pods, ignored }, without }: {
    ahead: readonly Verdict[];
    added: Objects;
    without: readonly Verdict[] | undefined;
  },
): string {
  const rows = [...ahead, ...verdicts].map((verdict) => [
    verdict.order === undefined ? "-" : String(verdict.order),
    verdict.title,
    !verdict.starts ? "waits" : ahead.includes(verdict) ? "starts ahead" : "starts",
    ...(without ? [otherwise(without.find(({ title }) => title === verdict.title))] : []),
    verdict.starts ? whereText(verdict) : withoutTitle(verdict.message, verdict.title),
  ]);
  const notes = verdicts.flatMap((verdict) => notesOf(verdict));
  return [
    verdicts.length > 0
      ? table([
        ["ORDER", "WHAT", "VERDICT", ...(without ? ["WITHOUT"] : []), "WHERE OR WHY"],
        ...rows,
      ])
      : pods.length > 0
      ? "Nothing of that waits: it is there already"
      : "Nothing waits",
    ...(notes.length > 0 ? ["", ...notes] : []),
    ...(ignored.size > 0 ? ["", `Not read: ${printable(unreadText(ignored))}`] : []),
  ].join("\n");
}

/** That no verdict is to be expected, whatever the cluster is like. */
function nothingIn({ filename }: SimulateOptions, { ignored }: Objects): Failure {
  const unread = ignored.size > 0 ? `: not read: ${unreadText(ignored)}` : "";
  return new Failure(`Nothing in "${filename.join('", "')}" is a pod, or makes one now${unread}`);
}

function unreadText(ignored: Objects["ignored"]): string {
  const kinds = [...ignored].map(([kind, count]) => `${count} ${kind}`).join(", ");
  const read = workloadKinds.join(", ");
  return `${kinds}: only Pods, PodGroups, CompositePodGroups and ${read} are`;
}

/** What becomes of it without the policy: `starts, 2`. */
function otherwise(verdict: Verdict | undefined): string {
  if (!verdict) return "-";
  return verdict.order === undefined ? "waits" : `starts, ${verdict.order}`;
}

/** `node-1: 2, node-2: 1`, and in which domains that is. */
function whereText({ nodes, domains = [] }: Verdict): string {
  const counts = new Map<string, number>();
  for (const node of Object.values(nodes)) counts.set(node, (counts.get(node) ?? 0) + 1);
  const where = [...counts].sort().map(([node, count]) => `${node}: ${count}`).join(", ");
  return domains.length > 0 ? `${where} (${listed(domains)})` : where;
}

function notesOf(
  { title, starts, message, leftOut = [], warnings = [], evicts, namesNoScheduler, notModelled }:
    Verdict,
): string[] {
  const note = (text: string) => paragraph(text, { start: "", indent: "  " });
  return [
    ...(starts ? [] : [note(message)]),
    ...leftOut.map((text) => note(`without: ${text}`)),
    ...warnings.map((text) => note(`${title}: ${text}`)),
    ...(evicts.length > 0 ? [note(`${title} evicts ${evicts.join(", ")}`)] : []),
    ...(namesNoScheduler
      ? [
        note(
          `${title}: its pods name no scheduler: where admission does not name Muster's for them, set spec.schedulerName`,
        ),
      ]
      : []),
    ...(notModelled.length > 0
      ? [
        note(
          `${title}: not modelled: ${notModelled.join(", ")}; the scheduler may decide otherwise`,
        ),
      ]
      : []),
  ];
}

function parseBackfill(text: string): Backfill {
  const backfill = backfillOf(text);
  if (backfill) return backfill;
  throw new InvalidArgumentError(`"${text}" is not one of ${backfillRules}`);
}

function parseCount(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`"${text}" is not a whole number`);
}
