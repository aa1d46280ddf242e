/**
 * Jobs and nodes of a real cluster, from CSV files with a line of names first.
 *
 * @module
 */
import type { Attributes } from "../../shared/core/gang/facts.ts";
import { limits, namespacePattern } from "../../shared/core/gang/limits.ts";

/** A gang: all its members start together, or none does. */
export interface Job {
  /** Its own in its namespace, as Kubernetes lets a gang be named. */
  readonly name: string;
  readonly namespace: string;
  /** What it says to a policy; absent: nothing. */
  readonly attributes?: Attributes;
  readonly members: number;
  /** Of each member. */
  readonly gpus: number;
  readonly priority: number;
  /** In ms since the trace began. */
  readonly submittedAt: number;
  /** In ms, from when all its members have a node. */
  readonly duration: number;
}

/** A node. */
export interface TraceNode {
  readonly name: string;
  readonly gpus: number;
  /** Gangs go to one rack where that is possible; absent: there are none. */
  readonly rack?: string | undefined;
}

/** The text of a file, and its name. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** So many rows are read at most. */
const mostRows = 1_000_000;
/** So many GPUs a job, or a node, may have. */
const mostGpus = 100_000;

/** Columns of jobs that have a meaning; each other one is an attribute. */
const jobColumns = ["num_gpu", "submit_time", "duration", "job_id", "priority", "namespace"];

/**
 * Jobs with `num_gpu`, `submit_time`, `duration` and, if there are any, `job_id`, `priority` and `namespace`; times are in ms.
 * What other columns say are attributes. Members ask for `gpusEach` at most. Of jobs of one name, such as retries, the second
 * ends in `.2`: each has its own.
 *
 * @throws {RangeError} that names the line.
 */
export function readJobs(file: TextFile, { gpusEach = 1 }: { gpusEach?: number } = {}): Job[] {
  const ownName = ownNames();
  return rowsOf(file, ["num_gpu", "submit_time", "duration"]).map((row) => {
    const all = numberIn(row, "num_gpu", { least: 1, most: mostGpus, isWhole: true });
    const members = Math.ceil(all / gpusEach);
    const attributes = attributesIn(row);
    const namespace = namespaceIn(row);
    return {
      name: ownName(namespace, `job-${row.cells.job_id || row.line - 2}`.replaceAll("/", ".")),
      namespace,
      ...(attributes && { attributes }),
      members,
      gpus: all / members,
      priority: row.cells.priority ? numberIn(row, "priority", { least: -2e9, most: 2e9 }) : 0,
      submittedAt: numberIn(row, "submit_time", { least: 0 }),
      duration: numberIn(row, "duration", { least: 0 }),
    };
  });
}

/**
 * Nodes with `sn` or `name`, `gpu` and, if there are any, `rack`: evenly from the whole file, so many that they have at most so
 * many GPUs together; Infinity: all. Nodes without GPUs are left out.
 *
 * @throws {RangeError} that names the line.
 */
export function readNodes(
  file: TextFile,
  { gpus = Infinity }: { gpus?: number } = {},
): TraceNode[] {
  const names = new Set<string>();
  const nodes = rowsOf(file, ["gpu"]).flatMap((row) => {
    const { sn, name = sn || `node-${row.line - 2}`, rack } = row.cells;
    if (names.has(name)) throw wrong(row, `node "${name}" is there twice: give each its own name`);
    names.add(name);
    const gpus = numberIn(row, "gpu", { least: 0, most: mostGpus, isWhole: true });
    return gpus > 0 ? [{ name, gpus, ...(rack && { rack }) }] : [];
  });
  const all = nodes.reduce((sum, node) => sum + node.gpus, 0);
  if (gpus >= all) return nodes;
  let [seen, taken] = [0, 0];
  return nodes.filter((node) => {
    seen += node.gpus;
    const isTaken = (taken + node.gpus) * all <= gpus * seen;
    if (isTaken) taken += node.gpus;
    return isTaken;
  });
}

/** Names that none before had in their namespace. */
function ownNames() {
  const counts = new Map<string, number>();
  return function ownName(namespace: string, name: string): string {
    const id = `${namespace}/${name}`;
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    return count === 1 ? name : ownName(namespace, `${name}.${count}`);
  };
}

/** A line by the names of its cells. */
interface Row {
  readonly cells: Readonly<Partial<Record<string, string>>>;
  readonly path: string;
  /** From 1 on; the first has the names. */
  readonly line: number;
}

function rowsOf({ path, text }: TextFile, needed: readonly string[]): Row[] {
  const [head = "", ...lines] = text.replace(/^\ufeff/, "").split(/\r?\n/);
  const names = head.split(",").map((name) => name.trim());
  const first = { cells: {}, path, line: 1 };
  for (const name of needed) {
    if (!names.includes(name)) {
      throw wrong(first, `there is no column "${name}": the first line must name it`);
    }
  }
  if (lines.length > mostRows) throw wrong(first, `there are more than ${mostRows} lines`);
  const rows = lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    const cells = line.split(",").map((cell) => cell.trim());
    const row = { path, line: index + 2 };
    if (cells.length !== names.length) {
      throw wrong(row, `there are ${cells.length} cells: give ${names.length}, as the first line`);
    }
    return [{ ...row, cells: Object.fromEntries(names.map((name, at) => [name, cells[at]!])) }];
  });
  if (rows.length === 0) throw wrong(first, "there is no line but the one of names: add some");
  return rows;
}

/** As many and as long as a gang may have; what is more is not told. */
function attributesIn({ cells }: Row): Attributes | undefined {
  const told = Object.entries(cells).filter(([key, value = ""]) =>
    !jobColumns.includes(key) && value !== "" &&
    key.length <= limits.attributeKey && value.length <= limits.attributeValue
  );
  return told.length === 0
    ? undefined
    : Object.fromEntries(told.slice(0, limits.attributes)) as Attributes;
}

function namespaceIn(row: Row): string {
  const namespace = row.cells.namespace || "trace";
  if (namespacePattern.test(namespace) && namespace.length <= limits.namespace) return namespace;
  throw wrong(
    row,
    `"namespace" must be lower-case letters, digits and hyphens: current value is "${
      namespace.slice(0, limits.value)
    }"`,
  );
}

function numberIn(
  row: Row,
  name: string,
  { least, most = Number.MAX_SAFE_INTEGER, isWhole = false }: {
    least: number;
    most?: number;
    isWhole?: boolean;
  },
): number {
  const text = row.cells[name] ?? "";
  const value = Number(text || NaN);
  if (value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value;
  const kind = isWhole ? "a whole number" : "a number";
  throw wrong(
    row,
    `"${name}" must be ${kind} from ${least} to ${most}: current value is "${text}"`,
  );
}

function wrong({ path, line }: Pick<Row, "path" | "line">, what: string): RangeError {
  return new RangeError(`Cannot read "${path}", line ${line}: ${what}`);
}
