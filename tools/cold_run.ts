import { coldTable, runCold } from "./bench/cold.ts";
console.log(coldTable(await runCold({ repetitions: Number(Deno.args[0]), onProgress: () => {} })));
