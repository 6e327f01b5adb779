// A process of its own: what further sandboxes in one process take, milliseconds each.
/** @type {typeof import("../../sandbox/index.ts")} */
const { startSandbox } = await import(new URL("../../dist/sandbox.js", import.meta.url).href);

const runs = Number(process.argv[2]);
const taken = [];
for (let run = 0; run <= runs; run += 1) {
  const begun = performance.now();
  const sandbox = await startSandbox();
  if (run > 0) taken.push(performance.now() - begun);
  await sandbox.close();
}
console.log(JSON.stringify(taken));
