// The sandbox in a test suite: start and reset, in this process.
import { summarize } from "./figure.js";

/** @typedef {import("./figure.js").Figure} Figure */

const SANDBOXES = 5;
const RESETS = 50;

/** @type {import("./figure.js").Suite} */
export async function measureEmbedded() {
  /** @type {typeof import("../../sandbox/index.ts")} */
  const { startSandbox } = await import(new URL("../../dist/sandbox.cjs", import.meta.url).href);
  // The first one loads the modules.
  await (await startSandbox()).close();
  const starts = [];
  const resets = [];
  for (let run = 0; run < SANDBOXES; run += 1) {
    const start = performance.now();
    const sandbox = await startSandbox();
    starts.push(performance.now() - start);
    for (let reset = 0; reset < RESETS; reset += 1) {
      const resetStart = performance.now();
      await sandbox.reset();
      resets.push(performance.now() - resetStart);
    }
    await sandbox.close();
  }
  return [
    {
      what: "startSandbox(), second and later",
      unit: "ms",
      ...summarize(starts),
      aim: { mostValue: 10 },
      note: "another sandbox in the same process, where all modules are loaded",
    },
    {
      what: "reset of a seeded sandbox",
      unit: "ms",
      ...summarize(resets),
      aim: { mostValue: 2 },
      note: "the cost of a `beforeEach`: deletes the state and seeds it again",
    },
  ];
}
