// The pages of the inspector: a page that shows a thousand requests, and its refresh while nothing changes.
import { AIMS } from "./aims.js";
import { createStatusCall, createSubmitCall } from "./calls.js";
import { load } from "./load.js";
import { processorSeconds, startSandbox, stop } from "./processes.js";

/** @typedef {import("./figure.js").Figure} Figure */
/** @typedef {{ status: number, kilobytes: number, etag: string }} PageResponse */

const REQUESTS = 1_000;
const MAX_KILOBYTES = 400;
const ALL = `?limit=${REQUESTS}`;

/**
 * @param {{ quick: boolean }} options
 * @returns {Promise<Figure[]>}
 */
export async function measureInspector({ quick }) {
  const sandbox = await startSandbox({ args: ["--frozen", "--request-log-size", String(REQUESTS)] });
  try {
    await load(sandbox.url, createSubmitCall(sandbox), REQUESTS / 20);
    await load(sandbox.url, await createStatusCall(sandbox), REQUESTS);
    const cookie = await openInspector(sandbox);
    const open = (/** @type {string} */ query, etag = "") =>
      openPage(`${sandbox.url}/_sandbox/ui${query}`, { cookie, "if-none-match": etag });
    // Half of the pages warm the code up, as in a browser that stays open.
    const rounds = quick ? 5 : 30;
    const measure = async (/** @type {() => Promise<PageResponse>} */ request) => {
      for (let round = 0; round < rounds; round += 1) await request();
      const before = processorSeconds(sandbox.child) ?? 0;
      for (let round = 0; round < rounds; round += 1) await request();
      return (((processorSeconds(sandbox.child) ?? Number.NaN) - before) * 1_000) / rounds;
    };
    const { etag, kilobytes } = await open(ALL);
    if (kilobytes > MAX_KILOBYTES) throw new Error(`the page has ${kilobytes} kB`);
    const { status } = await open(ALL, etag);
    if (status !== 304) throw new Error(`expected 304 for an unchanged page, got ${status}`);
    const count = REQUESTS.toLocaleString("en");
    return [
      {
        what: `inspector: timeline of ${count} requests, by the server's processor time`,
        unit: "ms",
        floor: null,
        ours: await measure(() => open("")),
        aim: AIMS.inspectorPage,
        note: "the page as it opens, with the latest 200 lines",
      },
      {
        what: `inspector: all ${count} lines, by the server's processor time`,
        unit: "ms",
        floor: null,
        ours: await measure(() => open(ALL)),
        aim: AIMS.inspectorPage,
        note: `the page after "Show all": ${Math.round(kilobytes)} kB (at most ${MAX_KILOBYTES} kB)`,
      },
      {
        what: "inspector: refresh of an unchanged page, by the server's processor time",
        unit: "ms",
        floor: null,
        ours: await measure(() => open(ALL, etag)),
        aim: AIMS.inspectorRefresh,
        note: "what an open page asks for every 1.5 s: a 304 without rendering",
      },
    ];
  } finally {
    await stop(sandbox.child);
  }
}

/** @param {Awaited<ReturnType<typeof startSandbox>>} sandbox */
async function openInspector({ url, controlToken }) {
  const headers = { authorization: `Bearer ${controlToken}` };
  const ticket = await fetch(`${url}/_sandbox/inspect`, { method: "POST", headers });
  const { url: link } = /** @type {{ url: string }} */ (await ticket.json());
  const opened = await fetch(link, { redirect: "manual" });
  return opened.headers.get("set-cookie")?.split(";")[0] ?? "";
}

/**
 * @param {string} url
 * @param {Record<string, string>} headers
 * @returns {Promise<PageResponse>}
 */
async function openPage(url, headers) {
  const response = await fetch(url, { headers });
  if (response.status !== 200 && response.status !== 304)
    throw new Error(`${url} responded ${response.status}`);
  const text = await response.text();
  return {
    status: response.status,
    kilobytes: Buffer.byteLength(text) / 1_000,
    etag: response.headers.get("etag") ?? "",
  };
}
