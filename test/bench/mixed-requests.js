// Many mixed requests of a seeded generator, half of them hostile: whether throughput and memory hold over time.
import { Pool } from "undici";
import { AIMS } from "./aims.js";
import { createSubmitCall } from "./calls.js";
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
/** @typedef {() => number} Random from 0 to 1 */

const SEED = 20_261_122;
const CONNECTIONS = 32;
/** More than a partner may have active. */
const REGISTRATIONS = 300;
const TENTHS = 10;
/** Ids of records that later requests name. */
const MAX_KNOWN = 1_000;

/**
 * @param {{ quick: boolean }} options
 * @returns {Promise<Figure[]>}
 */
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
  const mix = createMix(createRandom(SEED), sandbox, receiver.url);
  try {
    for (let index = 0; index < REGISTRATIONS; index += 1) await exchange(pool, mix.register());
    const rates = [];
    for (let tenth = 0; tenth < TENTHS; tenth += 1) {
      const before = processorSeconds(sandbox.child) ?? 0;
      await sendMixed(pool, mix, count / TENTHS);
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
        note: `seed ${SEED}; ${REGISTRATIONS} endpoints requested before`,
      },
      {
        what: `${what}, sandbox's peak memory`,
        unit: "MiB",
        floor: null,
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
 * @param {Pool} pool
 * @param {ReturnType<typeof createMix>} mix
 * @param {number} count
 */
async function sendMixed(pool, mix, count) {
  let remaining = count;
  const worker = async () => {
    while (remaining > 0) {
      remaining -= 1;
      const call = mix.next();
      const { status, text } = await exchange(pool, call);
      if (status >= 500) throw new Error(`${call.method} ${call.path} responded ${status}`);
      mix.learn(call, text);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

/**
 * Mulberry32: the same seed gives the same requests.
 * @param {number} seed
 * @returns {Random}
 */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const EVENT = "partner.test";

/**
 * @param {Random} random
 * @param {Sandbox} sandbox
 * @param {string} receiver
 */
function createMix(random, sandbox, receiver) {
  const { authorization } = sandbox;
  const submit = createSubmitCall(sandbox, 5);
  const jobIds = /** @type {string[]} */ ([]);
  const below = (/** @type {number} */ count) => Math.floor(random() * count);
  const anyJobId = () => jobIds[below(jobIds.length)] ?? "none";
  const text = (/** @type {number} */ length) =>
    Array.from({ length: below(length) }, () => String.fromCharCode(32 + below(95))).join("");

  /** @type {(path: string, headers?: Record<string, string>) => Call} */
  const get = (path, headers = { authorization }) => ({ method: "GET", path, headers });
  /** @type {(path: string, body: unknown) => Call} */
  const post = (path, body) => ({
    method: "POST",
    path,
    headers: { authorization, "content-type": "application/json" },
    body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  });
  const register = () =>
    post("/v1/webhooks/endpoints", {
      label: `Endpoint ${below(1e6)}`,
      // A third of the receivers refuses connections.
      url: random() < 1 / 3 ? "http://127.0.0.1:9/" : `${receiver}/${below(1e6)}`,
      subscribedEvents: [EVENT],
      environmentScope: "all",
    });

  /** By how many in a thousand. @type {readonly (readonly [weight: number, create: () => Call])[]} */
  const kinds = [
    [260, () => get(`/v1/diligence/status/${anyJobId()}`)],
    [80, () => get(`/v1/diligence/report/${anyJobId()}`)],
    [140, () => get(`/v1/webhook-deliveries?limit=${1 + below(50)}`)],
    [100, () => post("/v1/clients", { name: `Client ${below(1e6)}`, reference: `R-${below(1e6)}` })],
    [20, () => submit],
    [2, () => post("/v1/sandbox/webhooks/test", { eventType: EVENT, environment: "sandbox" })],
    [28, register],
    [100, () => get(`/v1/${encodeURIComponent(text(40))}`)],
    [90, () => get("/v1/clients", { authorization: `Bearer ${"x".repeat(1 + below(200))}` })],
    [60, () => get(`/v1/clients?cursor=${encodeURIComponent(text(60))}`)],
    [60, () => post("/v1/clients", text(2_000))],
    [60, () => post("/v1/webhooks/endpoints", { label: text(400), url: text(100), extra: text(20) })],
  ];

  return {
    register,

    /** @returns {Call} */
    next() {
      let at = below(1_000);
      const found = kinds.find(([weight]) => {
        at -= weight;
        return at < 0;
      });
      if (!found) throw new Error("no request has this number");
      return found[1]();
    },

    /**
     * Keeps the ids of new jobs.
     * @param {Call} call
     * @param {string} response
     */
    learn(call, response) {
      if (call !== submit || jobIds.length === MAX_KNOWN) return;
      jobIds.push(JSON.parse(response).jobId);
    },
  };
}

/**
 * @param {Pool} pool
 * @param {Call} call
 * @returns {Promise<{ status: number, text: string }>}
 */
async function exchange(pool, { method, path, headers, body }) {
  const response = await pool.request({ method, path, headers, body: body ?? null });
  return { status: response.statusCode, text: await response.body.text() };
}
