// Deliveries per second, the latency from an event to its receiver, and pages of a long list of deliveries.
import { setTimeout as sleep } from "node:timers/promises";
import { createPost, createRegisterCall } from "./calls.js";
import { measureInTurn, median, percentile, summarize } from "./figure.js";
import { measurePage } from "./inspector.js";
import { load } from "./load.js";
import {
  floorProgram,
  LOAD_CORE,
  measureProcessorSeconds,
  run,
  runOnCore,
  SERVER_CORE,
  startFloor,
  startSandbox,
  stop,
} from "./processes.js";

/** @typedef {import("./figure.js").Figure} Figure */
/** @typedef {Awaited<ReturnType<typeof startSandbox>>} Sandbox */
/** @typedef {{ count: number, latencies: number[] }} Received */

const ENDPOINTS = 16;
/** The deliveries in flight of the sandbox: four per endpoint. */
const MAX_DELIVERIES_IN_FLIGHT = 64;
const EVENT = "bench.delivery";
/** With this text and its envelope, the body of a delivery has about 1 KB. */
const TEXT = "x".repeat(860);
/** The first delay of the retry schedule, long enough to emit all events of a round before the first delivery. */
const FIRST_DELAY_S = 3;
/** Events before the latency is measured. */
const WARM_UP_EVENTS = 100;

/** @type {import("./figure.js").Suite} */
export async function measureWebhooks() {
  const deliveryFigures = await runOnCore(LOAD_CORE, async () => [
    ...(await measureDeliveries()),
    await measureLatency(),
  ]);
  return [...deliveryFigures, ...(await measurePages())];
}

/**
 * Sandbox and floor run on one core in turn, and their receiver on the other.
 * @returns {Promise<Figure[]>}
 */
async function measureDeliveries() {
  const receiver = await startFloor("receiver.js", { core: LOAD_CORE });
  const sandbox = await startSandbox({ core: SERVER_CORE, args: ["--webhook-retries", `${FIRST_DELAY_S}s`] });
  const creations = /** @type {number[]} */ ([]);
  try {
    await registerEndpoints(sandbox, listUrls(receiver.url, ENDPOINTS));
    const rounds = {
      floor: () => measurePlainRate(`${receiver.url}/`, 25_000),
      ours: async () => {
        const { rate, creationMicroseconds } = await measureDeliveryRate(sandbox, receiver.url);
        creations.push(creationMicroseconds);
        return rate;
      },
    };
    const samples = await measureInTurn(rounds, 2);
    const ours = summarize(samples.ours);
    return [
      {
        what: "webhook deliveries, 1 KB, signed and recorded, by the sender's processor time",
        unit: "/s",
        floor: { name: "undici, an HMAC and sql.js", value: median(samples.floor) },
        ...ours,
        aim: { least: 0.35 },
        note: `${Math.round(1e6 / ours.ours)} µs each; the floor has no retries, no states of endpoints and no follow-up`,
      },
      {
        what: "webhook deliveries, creation, by the sender's processor time",
        unit: "µs",
        ...summarize(creations.slice(1)),
        aim: { mostValue: 65 },
        note: `of each of the ${ENDPOINTS} deliveries of an event, with the request that emits it`,
      },
    ];
  } finally {
    await Promise.all([stop(sandbox.child), stop(receiver.child)]);
  }
}

/** @param {string} url @param {number} count @returns {Promise<number>} per second of processor time */
async function measurePlainRate(url, count) {
  const args = [floorProgram("plain-deliveries.js"), url, String(count), String(MAX_DELIVERIES_IN_FLIGHT)];
  return JSON.parse((await run(args, { core: SERVER_CORE })).stdout).perProcessorSecond;
}

