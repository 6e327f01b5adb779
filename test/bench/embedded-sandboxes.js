// Runs in a separate process, and prints milliseconds: for the first sandbox including the load of the library, for each
// further sandbox, and for each reset to the seeded state and to one of a setup.
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
const setupResets = [];
for (let run = 0; run < runs; run += 1) {
  const sandboxStart = performance.now();
  const another = await startSandbox();
  later.push(performance.now() - sandboxStart);
  resets.push(...(await timeResets(another)));
  await another.close();
  const prepared = await startSandbox({ setup });
  setupResets.push(...(await timeResets(prepared)));
  await prepared.close();
}
console.log(JSON.stringify({ first, later, resets, setupResets }));

/** @param {import("../../sandbox/index.ts").Sandbox} prepared */
async function timeResets(prepared) {
  const times = [];
  for (let reset = 0; reset < RESETS; reset += 1) {
    const resetStart = performance.now();
    await prepared.reset();
    times.push(performance.now() - resetStart);
  }
  return times;
}

/**
 * Ten clients, and an event with its delivery.
 * @param {import("../../sandbox/index.ts").Sandbox} prepared
 */
async function setup({ url, credentials, webhooks }) {
  const headers = {
    authorization: `Bearer ${credentials.sandbox.apiKey}`,
    "content-type": "application/json",
  };
  for (let client = 0; client < 10; client += 1)
    await fetch(`${url}/v1/clients`, {
      ...{ method: "POST", headers, body: JSON.stringify({ name: `Client ${client}` }) },
    });
  await webhooks.emit({ type: "partner.test" });
}
