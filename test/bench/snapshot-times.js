// A process of its own: a sandbox with so many rows, and what it takes to keep, write, read, put back and forget them.
// Milliseconds of each round; the snapshot is left in a file, so that the floor has the same rows.
import { writeFileSync } from "node:fs";

/** @type {typeof import("../../sandbox/index.ts")} */
const { startSandbox } = await import(new URL("../../dist/sandbox.js", import.meta.url).href);

const [, , rows = "0", rounds = "1", path = ""] = process.argv;
/** An event with one delivery that is far from due: the event, the delivery, and what waits for its time. */
const ROWS_OF_AN_EVENT = 3;

const sandbox = await startSandbox({ frozenAt: "2026-11-20T00:00:00Z", webhookRetries: "30d" });
const { endpointId } = sandbox.credentials.webhook;
for (let made = 0; made < Number(rows); made += ROWS_OF_AN_EVENT)
  await sandbox.webhooks.emit({ type: "bench.row", data: { made }, endpointId });

const { snapshots } = sandbox;
const taken = [];
for (let round = 0; round <= Number(rounds); round += 1) {
  const [save] = await timed(() => snapshots.save("kept"));
  const [write, document] = await timed(async () => [...(await snapshots.export("kept"))]);
  if (round === 0) writeFileSync(path, document.join(""));
  const [read] = await timed(() => snapshots.import("read", document));
  const [load] = await timed(() => snapshots.load("read"));
  const [reset] = await timed(() => sandbox.reset());
  await snapshots.load("read");
  if (round > 0) taken.push({ save, write, read, load, reset });
}
await sandbox.close();
console.log(JSON.stringify(taken));

/**
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<[ms: number, result: T]>}
 */
async function timed(work) {
  const begun = performance.now();
  const result = await work();
  return [performance.now() - begun, result];
}