/** @param {Sandbox} sandbox @param {string} receiver */
async function measureDeliveryRate(sandbox, receiver) {
  const events = 1_000;
  await fetchReceived(receiver, "/reset");
  const emitAll = () => load(sandbox.url, [createEmitCall(sandbox, { text: TEXT })], events);
  const creationSeconds = await measureProcessorSeconds(sandbox.child, emitAll);
  const deliveredBefore = (await fetchReceived(receiver)).count;
  const expected = events * ENDPOINTS;
  const seconds = await measureProcessorSeconds(sandbox.child, () => waitForDeliveries(receiver, expected));
  return {
    rate: (expected - deliveredBefore) / seconds,
    creationMicroseconds: (creationSeconds / expected) * 1e6,
  };
}

/** @param {string} receiver @param {number} expected */
async function waitForDeliveries(receiver, expected) {
  for (;;) {
    const result = await fetchReceived(receiver);
    // The sandbox is still recording the last responses.
    if (result.count >= expected) return sleep(100, result);
    await sleep(50);
  }
}

/** @param {string} url @param {string} path @returns {Promise<Received>} */
async function fetchReceived(url, path = "/") {
  return /** @type {Promise<Received>} */ ((await fetch(url + path)).json());
}

/** @type {(sandbox: Sandbox, urls: readonly string[]) => Promise<void>} */
const registerEndpoints = (sandbox, urls) => {
  const calls = urls.map((url) => createRegisterCall(sandbox, url, EVENT));
  return load(sandbox.url, calls, calls.length);
};

/** @type {(sandbox: Sandbox, data: object) => import("./load.js").Call} */
const createEmitCall = ({ controlToken }, data) =>
  createPost(`Bearer ${controlToken}`, "/_sandbox/emit", { type: EVENT, data });

/** @type {(receiver: string, count: number) => string[]} */
const listUrls = (receiver, count) => Array.from({ length: count }, (_, index) => `${receiver}/${index}`);

/**
 * Emits an event every few milliseconds, each for one endpoint.
 * @returns {Promise<Figure>}
 */
async function measureLatency() {
  const intervalMs = 4;
  const receiver = await startFloor("receiver.js", { core: LOAD_CORE });
  const sandbox = await startSandbox({ core: SERVER_CORE });
  try {
    await registerEndpoints(sandbox, [`${receiver.url}/timed`]);
    const emitEvents = async (/** @type {number} */ count) => {
      await fetchReceived(receiver.url, "/reset");
      const emissions = [];
      for (let emitted = 0; emitted < count; emitted += 1) {
        const begunAt = performance.timeOrigin + performance.now();
        emissions.push(load(sandbox.url, [createEmitCall(sandbox, { begunAt })], 1));
        await sleep(intervalMs);
      }
      await Promise.all(emissions);
      return (await waitForDeliveries(receiver.url, count)).latencies;
    };
    // A sandbox that has just started compiles its code while it sends the first events.
    await emitEvents(WARM_UP_EVENTS);
    const latencies = await emitEvents(1_000);
    const medianMs = percentile(latencies, 0.5).toFixed(1);
    return {
      what: "webhook delivery, from the event to its receiver, p99",
      unit: "ms",
      ours: percentile(latencies, 0.99),
      aim: { mostValue: 50 },
      note: `one event every ${intervalMs} ms; the median is ${medianMs} ms`,
    };
  } finally {
    await Promise.all([stop(sandbox.child), stop(receiver.child)]);
  }
}

/** @returns {Promise<Figure[]>} */
async function measurePages() {
  const endpoints = 50;
  const events = 4_000;
  const sandbox = await startSandbox({ core: SERVER_CORE, args: ["--webhook-retries", "30d"] });
  try {
    await registerEndpoints(sandbox, listUrls("http://127.0.0.1:9", endpoints));
    await load(sandbox.url, [createEmitCall(sandbox, {})], events);
    const count = (events * endpoints).toLocaleString("en");
    return [
      {
        what: `inspector: deliveries, of ${count}, by the server's processor time`,
        unit: "ms",
        ours: await measurePage(sandbox, "/deliveries", 10),
        aim: { mostValue: 50 },
      },
    ];
  } finally {
    await stop(sandbox.child);
  }
}
