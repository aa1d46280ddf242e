import { SpanStatusCode, trace } from "@opentelemetry/api";
import { copyOf } from "./copy.ts";
import { type Gaps, refuse } from "./refuse.ts";
import { EmbeddedId } from "./object_id.ts";
import { remoteError } from "./remote_error.ts";
import type { DurableObjectId, DurableObjectNamespace, DurableObjectStub } from "./types.ts";

/** How a namespace reaches its objects. */
export interface EmbeddedNamespaceOptions {
  className: string;
  /** Runs `job` on the object of that name, in turn. */
  run: <T>(name: string, job: (instance: object) => Promise<T> | T) => Promise<T>;
}

/** `env.X` of the embedded store: hands out stubs. */
export class EmbeddedNamespace<T extends object> implements DurableObjectNamespace<T> {
  #options: EmbeddedNamespaceOptions;

  constructor(options: EmbeddedNamespaceOptions) {
    this.#options = options;
  }

  idFromName(name: string): DurableObjectId {
    return new EmbeddedId(this.#options.className, name);
  }

  getByName(name: string): DurableObjectStub<T> {
    return this.get(this.idFromName(name));
  }

  get(id: DurableObjectId): DurableObjectStub<T> {
    const { name } = id;
    if (!(id instanceof EmbeddedId) || name === undefined) {
      throw new TypeError(
        `Cannot get an object of class "${this.#options.className}": the id must come from idFromName`,
      );
    }
    return new Proxy({}, {
      get: (_, property) => {
        if (property === "id") return id;
        if (property === "name") return name;
        // A stub must not look like a promise to whoever awaits it.
        if (typeof property === "symbol" || property === "then") return undefined;
        return (...args: unknown[]) => this.#call({ name, method: property, args });
      },
    }) as DurableObjectStub<T>;
  }

  async #call(call: { name: string; method: string; args: unknown[] }): Promise<unknown> {
    // Copied now, so that what the caller does to them later is not seen.
    const args = copyOf(call.args);
    const spanName = `${this.#options.className}.${call.method}`;
    return await trace.getTracer("muster").startActiveSpan(spanName, async (span) => {
      try {
        return await this.#options.run(call.name, async (instance) => {
          const method = rpcMethod(instance, call.method);
          return copyOf(await method.apply(instance, args));
        });
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message });
        throw remoteError(error);
      } finally {
        span.end();
      }
    });
  }
}

const gaps: Gaps = {
  newUniqueId: "every object has a name: use getByName",
  idFromString: "use idFromName",
  jurisdiction: "everything is on this machine",
};

refuse(EmbeddedNamespace.prototype, { prefix: "namespace.", gaps });

/** Methods that the runtime calls, not a caller. */
const reservedNames = new Set([
  "alarm",
  "fetch",
  "constructor",
  "webSocketMessage",
  "webSocketClose",
  "webSocketError",
]);

function rpcMethod(instance: object, name: string): (...args: unknown[]) => unknown {
  if (reservedNames.has(name)) {
    throw new TypeError(`'${name}' is a reserved method and cannot be called over RPC.`);
  }
  // As on Cloudflare only the class has methods: what an instance or Object has is not reachable.
  let prototype = Object.getPrototypeOf(instance);
  while (prototype !== null && prototype !== Object.prototype) {
    const method = Object.getOwnPropertyDescriptor(prototype, name)?.value;
    if (typeof method === "function") return method;
    prototype = Object.getPrototypeOf(prototype);
  }
  throw new TypeError(`The RPC receiver does not implement the method "${name}".`);
}
