// A process of its own: what sandboxes in one process take until they answer, and what a reset of one takes. Milliseconds:
// of the first one, with the loading of the library, and of each further one; of each reset.
const runs = Number(process.argv[2]);
const RESETS = 50;

const begun = performance.now();
/** @type {typeof import("../../sandbox/index.ts")} */
const { startSandbox } = await import(new URL("../../dist/sandbox.js", import.meta.url).href);
const sandbox = await startSandbox();
const first = performance.now() - begun;
await sandbox.close();

const later = [];
const resets = [];
for (let run = 0; run < runs; run += 1) {
  const started = performance.now();
  const another = await startSandbox();
  later.push(performance.now() - started);
  for (let reset = 0; reset < RESETS; reset += 1) {
    const from = performance.now();
    await another.reset();
    resets.push(performance.now() - from);
  }
  await another.close();
}
console.log(JSON.stringify({ first, later, resets }));
