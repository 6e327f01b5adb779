// The sandbox in a test suite: start and reset.
import { fileURLToPath } from "node:url";
import { AIMS } from "./aims.js";
import { median, summarize } from "./figure.js";
import { floorProgram, run } from "./processes.js";

/** @typedef {import("./figure.js").Figure} Figure */
/** @typedef {{ first: number, later: number[], resets?: number[] }} Embedded milliseconds */

const PROGRAM = fileURLToPath(new URL("embedded-sandboxes.js", import.meta.url));

/**
 * Sandboxes in one process; the floor loads koa and sql.js only.
 * @returns {Promise<Figure[]>}
 */
export async function measureEmbedded() {
  const rounds = 2;
  const samples = /** @type {{ floor: Embedded, ours: Embedded }[]} */ ([]);
  for (let round = 0; round <= rounds; round += 1) {
    const floor = await run([floorProgram("bare-embedded.js"), String(rounds)]);
    const ours = await run([PROGRAM, String(rounds)]);
    if (round > 0) samples.push({ floor: JSON.parse(floor.stdout), ours: JSON.parse(ours.stdout) });
  }
  const medianOf = (/** @type {(round: { floor: Embedded, ours: Embedded }) => number[]} */ of) =>
    median(samples.flatMap(of));
  const name = "koa and sql.js, listening";
  return [
    {
      what: "startSandbox(), first in a process, with the import",
      unit: "ms",
      floor: { name, value: medianOf(({ floor }) => [floor.first]) },
      ...summarize(samples.map(({ ours }) => ours.first)),
      aim: AIMS.firstSandbox,
      note: "the delay of the first test of a suite: compiles SQLite, builds the routes and seeds the state",
    },
    {
      what: "startSandbox(), second and later",
      unit: "ms",
      floor: { name, value: medianOf(({ floor }) => floor.later) },
      ...summarize(samples.flatMap(({ ours }) => ours.later)),
      aim: AIMS.nextSandbox,
      note: "another sandbox in the same process, where all modules are loaded",
    },
    {
      what: "reset of a seeded sandbox",
      unit: "ms",
      ...summarize(samples.flatMap(({ ours }) => ours.resets ?? [])),
      aim: AIMS.reset,
      note: "the cost of a `beforeEach`: deletes the state and seeds it again",
    },
  ];
}
