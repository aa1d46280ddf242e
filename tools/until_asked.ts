import { watchLaunchers } from "../shared/http/launchers.ts";

/** Resolves when somebody asks this process to end. */
export function untilAsked(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      Deno.addSignalListener(signal, resolve);
    }
    watchLaunchers(resolve);
  });
}
