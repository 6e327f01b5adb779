// The pages of the inspector.
import { createStatusCall, createSubmitCall } from "./calls.js";
import { load } from "./load.js";
import { measureProcessorSeconds, startSandbox, stop } from "./processes.js";

/** @typedef {import("./figure.js").Figure} Figure */

const REQUESTS = 1_000;

/** @type {import("./figure.js").Suite} */
export async function measureInspector() {
  const sandbox = await startSandbox({ args: ["--frozen", "--request-log-size", String(REQUESTS)] });
  try {
    await load(sandbox.url, [createSubmitCall(sandbox)], REQUESTS / 20);
    await load(sandbox.url, [await createStatusCall(sandbox)], REQUESTS);
    return [
      {
        what: "inspector: timeline with the latest 200 lines, by the server's processor time",
        unit: "ms",
        ours: await measurePage(sandbox, "", 30),
        aim: { mostValue: 20 },
        note: `the page as it opens, of ${REQUESTS.toLocaleString("en")} requests`,
      },
    ];
  } finally {
    await stop(sandbox.child);
  }
}

/**
 * Milliseconds of processor time for a page.
 * @param {Awaited<ReturnType<typeof startSandbox>>} sandbox
 * @param {string} path below the pages
 * @param {number} rounds
 */
export async function measurePage(sandbox, path, rounds) {
  const headers = { cookie: await openInspector(sandbox) };
  const open = async () => {
    const response = await fetch(`${sandbox.url}/_sandbox/ui${path}`, { headers });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${path} responded ${response.status}`);
  };
  const openAll = async () => {
    for (let round = 0; round < rounds; round += 1) await open();
  };
  // Half of the pages warm the code up, as in a browser that stays open.
  await openAll();
  return ((await measureProcessorSeconds(sandbox.child, openAll)) * 1_000) / rounds;
}

/** @param {Awaited<ReturnType<typeof startSandbox>>} sandbox */
async function openInspector({ url, controlToken }) {
  const headers = { authorization: `Bearer ${controlToken}` };
  const ticket = await fetch(`${url}/_sandbox/inspect`, { method: "POST", headers });
  const { url: link } = /** @type {{ url: string }} */ (await ticket.json());
  const opened = await fetch(link, { redirect: "manual" });
  return opened.headers.get("set-cookie")?.split(";")[0] ?? "";
}
