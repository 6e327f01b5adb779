// Runs in a separate process, and prints the milliseconds of each sandbox after the first one, and of each reset.
const runs = Number(process.argv[2]);
const RESETS = 50;

/** @type {typeof import("../../sandbox/index.ts")} */
const { startSandbox } = await import(new URL("../../dist/sandbox.cjs", import.meta.url).href);
await (await startSandbox()).close();

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
console.log(JSON.stringify({ later, resets }));
