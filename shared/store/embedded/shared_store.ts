import { chmodSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join, resolve } from "node:path";
import { type EmbeddedBindings, embeddedBindings } from "./bindings.ts";
import { receiveLines, sendLine, type StoreAnswer, type StoreCall } from "./socket_lines.ts";

/** A store that other processes use. */
export interface SharedStore {
  /** The socket in its folder. Who may open it is decided by the file's permissions: this user. */
  readonly socket: string;
  /** Ends it. */
  close(): Promise<void>;
}

/**
 * Opens the embedded store in a folder and lets other processes of this user call its objects, so that stages which run one by
 * one have one store: see {@linkcode connectStore}.
 *
 * @throws {Error} if the folder is in use.
 */
export async function shareStore(
  options: { dir: string; onError: (error: Error) => void },
): Promise<SharedStore> {
  const bindings = embeddedBindings(options);
  const socket = join(resolve(options.dir), "socket");
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client);
    client.on("close", () => clients.delete(client));
    // A client that ends takes its calls along; nobody is left to tell.
    client.on("error", () => {});
    receiveLines(client, async (call) => {
      const answer = await answerTo(bindings, call as StoreCall);
      if (!client.destroyed) sendLine(client, answer);
    });
  });
  // Whoever left it is dead: the folder's lock is ours.
  rmSync(socket, { force: true });
  await new Promise<void>((done, failed) => {
    server.once("error", failed);
    server.listen(socket, done);
  });
  chmodSync(socket, 0o600);
  return {
    socket,
    async close() {
      server.close();
      for (const client of clients) client.destroy();
      rmSync(socket, { force: true });
      await bindings.close();
    },
  };
}

async function answerTo(bindings: EmbeddedBindings, call: StoreCall): Promise<StoreAnswer> {
  const { id, binding, name, method, args } = call;
  try {
    const stub = bindings[binding].getByName(name) as unknown as Record<
      string,
      (...args: unknown[]) => Promise<unknown>
    >;
    return { id, value: await stub[method]!(...args) };
  } catch (error) {
    return { id, error: (error as Error).message };
  }
}
