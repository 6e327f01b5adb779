// The sandbox in a test suite: start and reset.
import { fileURLToPath } from "node:url";
import { summarize } from "./figure.js";
import { run } from "./processes.js";

/** @typedef {import("./figure.js").Figure} Figure */

const PROGRAM = fileURLToPath(new URL("embedded-sandboxes.js", import.meta.url));

/**
 * Sandboxes in one process, after one that loads the library.
 * @returns {Promise<Figure[]>}
 */
export async function measureEmbedded() {
  const { later, resets } = JSON.parse((await run([PROGRAM, "5"])).stdout);
  return [
    {
      what: "startSandbox(), second and later",
      unit: "ms",
      ...summarize(later),
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
