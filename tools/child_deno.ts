/**
 * Prepares a run of this same Deno with other arguments. The kernel kills the child when this process dies, even by SIGKILL.
 */
export function childDeno(args: string[], options: Deno.CommandOptions = {}): Deno.Command {
  return new Deno.Command("setpriv", {
    ...options,
    args: ["--pdeathsig", "KILL", "--", Deno.execPath(), ...args],
  });
}
