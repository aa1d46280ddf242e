import type { Bindings } from "../../shared/store/embedded/bindings.ts";
import type { DurableObjectNamespace } from "../../shared/store/embedded/types.ts";

/** One call of a durable object. */
export interface ObjectCall {
  /** `GANGS` or `INDEX`. */
  readonly binding: string;
  /** The object's name. */
  readonly object: string;
  readonly method: string;
}

/** Bindings that note every call of an object, where Cloudflare would count and bill it. */
export function countedBindings(bindings: Bindings, calls: ObjectCall[]): Bindings {
  return {
    ...bindings,
    GANGS: counted(bindings.GANGS, (call) => calls.push({ binding: "GANGS", ...call })),
    INDEX: counted(bindings.INDEX, (call) => calls.push({ binding: "INDEX", ...call })),
  };
}

function counted<T extends object>(
  namespace: DurableObjectNamespace<T>,
  note: (call: { object: string; method: string }) => void,
): DurableObjectNamespace<T> {
  return new Proxy(namespace, {
    get: (target, property) =>
      property === "getByName"
        ? (object: string) =>
          new Proxy(target.getByName(object), {
            get: (stub, method) => {
              const call = Reflect.get(stub, method);
              if (typeof call !== "function") return call;
              return (...args: unknown[]) => {
                note({ object, method: String(method) });
                return call(...args);
              };
            },
          })
        : Reflect.get(target, property),
  });
}
