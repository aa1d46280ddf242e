import type { StartEstimate } from "../../../shared/core/gang/gang_times.ts";
import type { RunTime } from "../../../shared/core/gang/run_time.ts";
import { until } from "./until.ts";

/** As much of the answer of `GET /v1/gangs/{namespace}/{name}` as tests read. */
export interface GangAnswer {
  spec: { minMember: number; totalMember?: number };
  phase: string;
  reason: string;
  message: string;
  /** What would help, where something does. */
  help?: string;
  /** RFC 3339 time at which the open round ends. */
  deadline?: string;
  estimate?: StartEstimate;
  runTime?: RunTime;
  startedAt?: string;
  /** The last ones that differed from the one before, newest first. */
  decisions: { at: string; stage: string; reason: string; message: string }[];
}

/** What Muster at a URL says about a gang, by its `namespace/name`; undefined where it knows none. */
export async function gangAt(url: string, id: string): Promise<GangAnswer | undefined> {
  const response = await fetch(`${url}/v1/gangs/${id}`);
  if (response.ok) return await response.json();
  await response.body?.cancel();
  if (response.status === 404) return undefined;
  throw new Error(`GET /v1/gangs/${id} answered ${response.status}`);
}

/** Resolves when Muster says of a gang what `matches`, and gives it; only asking tells. */
export async function untilGang(
  url: string,
  id: string,
  matches: (gang: GangAnswer) => boolean,
): Promise<GangAnswer> {
  let gang: GangAnswer | undefined;
  await until(`what Muster says about gang ${id}`, async () => {
    gang = await gangAt(url, id);
    if (gang && matches(gang)) return true;
    const { phase, reason, message } = gang ?? {};
    throw new Error(`it says ${phase}, ${reason}, "${message}": ${JSON.stringify(gang)}`);
  });
  return gang!;
}
