/**
 * Steps the wall clock of the Deno program that it is loaded before (`--preload`), by the milliseconds in the file that
 * `MUSTER_CHAOS_CLOCK` names. The monotonic clock goes on, as on a machine whose time is set.
 *
 * @module
 */

const lookMs = 200;
const file = Deno.env.get("MUSTER_CHAOS_CLOCK");
const MachineDate = Date;
let step = 0;

function look(): void {
  const now = Number(Deno.readTextFileSync(file!));
  if (now === step) return;
  step = now;
  Deno.stderr.writeSync(new TextEncoder().encode(`the clock is ${step} ms from the machine's\n`));
}

class SteppedDate extends MachineDate {
  constructor(...args: unknown[]) {
    super(...(args.length === 0 ? [MachineDate.now() + step] : args) as [number]);
  }

  static override now(): number {
    return MachineDate.now() + step;
  }
}

if (file !== undefined) {
  look();
  Deno.unrefTimer(setInterval(look, lookMs));
  globalThis.Date = SteppedDate as DateConstructor;
}
