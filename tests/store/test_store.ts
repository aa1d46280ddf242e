import { join } from "node:path";
import { EmbeddedHost, type EmbeddedHostOptions } from "../../shared/store/embedded/host.ts";
import type { DurableObjectNamespace } from "../../shared/store/embedded/types.ts";
import { ProbeObject } from "../workerd/probe_object.ts";
import { ManualClock } from "./manual_clock.ts";

/** A host in a folder of its own that ends with the test. */
export class TestStore implements AsyncDisposable {
  readonly dir: string;
  readonly clock = new ManualClock();
  readonly errors: string[] = [];
  host: EmbeddedHost;
  probes: DurableObjectNamespace<ProbeObject>;

  constructor(options: Partial<EmbeddedHostOptions> = {}) {
    this.dir = Deno.makeTempDirSync({ prefix: "muster-store-" });
    [this.host, this.probes] = this.#open(options);
  }

  /** Closes the host and opens the folder again. */
  async reopen(meanwhile: () => void = () => {}): Promise<void> {
    await this.host.close();
    meanwhile();
    [this.host, this.probes] = this.#open({});
  }

  /** The files of the objects. */
  files(): string[] {
    const folder = join(this.dir, "ProbeObject");
    return [...Deno.readDirSync(folder)].map((entry) => join(folder, entry.name)).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host.close();
    await Deno.remove(this.dir, { recursive: true }).catch(() => {});
  }

  #open(
    options: Partial<EmbeddedHostOptions>,
  ): [EmbeddedHost, DurableObjectNamespace<ProbeObject>] {
    const host = new EmbeddedHost({
      dir: this.dir,
      clock: this.clock,
      onError: (error) => this.errors.push(error.message),
      ...options,
    });
    return [host, host.namespace(ProbeObject, { className: "ProbeObject", env: {} })];
  }
}
