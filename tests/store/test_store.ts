import { join } from "node:path";
import { EmbeddedHost, type EmbeddedHostOptions } from "../../shared/store/embedded/host.ts";
import type { DurableObjectNamespace } from "../../shared/store/embedded/types.ts";
import { ProbeObject } from "../workerd/probe_object.ts";
import { ValuesObject } from "../workerd/values_object.ts";
import { ManualClock } from "./manual_clock.ts";

/** A host in a folder of its own that ends with the test. */
export class TestStore implements AsyncDisposable {
  readonly dir: string;
  readonly clock = new ManualClock();
  readonly errors: string[] = [];
  readonly notes: string[] = [];
  host: EmbeddedHost;
  probes: DurableObjectNamespace<ProbeObject>;
  values: DurableObjectNamespace<ValuesObject>;

  constructor(options: Partial<EmbeddedHostOptions> = {}) {
    this.dir = Deno.makeTempDirSync({ prefix: "muster-store-" });
    [this.host, this.probes, this.values] = this.#open(options);
  }

  /** Closes the host and opens the folder again. */
  async reopen(meanwhile: () => void = () => {}): Promise<void> {
    await this.host.close();
    meanwhile();
    [this.host, this.probes, this.values] = this.#open({});
  }

  /** The files of the objects that keep tables. */
  files(): string[] {
    const folder = join(this.dir, "ProbeObject");
    return [...Deno.readDirSync(folder)].map((entry) => join(folder, entry.name)).sort();
  }

  /** The file of those that keep values. */
  get valuesFile(): string {
    return join(this.dir, "ValuesObject", "values.sqlite");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host.close();
    await Deno.remove(this.dir, { recursive: true }).catch(() => {});
  }

  #open(
    options: Partial<EmbeddedHostOptions>,
  ): [EmbeddedHost, DurableObjectNamespace<ProbeObject>, DurableObjectNamespace<ValuesObject>] {
    const host = new EmbeddedHost({
      dir: this.dir,
      clock: this.clock,
      onError: (error) => this.errors.push(error.message),
      onNote: (note) => this.notes.push(note),
      ...options,
    });
    const values = { className: "ValuesObject", env: {}, kept: "values" } as const;
    return [
      host,
      host.namespace(ProbeObject, { className: "ProbeObject", env: {} }),
      host.namespace(ValuesObject, values),
    ];
  }
}
