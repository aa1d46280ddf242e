import { type EmbeddedBindings, embeddedBindings } from "./bindings.ts";
import { connectStore } from "./connect_store.ts";

/**
 * The bindings over the store that `MUSTER_STORE` or `--store` names: a folder, or `unix:<path>`, the socket of a process that
 * shares its store.
 *
 * @throws {Error} if the folder is in use.
 */
export function openStore(
  store: string,
  options: { vars: Record<string, string>; onError?: (error: Error) => void },
): EmbeddedBindings {
  return store.startsWith(socketPrefix)
    ? connectStore(store.slice(socketPrefix.length), options.vars)
    : embeddedBindings({ ...options, dir: store });
}

/** The folder that `--store` names, for whoever keeps a store. */
export function folderOf(store: string): string {
  if (!store.startsWith(socketPrefix)) return store;
  throw new Error(`Cannot keep a store in "${store}": it is the socket of one: name a folder`);
}

const socketPrefix = "unix:";
