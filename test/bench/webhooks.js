// Deliveries a second, how long an event takes to its receiver, and the list of deliveries when it is long.
import { setTimeout as sleep } from "node:timers/promises";
import { AIMS } from "./aims.js";
import { median, percentile } from "./figure.js";
import { load } from "./load.js";
import {
  floorProgram,
  LOAD_CORE,
  pinned,
  processorSeconds,
  run,
  SERVER_CORE,
  startFloor,
  startSandbox,
  stop,
} from "./processes.js";

/** @typedef {import("./figure.js").Figure} Figure */
/** @typedef {Awaited<ReturnType<typeof startSandbox>>} Sandbox */
/** @typedef {{ count: number, ms: number, latencies: number[] }} Received */

const ENDPOINTS = 16;
/** What the sandbox has under way: four for each endpoint. */
const AT_ONCE = 64;
const EVENT = "bench.delivery";
/** Together with its envelope, the body of a delivery has about 1 KB. */
const TEXT = "x".repeat(860);
/** The schedule's first delay: time enough to emit every event of a round before the first is sent. */
const FIRST_DELAY_S = 5;

/**
 * @param {{ quick: boolean }} options
 * @returns {Promise<Figure[]>}
 */
export async function webhooks({ quick }) {
  const sent = await pinned(LOAD_CORE, async () => [...(await deliveries(quick)), await latency(quick)]);
  return [...sent, ...(await pages(quick))];
}

/**
 * The sandbox and the floor have one core in turn, their receiver the other.
 * @param {boolean} quick
 * @returns {Promise<Figure[]>}
 */
async function deliveries(quick) {
  const receiver = await startFloor("receiver.js", { core: LOAD_CORE });
  const sandbox = await startSandbox({
    core: SERVER_CORE,
    args: ["--webhook-retries", `${FIRST_DELAY_S}s`],
  });
  const taken = { floor: /** @type {Rate[]} */ ([]), ours: /** @type {Rate[]} */ ([]) };
  try {
    await register(sandbox, ENDPOINTS, (index) => `${receiver.url}/${index}`);
    for (let round = 0; round <= (quick ? 2 : 5); round += 1) {
      const floor = await bareRate(`${receiver.url}/`, quick ? 10_000 : 40_000);
      const ours = await deliveryRate(sandbox, receiver.url, quick ? 250 : 1_500);
      if (round === 0) continue;
      taken.floor.push(floor);
      taken.ours.push(ours);
    }
  } finally {
    await Promise.all([stop(sandbox.child), stop(receiver.child)]);
  }
  /** @param {keyof Rate} of */
  const figure = (of) => ({
    unit: /** @type {const} */ ("/s"),
    floor: { name: "undici.request", value: median(taken.floor.map((rate) => rate[of])) },
    ours: median(taken.ours.map((rate) => rate[of])),
    aim: AIMS.deliveries,
  });
  return [
    {
      ...figure("perSecond"),
      what: "webhook deliveries, 1 KB, signed and recorded",
      note: "from the first to the last at the receiver; the events were emitted before",
    },
    {
      ...figure("perProcessorSecond"),
      what: "webhook deliveries, by the sender's processor time",
      note: `${Math.round(1e6 / figure("perProcessorSecond").ours)} µs each`,
    },
  ];
}

/** @typedef {{ perSecond: number, perProcessorSecond: number }} Rate */

/**
 * @param {string} url
 * @param {number} count
 * @returns {Promise<Rate>}
 */
async function bareRate(url, count) {
  const args = [floorProgram("bare-post.js"), url, String(count), String(AT_ONCE)];
  return JSON.parse((await run(args, { core: SERVER_CORE })).stdout);
}

/**
 * @param {Sandbox} sandbox
 * @param {string} receiver
 * @param {number} events
 * @returns {Promise<Rate>}
 */
async function deliveryRate(sandbox, receiver, events) {
  await received(receiver, "/reset");
  await load(sandbox.url, emitCall(sandbox, { text: TEXT }), events);
  const before = processorSeconds(sandbox.child) ?? 0;
  const early = (await received(receiver)).count;
  const wanted = events * ENDPOINTS;
  const { count, ms } = await allReceived(receiver, wanted);
  const used = (processorSeconds(sandbox.child) ?? Number.NaN) - before;
  return { perSecond: (count / ms) * 1000, perProcessorSecond: (wanted - early) / used };
}

