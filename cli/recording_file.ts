/**
 * The file of a flight recorder: never larger than it may be, and written beside whatever else is done.
 *
 * @module
 */
import { createHash, randomBytes } from "node:crypto";
import { type Decisions, decisions } from "../shared/core/attend/decisions.ts";
import { withoutNames } from "../shared/core/record/hidden_names.ts";
import { Recorder } from "../shared/core/record/recorder.ts";
import type { Tape } from "../shared/core/record/tape.ts";
import { type Gap, type Header, recordingVersion } from "../shared/core/record/recording.ts";
import { log } from "../shared/http/log.ts";
import { version } from "./version.ts";

const defaultBytes = 64 * 1024 * 1024;
/** What waits for the disk; what comes then is missed. */
const mostWaiting = 8 * 1024 * 1024;
/** Lines are written together, so long after the first of them. */
const writeAfterMs = 100;
const writeAtLength = 256 * 1024;

/** User and password of a URL in an error. */
const credentials = /\/\/[^/\s"@]+@/g;

/** Where and how to record. */
export interface RecordingOptions {
  readonly path: string;
  /** The most that both files have together, 64 MiB where absent. */
  readonly bytes?: number;
}

/** Stands between the lines of one file and those of the next. */
const turn = Symbol("turn");

/** A recording that goes on in one file after another; each begins with a header, and one before the last is kept. */
export class RecordingFile implements Tape {
  part = 0;
  #header = "";
  readonly #path: string;
  readonly #mostLength: number;
  #file: Deno.FsFile;
  #waiting: (string | typeof turn)[] = [];
  #waitingLength = 0;
  #length = 0;
  #missed = 0;
  #isFailed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> | undefined;

  private constructor(file: Deno.FsFile, { path, bytes = defaultBytes }: RecordingOptions) {
    this.#file = file;
    this.#path = path;
    this.#mostLength = bytes / 2;
  }

  /** Opens a file; what an earlier recording left in it is kept beside it, as `<file>.1`. */
  static async open(options: RecordingOptions): Promise<RecordingFile> {
    return new RecordingFile(await openAnew(options.path), options);
  }

  /** Begins: gives the decisions that are recorded. */
  begin({ cluster, isHashed }: Pick<Header, "cluster" | "isHashed">): Decisions {
    const startedAt = new Date().toISOString();
    const header: Header = {
      recording: recordingVersion,
      muster: version,
      startedAt,
      cluster,
      isHashed,
    };
    this.#header = JSON.stringify(header);
    this.write(this.#header);
    return new Recorder(decisions, this, isHashed ? hiding() : undefined);
  }

  get isOpen(): boolean {
    return !this.#isFailed && this.#missed === 0;
  }

  write(line: string): void {
    const text = `${line.includes("@") ? line.replace(credentials, "//") : line}\n`;
    this.#waiting.push(text);
    this.#waitingLength += text.length;
    this.#length += text.length;
    if (this.#length >= this.#mostLength) {
      this.#waiting.push(turn);
      this.#length = 0;
      this.part++;
      this.write(this.#header);
    } else if (this.#waitingLength > mostWaiting) this.missed();
    else if (this.#waitingLength > writeAtLength) this.#writeNow();
    else this.#timer ??= setTimeout(() => this.#writeNow(), writeAfterMs);
  }

  missed(): void {
    if (this.#missed++ > 0 || this.#isFailed) return;
    log("warn", `The recording "${this.#path}" misses decisions`);
    this.#writeNow();
  }

  /** Writes what waits, and ends it. */
  async close(): Promise<void> {
    this.#writeNow();
    while (this.#writing) await this.#writing;
    clearTimeout(this.#timer);
    this.#isFailed = true;
    this.#file.close();
  }

  #writeNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#writeWaiting().catch((error) => {
      this.#isFailed = true;
      log("error", `Cannot record to "${this.#path}" any more: ${(error as Error).message}`);
    }).finally(() => this.#writing = undefined);
  }

  async #writeWaiting(): Promise<void> {
    while ((this.#waiting.length > 0 || this.#missed > 0) && !this.#isFailed) {
      const items = this.#waiting;
      this.#waiting = [];
      this.#waitingLength = 0;
      for (let next = items.indexOf(turn); next >= 0; next = items.indexOf(turn)) {
        await this.#append(items.splice(0, next + 1).slice(0, -1));
        this.#file.close();
        this.#file = await openAnew(this.#path);
      }
      await this.#append(items);
      if (this.#missed > 0 && this.#waiting.length === 0) this.#goOn();
    }
  }

  async #append(lines: readonly (string | typeof turn)[]): Promise<void> {
    const bytes = new TextEncoder().encode(lines.join(""));
    for (let at = 0; at < bytes.length;) at += await this.#file.write(bytes.subarray(at));
  }

  #goOn(): void {
    const gap: Gap = { missed: this.#missed };
    this.#missed = 0;
    this.part++;
    this.write(JSON.stringify(gap));
  }
}

/** Other users of the machine have no business in it. */
async function openAnew(path: string): Promise<Deno.FsFile> {
  await Deno.rename(path, `${path}.1`).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  return await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
}

/** What stands for a name is the same in one recording only: the salt is in no file. Words keep about their length, because sentences are cut at a length. */
function hiding(): (content: unknown) => unknown {
  const salt = randomBytes(32);
  const known = new Map<string, string>();
  const digest = (word: string) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const hash = createHash("sha256").update(salt).update(word).digest("hex");
    const hidden = `x${hash.slice(0, Math.max(leastDigits, word.length - 1))}`;
    if (known.size > mostKnown) known.clear();
    known.set(word, hidden);
    return hidden;
  };
  return (content) => withoutNames(content, digest);
}

const leastDigits = 11;
const mostKnown = 50_000;
