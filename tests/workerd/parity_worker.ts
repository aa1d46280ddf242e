/**
 * A Worker that makes one call to a {@linkcode ProbeObject} or a {@linkcode ValuesObject} and answers with what came of it; the
 * same code calls the embedded store.
 *
 * @module
 */
import type { DurableObjectNamespace } from "../../shared/store/embedded/types.ts";
import { ProbeObject } from "./probe_object.ts";
import { ValuesObject } from "./values_object.ts";

export { ProbeObject, ValuesObject };

/** A call to make: `object` is a name, of an object that keeps values where it begins with `values`, or null for what the namespace itself offers. */
export interface Call {
  object: string | null;
  method: string;
  args: unknown[];
  /** Make the call so many times at once. Default 1. */
  times?: number;
}

/** The bindings of this Worker. */
export interface ParityEnv {
  PROBE: DurableObjectNamespace<ProbeObject>;
  VALUES: DurableObjectNamespace<ValuesObject>;
}

type Methods = Record<string, (...args: unknown[]) => Promise<unknown>>;

/** What came of a call, as JSON. */
export async function answer(call: Call, env: ParityEnv): Promise<unknown> {
  try {
    const value = await Promise.all(
      Array.from({ length: call.times ?? 1 }, () => make(call, env)),
    );
    return { value: value.map(plain) };
  } catch (error) {
    return { error: described(error) };
  }
}

async function make({ object, method, args }: Call, env: ParityEnv): Promise<unknown> {
  if (object === null) return Object.getOwnPropertyNames(Object.getPrototypeOf(env.PROBE)).sort();
  const stub = stubOf(object, env) as unknown as Methods;
  return await stub[method]?.(...args.map(revive));
}

function stubOf(object: string, { PROBE, VALUES }: ParityEnv) {
  if (object.startsWith("values")) return VALUES.get(VALUES.idFromName(object));
  return PROBE.get(PROBE.idFromName(object));
}

/** Arguments that JSON has no form for are written as `{ "$": kind }`. */
function revive(arg: unknown): unknown {
  if (typeof arg !== "object" || arg === null || !("$" in arg)) return arg;
  switch (arg.$) {
    case "rich":
      return {
        date: new Date(5),
        map: new Map([[1, new Set(["a"])]]),
        bytes: new Uint8Array([1, 2]),
        big: 5n,
        nothing: undefined,
        error: new RangeError("as a value"),
      };
    case "undefined":
      return undefined;
    case "date":
      return new Date(4e12);
    case "symbol":
      return Symbol("no");
    default:
      throw new Error(`No argument is called "${arg.$}"`);
  }
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value === undefined || typeof value === "bigint" || value instanceof Error) {
    return `${typeof value} ${value}`;
  }
  if (typeof value !== "object" || value === null) return value;
  const kind = value.constructor?.name;
  if (value instanceof Map || value instanceof Set) return { kind, of: [...value].map(plain) };
  if (value instanceof Date) return { kind, of: value.getTime() };
  if (ArrayBuffer.isView(value)) return { kind, of: [...value as Uint8Array] };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

function described(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  return {
    name: error.name,
    kind: error.constructor.name,
    message: error.message,
    code: "code" in error ? error.code : undefined,
    remote: "remote" in error,
  };
}

export default {
  async fetch(request: Request, env: ParityEnv): Promise<Response> {
    return Response.json(await answer(await request.json() as Call, env));
  },
};
