/**
 * Gangs for a page to show.
 *
 * @module
 */
import { gang, group } from "../support/facts.ts";
import type { PageServer } from "./browser.ts";

let epoch = 0;

/** Tells of a gang, made as `gang` makes one. */
export async function tell(
  server: PageServer,
  parts: Parameters<typeof gang>[0],
  more: Record<string, unknown> = {},
): Promise<void> {
  const relay = { id: "relay", epoch: ++epoch };
  await server.post("/v1/prefilter", { ...group(gang(parts)), relay, ...more });
}

/** Tells of so many gangs in all phases. */
export async function tellMany(server: PageServer, count: number): Promise<void> {
  const teams = ["vision", "speech", "ranking", "research"];
  const started = Date.now() - 6 * 3600_000;
  const all = Array.from({ length: count }, (_, index) => index);
  for (let first = 0; first < count; first += 50) {
    await Promise.all(
      all.slice(first, first + 50).map((index) => {
        const named = {
          namespace: teams[index % 4]!,
          name: `train-${String(index).padStart(4, "0")}`,
          minMember: 4 + index % 5,
          priority: index % 7 === 0 ? 100 : 0,
          createdAt: new Date(started + index * 15_000).toISOString(),
        };
        const { minMember } = named;
        switch (index % 10) {
          case 0:
            return tell(server, { ...named, pending: minMember - 2 });
          case 1:
            return tell(server, { ...named, running: 1, failed: minMember });
          case 2:
            return tell(server, { ...named, succeeded: minMember });
          case 3:
          case 4:
          case 5:
            return tell(server, { ...named, pending: minMember }, {
              fit: { members: 2, of: minMember, shortOf: "nvidia.com/gpu" },
            });
          default:
            return tell(server, { ...named, running: minMember });
        }
      }),
    );
  }
}
