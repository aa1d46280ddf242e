/** The script's arguments: the hostname, and what to run under it in the same process. */
const script = 'echo "$1" >/proc/sys/kernel/hostname && shift && exec "$@"';

/** A program and its arguments. */
export interface CommandLine {
  command: string;
  args: string[];
}

/**
 * Runs a program under a hostname of its own, as in a Pod; undefined: under this machine's. Who is not root needs a kernel
 * that lets users make namespaces: {@linkcode canNameHosts} tells.
 */
export function underHostname(
  hostname: string | undefined,
  { command, args }: CommandLine,
): CommandLine {
  if (hostname === undefined) return { command, args };
  const asRoot = Deno.uid() === 0 ? [] : ["--user", "--map-root-user"];
  return {
    command: "unshare",
    args: [...asRoot, "--uts", "sh", "-c", script, "sh", hostname, command, ...args],
  };
}

/** Whether this machine lets {@linkcode underHostname} work. */
export async function canNameHosts(): Promise<boolean> {
  const { command, args } = underHostname("probe", { command: "true", args: [] });
  try {
    const options = { args, stdout: "null", stderr: "null" } as const;
    return (await new Deno.Command(command, options).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
