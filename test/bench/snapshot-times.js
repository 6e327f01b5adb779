// Runs in a separate process: saves, exports, imports, loads and resets the state of a sandbox with many rows. Prints the
// milliseconds of each round, and writes the snapshot to a file, so that the floor has the same rows.
import { writeFileSync } from "node:fs";

/** @type {typeof import("../../sandbox/index.ts")} */
const { startSandbox } = await import(new URL("../../dist/sandbox.cjs", import.meta.url).href);

const [, , rows = "0", rounds = "1", path = ""] = process.argv;
/** An event with one delivery that is not due: the event, the delivery and the scheduled task. */
const ROWS_PER_EVENT = 3;

const sandbox = await startSandbox({ frozenAt: "2026-11-20T00:00:00Z", webhookRetries: "30d" });
const { endpointId } = sandbox.credentials.webhook;
for (let row = 0; row < Number(rows); row += ROWS_PER_EVENT)
  await sandbox.webhooks.emit({ type: "bench.row", data: { row }, endpointId });

const { snapshots } = sandbox;
const samples = [];
for (let round = 0; round <= Number(rounds); round += 1) {
  const [save] = await timeAsync(() => snapshots.save("kept"));
  const [write, document] = await timeAsync(async () => [...(await snapshots.export("kept"))]);
  if (round === 0) writeFileSync(path, document.join(""));
  const [read] = await timeAsync(() => snapshots.import("read", document));
  const [load] = await timeAsync(() => snapshots.load("read"));
  const [reset] = await timeAsync(() => sandbox.reset());
  await snapshots.load("read");
  if (round > 0) samples.push({ save, write, read, load, reset });
}
await sandbox.close();
console.log(JSON.stringify(samples));

/**
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<[ms: number, result: T]>}
 */
async function timeAsync(work) {
  const start = performance.now();
  const result = await work();
  return [performance.now() - start, result];
}
