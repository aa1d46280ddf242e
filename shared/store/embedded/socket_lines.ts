import type { Socket } from "node:net";

/** Sends a value as a line of JSON. */
export function sendLine(socket: Socket, value: unknown): void {
  socket.write(`${JSON.stringify(value)}\n`);
}

/** Calls `onLine` with the object in each line that arrives, however it was cut on its way. Hangs up on anything else. */
export function receiveLines(socket: Socket, onLine: (value: object) => void): void {
  let parts: string[] = [];
  // Else a character that was cut in two would be lost.
  socket.setEncoding("utf8");
  socket.on("data", (chunk) => {
    const [first = "", ...rest] = String(chunk).split("\n");
    parts.push(first);
    for (const next of rest) {
      const value = objectIn(parts.join(""));
      parts = [next];
      if (value) onLine(value);
      else socket.destroy();
    }
  });
}

function objectIn(line: string): object | undefined {
  try {
    return Object(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** A call of a method of one object. */
export interface StoreCall {
  id: number;
  binding: "GANGS" | "INDEX";
  /** Of the object. */
  name: string;
  method: string;
  args: unknown[];
}

/** What came of it: an error's message, or a value that is absent where the method returned nothing. */
export interface StoreAnswer {
  id: number;
  value?: unknown;
  error?: string;
}
