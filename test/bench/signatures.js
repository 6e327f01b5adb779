// The cost of verifying a delivery and of explaining a mismatch, measured in this process.
import { createHmac, createSecretKey } from "node:crypto";
import { worstDeliveries } from "../support/worst-deliveries.js";
import { median, summarize } from "./figure.js";

/** @typedef {import("./figure.js").Figure} Figure */

/** @type {typeof import("../../src/signature.ts")} */
const { explain, sign, verify } = await import(new URL("../../dist/signature.js", import.meta.url).href);

const SECRET = `whsec_${"k".repeat(43)}`;
const TIMESTAMP = "1763596800";

/** @type {import("./figure.js").Suite} */
export async function measureSignatures() {
  const rounds = 3;
  return [
    measureVerify(rounds, 20_000),
    measureWorstExplain("1 KB", 1_024, rounds, { mostValue: 50 }),
    measureWorstExplain("20 KB", 20_480, rounds, { mostValue: 150 }),
    measureWorstExplain("1 MB", 1_048_576, 1, { mostValue: 1_000 }),
  ];
}

/** @param {number} bytes of the JSON body of an event */
function createBody(bytes) {
  const data = { note: 'Zürich "quoted" </b>', amount: 1.5, text: "x".repeat(bytes - 150) };
  return Buffer.from(JSON.stringify({ id: "7d", type: "partner.test", environment: "sandbox", data }));
}

/**
 * @param {number} rounds
 * @param {number} count
 * @returns {Figure}
 */
function measureVerify(rounds, count) {
  const body = createBody(1_024);
  const signature = sign({ secret: SECRET, timestamp: TIMESTAMP, body });
  const headers = { "X-Service-Timestamp": TIMESTAMP, "X-Service-Signature": signature };
  const key = createSecretKey(Buffer.from(SECRET));
  const bare = () => createHmac("sha256", key).update(`${TIMESTAMP}.`).update(body).digest();
  const ours = () => verify({ secrets: [SECRET], headers, body });
  const rates = Array.from({ length: rounds }, () => [measureRate(bare, count), measureRate(ours, count)]);
  return {
    what: "verify a delivery of 1 KB",
    unit: "/s",
    floor: { name: "createHmac with a KeyObject", value: median(rates.map(([rate = 0]) => rate)) },
    ...summarize(rates.map(([, rate = 0]) => rate)),
    aim: { least: 0.65 },
  };
}

/** @param {() => unknown} work @param {number} count */
function measureRate(work, count) {
  const start = performance.now();
  for (let call = 0; call < count; call += 1) work();
  return (count / (performance.now() - start)) * 1000;
}

/**
 * The slowest of the worst deliveries: each is timed once, and the one that took longest is timed again.
 * @param {string} size
 * @param {number} bytes
 * @param {number} rounds
 * @param {Figure["aim"]} aim
 * @returns {Figure}
 */
function measureWorstExplain(size, bytes, rounds, aim) {
  const [slowest] = worstDeliveries(bytes)
    .map((delivery) => ({ delivery, ...timeExplanation(delivery, 1) }))
    .sort((one, other) => other.ms - one.ms);
  if (!slowest) throw new Error("nothing was measured");
  const { ms, tried, complete } = timeExplanation(slowest.delivery, rounds);
  return {
    what: `explain the worst input of ${size}`,
    unit: "ms",
    ours: ms,
    aim,
    note: `${slowest.delivery.name}, ${complete ? "" : "stopped after "}${tried.toLocaleString("en")} variations`,
  };
}

/** @param {{ headers: Record<string, string | string[]>, body: Buffer }} delivery @param {number} rounds */
function timeExplanation(delivery, rounds) {
  const explanations = Array.from({ length: rounds }, () => {
    const start = performance.now();
    const { tried, complete } = explain({ secrets: [SECRET], ...delivery });
    return { ms: performance.now() - start, tried, complete };
  });
  const [first] = explanations;
  if (!first) throw new Error("nothing was measured");
  return { ...first, ms: median(explanations.map(({ ms }) => ms)) };
}
