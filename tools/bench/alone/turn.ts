import { setImmediate } from "node:timers";

/** So many answers come in one turn of the event loop. */
const PER_TURN = 8;

let turn: Promise<void> | undefined;
let waiting = 0;

/** Resolves in a later turn of the event loop, as what comes over a connection does. */
export function nextTurn(): Promise<void> {
  if (turn === undefined || waiting >= PER_TURN) {
    const own = (turn ?? Promise.resolve()).then(() =>
      new Promise<void>((resolve) =>
        setImmediate(() => {
          if (turn === own) turn = undefined;
          resolve();
        })
      )
    );
    turn = own;
    waiting = 0;
  }
  waiting++;
  return turn;
}
