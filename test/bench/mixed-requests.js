// Many mixed requests, half of them hostile: whether throughput and memory hold over time.
import { Pool } from "undici";
import { AIMS } from "./aims.js";
import { createStatusCall, createSubmitCall } from "./calls.js";
import {
  LOAD_CORE,
  peakMemory,
  processorSeconds,
  runOnCore,
  SERVER_CORE,
  startFloor,
  startSandbox,
  stop,
} from "./processes.js";

/** @typedef {import("./figure.js").Figure} Figure */
/** @typedef {import("./load.js").Call} Call */
/** @typedef {Awaited<ReturnType<typeof startSandbox>>} Sandbox */

const CONNECTIONS = 32;
/** More than a partner may have active. */
const REGISTRATIONS = 300;
const TENTHS = 10;

/** @type {import("./figure.js").Suite} */
export function measureMixedRequests({ quick }) {
  return runOnCore(LOAD_CORE, () => measure(quick ? 8_000 : 200_000));
}

/**
 * @param {number} count
 * @returns {Promise<Figure[]>}
 */
async function measure(count) {
  const receiver = await startFloor("receiver.js", { core: LOAD_CORE });
  const sandbox = await startSandbox({ core: SERVER_CORE });
  const pool = new Pool(sandbox.url, { connections: CONNECTIONS, pipelining: 1 });
  try {
    const register = createRegisterCall(sandbox, receiver.url);
    await sendAll(pool, [register], REGISTRATIONS);
    const mix = await createMix(sandbox, register);
    const rates = [];
    for (let tenth = 0; tenth < TENTHS; tenth += 1) {
      const before = processorSeconds(sandbox.child) ?? 0;
      await sendAll(pool, mix, count / TENTHS);
      rates.push(count / TENTHS / ((processorSeconds(sandbox.child) ?? Number.NaN) - before));
    }
    const what = `${count.toLocaleString("en")} mixed requests`;
    return [
      {
        what: `${what}, last tenth, by the server's processor time`,
        unit: "/s",
        floor: { name: "best tenth", value: Math.max(...rates) },
        ours: rates.at(-1) ?? Number.NaN,
        aim: AIMS.mixedRequests,
        note: `${REGISTRATIONS} endpoints requested before`,
      },
      {
        what: `${what}, sandbox's peak memory`,
        unit: "MiB",
        ours: peakMemory(sandbox.child),
        aim: AIMS.mixedRequestsMemory,
      },
    ];
  } finally {
    await pool.destroy();
    await Promise.all([stop(sandbox.child), stop(receiver.child)]);
  }
}

/**
 * Sends requests of a list in turn.
 * @param {Pool} pool
 * @param {readonly Call[]} calls
 * @param {number} count
 */
async function sendAll(pool, calls, count) {
  let sent = 0;
  const worker = async () => {
    while (sent < count) {
      const call = calls[sent % calls.length];
      if (!call) throw new Error("there is no request to send");
      sent += 1;
      const { method, path, headers, body } = call;
      const response = await pool.request({ method, path, headers, body: body ?? null });
      await response.body.dump();
      if (response.statusCode >= 500) throw new Error(`${method} ${path} responded ${response.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

const EVENT = "partner.test";

/** @type {(sandbox: Sandbox, path: string, body: unknown) => Call} */
const createPost = ({ authorization }, path, body) => ({
  method: "POST",
  path,
  headers: { authorization, "content-type": "application/json" },
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
});

/** @param {Sandbox} sandbox @param {string} receiver */
const createRegisterCall = (sandbox, receiver) =>
  createPost(sandbox, "/v1/webhooks/endpoints", {
    label: "Endpoint",
    url: `${receiver}/mixed`,
    subscribedEvents: [EVENT],
    environmentScope: "all",
  });

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
  const post = (/** @type {string} */ path, /** @type {unknown} */ body) => createPost(sandbox, path, body);
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