/**
 * @param {string} receiver
 * @param {number} wanted
 */
async function allReceived(receiver, wanted) {
  for (;;) {
    const found = await received(receiver);
    // What came back last is still being recorded.
    if (found.count >= wanted) return sleep(100, found);
    await sleep(50);
  }
}

/**
 * @param {string} url
 * @param {string} path
 * @returns {Promise<Received>}
 */
async function received(url, path = "/") {
  return /** @type {Promise<Received>} */ ((await fetch(url + path)).json());
}

/**
 * @param {Sandbox} sandbox
 * @param {number} count
 * @param {(index: number) => string} urlOf
 */
async function register({ url, authorization }, count, urlOf) {
  for (let index = 0; index < count; index += 1) {
    const answer = await fetch(`${url}/v1/webhooks/endpoints`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({
        label: `Bench ${index}`,
        url: urlOf(index),
        subscribedEvents: [EVENT],
        environmentScope: "all",
      }),
    });
    if (answer.status !== 201) throw new Error(`an endpoint was answered with ${answer.status}`);
    await answer.arrayBuffer();
  }
}

/**
 * @param {Sandbox} sandbox
 * @param {object} data
 * @returns {import("./load.js").Call}
 */
const emitCall = ({ controlToken }, data) => ({
  method: "POST",
  path: "/_sandbox/emit",
  headers: { authorization: `Bearer ${controlToken}`, "content-type": "application/json" },
  body: Buffer.from(JSON.stringify({ type: EVENT, data })),
});

/**
 * An event every few milliseconds, each to one endpoint.
 * @param {boolean} quick
 * @returns {Promise<Figure>}
 */
async function latency(quick) {
  const every = 4;
  const events = quick ? 250 : 2_500;
  const receiver = await startFloor("receiver.js", { core: LOAD_CORE });
  const sandbox = await startSandbox({ core: SERVER_CORE });
  try {
    await register(sandbox, 1, () => `${receiver.url}/timed`);
    const emitted = [];
    for (let count = 0; count < events; count += 1) {
      const begunAt = performance.timeOrigin + performance.now();
      emitted.push(load(sandbox.url, emitCall(sandbox, { begunAt }), 1));
      await sleep(every);
    }
    await Promise.all(emitted);
    const { latencies } = await allReceived(receiver.url, events);
    const half = percentile(latencies, 0.5).toFixed(1);
    return {
      what: "webhook delivery, from the event to its receiver, p99",
      unit: "ms",
      floor: null,
      ours: percentile(latencies.slice(Math.floor(events / 10)), 0.99),
      aim: AIMS.deliveryLatency,
      note: `one every ${every} ms; half of them within ${half} ms`,
    };
  } finally {
    await Promise.all([stop(sandbox.child), stop(receiver.child)]);
  }
}

/**
 * @param {boolean} quick
 * @returns {Promise<Figure[]>}
 */
async function pages(quick) {
  const endpoints = 1_000;
  const [few, many] = quick ? [10, 100] : [10, 1_000];
  const sandbox = await startSandbox({ core: SERVER_CORE, args: ["--webhook-retries", "30d"] });
  try {
    await register(sandbox, endpoints, (index) => `http://127.0.0.1:9/${index}`);
    const rate = (/** @type {string} */ filter) =>
      load(
        sandbox.url,
        {
          method: "GET",
          path: `/v1/webhook-deliveries?limit=50${filter}`,
          headers: { authorization: sandbox.authorization },
        },
        quick ? 500 : 3_000,
      );
    const filters = { "": "a page of 50", "&status=queued": "one of a status" };
    const rates = async () => {
      const found = [];
      for (const filter of Object.keys(filters)) {
        await rate(filter);
        found.push(await rate(filter));
      }
      return found;
    };
    const event = emitCall(sandbox, {});
    await load(sandbox.url, event, few);
    const short = await rates();
    await load(sandbox.url, event, many - few);
    const long = await rates();
    return Object.values(filters).map((what, index) => ({
      what: `webhook deliveries, ${what}, of ${(many * endpoints).toLocaleString("en")}`,
      unit: /** @type {const} */ ("/s"),
      floor: { name: `of ${(few * endpoints).toLocaleString("en")}`, value: short[index] ?? Number.NaN },
      ours: long[index] ?? Number.NaN,
      aim: AIMS.deliveryPage,
    }));
  } finally {
    await stop(sandbox.child);
  }
}
