import { canNameHosts } from "../../../tools/control_plane/host_name.ts";

/** Whether tests are to be skipped whose processes need hostnames of their own; under CI they must be able to have them. */
export async function withoutHostnames(): Promise<boolean> {
  if (await canNameHosts()) return false;
  const why = "this user may not give a process a hostname of its own";
  if (Deno.env.get("CI") === "true") {
    throw new Error(`Cannot test several hosts: ${why}: allow user namespaces, or run as root`);
  }
  return true;
}
