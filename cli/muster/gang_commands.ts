/**
 * The commands that say how gangs fare.
 *
 * @module
 */
import type { GangSummary } from "../../shared/contract/types.ts";
import { aheadText } from "../../shared/core/words/start_text.ts";
import { type AccessOptions, gangsNamed, namespaceOf, withGangs } from "./access.ts";
import { explanation, progressOf, waits } from "./explanation.ts";
import { exitCodes } from "./failure.ts";
import type { GangClient } from "./gang_client.ts";
import { type Format, output, outputNext } from "./output.ts";
import { age, table, withoutTitle } from "./table.ts";

/** Options of every command here. */
export interface GangOptions extends AccessOptions {
  readonly output?: Format;
}

/** `list`: a line per gang. */
export async function list(options: GangOptions): Promise<number> {
  const namespace = await namespaceOf(options);
  const gangs = await withGangs(options, (client) => client.list(namespace));
  const isAll = namespace === undefined;
  const rows = gangs.map((gang) => [...nameOf(gang, isAll), ...stateOf(gang), whyOf(gang)]);
  output(options.output, {
    data: gangs,
    text: gangs.length > 0
      ? table([[...(isAll ? ["NAMESPACE"] : []), ...listTitles], ...rows])
      : noGangs(namespace),
  });
  return exitCodes.done;
}

const listTitles = ["NAME", "PHASE", "MEMBERS", "SINCE", "REASON", "WHY"];

/** `queue`: the gangs that wait, the next one first. */
export async function queue(options: GangOptions): Promise<number> {
  const namespace = await namespaceOf(options);
  const gangs = await withGangs(options, (client) => client.list());
  // Places are those in the whole cluster's queue.
  const waiting = gangs.filter(({ queueKey }) => queueKey !== undefined)
    .sort((a, b) => a.queueKey! < b.queueKey! ? -1 : 1)
    .map((gang, index) => ({ ...gang, place: index + 1 }))
    .filter((gang) => namespace === undefined || gang.namespace === namespace);
  const isAll = namespace === undefined;
  const rows = waiting.map((gang) => [
    String(gang.place),
    ...nameOf(gang, isAll),
    progressOf(gang),
    ...sinceOf(gang),
    gang.estimate === undefined ? "-" : aheadText(gang.estimate.startsAt, Date.now()),
    whyOf(gang),
  ]);
  output(options.output, {
    data: waiting,
    text: waiting.length > 0
      ? table([
        [
          "PLACE",
          ...(isAll ? ["NAMESPACE"] : []),
          "NAME",
          "MEMBERS",
          "SINCE",
          "STARTS",
          "WAITS FOR",
        ],
        ...rows,
      ])
      : `No gang waits${inNamespace(namespace)}`,
  });
  return exitCodes.done;
}

/** `explain`: one gang's story. */
export async function explain(text: string, options: GangOptions): Promise<number> {
  const [named] = await gangsNamed([text], options);
  const { namespace, name } = named!;
  const gang = await withGangs(options, (client) => client.detail(namespace, name));
  output(options.output, { data: gang, text: explanation(gang, Date.now()) });
  return waits(gang) ? exitCodes.waits : exitCodes.done;
}

/** `watch`: a line for every gang, and for each change, until `signal` ends it. */
export async function watch(
  options: GangOptions & { readonly interval: number },
  signal: AbortSignal,
): Promise<number> {
  const namespace = await namespaceOf(options);
  await withGangs(options, async (client) => {
    const seen = new Map<string, string>();
    try {
      while (!signal.aborted) {
        await printChanges(client, { namespace, seen, format: options.output, signal });
        await pause(options.interval * 1000, signal);
      }
    } catch (error) {
      // It was asked to end while it looked, or nobody reads any more.
      if (!signal.aborted && !(error instanceof Deno.errors.BrokenPipe)) throw error;
    }
  });
  return exitCodes.done;
}

async function printChanges(
  client: GangClient,
  { namespace, seen, format, signal }: {
    namespace: string | undefined;
    seen: Map<string, string>;
    format: Format | undefined;
    signal: AbortSignal;
  },
): Promise<void> {
  const gangs = await client.list(namespace, signal);
  const now = new Map(gangs.map((gang) => [`${gang.namespace}/${gang.name}`, gang]));
  for (const [id, gang] of now) {
    const text = `${gang.phase} ${progressOf(gang)} ${gang.reason}: ${gang.message}`;
    if (seen.get(id) === text) continue;
    seen.set(id, text);
    const time = gang.updatedAt.slice(11, 19);
    outputNext(format, {
      data: gang,
      text: table([[time, id, gang.phase, progressOf(gang), whyOf(gang)]]),
    });
  }
  for (const id of seen.keys()) {
    if (now.has(id)) continue;
    seen.delete(id);
    if (format !== undefined) continue;
    const text = `${new Date().toISOString().slice(11, 19)}   ${id}   gone`;
    outputNext(format, { data: undefined, text });
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}

function nameOf({ namespace, name }: GangSummary, isAll: boolean): string[] {
  return isAll ? [namespace, name] : [name];
}

/** The sentence beside a gang's name, without it. */
function whyOf({ namespace, name, message }: GangSummary): string {
  return withoutTitle(message, `gang ${namespace}/${name}`);
}

function stateOf(gang: GangSummary): string[] {
  return [gang.phase, progressOf(gang), ...sinceOf(gang), gang.reason];
}

function sinceOf({ since }: GangSummary): string[] {
  return [since === undefined ? "" : age(since, Date.now())];
}

function noGangs(namespace: string | undefined): string {
  return `No gang is known${inNamespace(namespace)}`;
}

function inNamespace(namespace: string | undefined): string {
  return namespace === undefined ? "" : ` in namespace "${namespace}": -A asks for all`;
}
