import { join } from "node:path";
import { testHandOver } from "./hand_over.ts";

// The store of the pair that takes over knows nothing of what the other held.
await testHandOver("own stores", ({ dir }, pair) => ({ store: join(dir, `store-${pair}`) }));
