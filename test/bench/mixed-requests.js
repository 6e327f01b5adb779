// Many mixed requests, half of them hostile: whether throughput and memory hold over time.
import { createPost, createRegisterCall, createStatusCall, createSubmitCall } from "./calls.js";
import { load } from "./load.js";
import {
  LOAD_CORE,
  measureProcessorSeconds,
  peakMemory,
  runOnCore,
  SERVER_CORE,
  startSandbox,
  stop,
} from "./processes.js";

/** @typedef {import("./figure.js").Figure} Figure */
/** @typedef {import("./load.js").Call} Call */
/** @typedef {Awaited<ReturnType<typeof startSandbox>>} Sandbox */

/** More than a partner may have active. */
const REGISTRATIONS = 300;
const TENTHS = 10;
const COUNT = 200_000;

/** @type {import("./figure.js").Suite} */
export function measureMixedRequests() {
  return runOnCore(LOAD_CORE, measure);
}

/** @returns {Promise<Figure[]>} */
async function measure() {
  const sandbox = await startSandbox({ core: SERVER_CORE });
  try {
    const register = createRegisterCall(sandbox, "http://127.0.0.1:9/mixed", "partner.test");
    await load(sandbox.url, [register], REGISTRATIONS, 499);
    const mix = await createMix(sandbox, register);
    const rates = [];
    for (let tenth = 0; tenth < TENTHS; tenth += 1) {
      const send = () => load(sandbox.url, mix, COUNT / TENTHS, 499);
      rates.push(COUNT / TENTHS / (await measureProcessorSeconds(sandbox.child, send)));
    }
    const what = `${COUNT.toLocaleString("en")} mixed requests`;
    return [
      {
        what: `${what}, last tenth, by the server's processor time`,
        unit: "/s",
        floor: { name: "best tenth", value: Math.max(...rates) },
        ours: rates.at(-1) ?? Number.NaN,
        aim: { least: 0.8 },
        note: `${REGISTRATIONS} endpoints requested before`,
      },
      {
        what: `${what}, sandbox's peak memory`,
        unit: "MiB",
        ours: peakMemory(sandbox.child),
        aim: { mostValue: 300 },
      },
    ];
  } finally {
    await stop(sandbox.child);
  }
}

/**
 * A hundred requests, as often as a partner and an attacker would send each.
 * @param {Sandbox} sandbox
 * @param {Call} register
 * @returns {Promise<readonly Call[]>}
 */
async function createMix(sandbox, register) {
  const { authorization } = sandbox;
  const status = await createStatusCall(sandbox);
  /** @type {(path: string, authorization?: string) => Call} */
  const get = (path, key = authorization) => ({ method: "GET", path, headers: { authorization: key } });
  const post = (/** @type {string} */ path, /** @type {unknown} */ body) =>
    createPost(authorization, path, body);
  const noise = encodeURIComponent("<\u00e9 ../%00> ".repeat(4));
  /** @type {readonly (readonly [times: number, call: Call])[]} */
  const kinds = [
    [26, status],
    [8, { ...status, path: status.path.replace("status", "report") }],
    [14, get("/v1/webhook-deliveries?limit=20")],
    [7, post("/v1/clients", { name: "Client", reference: "R-1" })],
    [2, createSubmitCall(sandbox, 5)],
    [3, register],
    [10, get(`/v1/${noise}`)],
    [9, get("/v1/clients", `Bearer ${"x".repeat(100)}`)],
    [7, get(`/v1/clients?cursor=${noise}`)],
    [7, post("/v1/clients", "{".repeat(1_000))],
    [7, post("/v1/webhooks/endpoints", { label: "x".repeat(400), url: noise, extra: noise })],
  ];
  const calls = kinds.flatMap(([times, call]) => Array.from({ length: times }, () => call));
  // In an order in which equal ones are apart: 37 has no divisor in common with their number.
  return calls.map((_, index) => calls[(index * 37) % calls.length] ?? status);
}
