/** Memory and descriptors of a process. */
export interface Sample {
  /** In milliseconds since the epoch. */
  at: number;
  mebibytes: number;
  descriptors: number;
}

/** What a process takes now. */
export function sampleOf(pid: number): Sample {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return {
    at: Date.now(),
    mebibytes: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024,
    descriptors: [...Deno.readDirSync(`/proc/${pid}/fd`)].length,
  };
}
