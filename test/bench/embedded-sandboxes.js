// Runs in a separate process, and prints milliseconds: for the first sandbox including the load of the library, for each
// further sandbox, and for each reset.
const runs = Number(process.argv[2]);
const RESETS = 50;

const start = performance.now();
/** @type {typeof import("../../sandbox/index.ts")} */
const { startSandbox } = await import(new URL("../../dist/sandbox.cjs", import.meta.url).href);
const sandbox = await startSandbox();
const first = performance.now() - start;
await sandbox.close();

const later = [];
const resets = [];
for (let run = 0; run < runs; run += 1) {
  const sandboxStart = performance.now();
  const another = await startSandbox();
  later.push(performance.now() - sandboxStart);
  for (let reset = 0; reset < RESETS; reset += 1) {
    const resetStart = performance.now();
    await another.reset();
    resets.push(performance.now() - resetStart);
  }
  await another.close();
}
console.log(JSON.stringify({ first, later, resets }));
