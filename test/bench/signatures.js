// What it takes to verify a delivery, and to find out why one does not verify. In this process: it is pure work.
import { createHmac, createSecretKey, randomBytes } from "node:crypto";
import { AIMS } from "./aims.js";
import { median } from "./figure.js";
import { worstDeliveries } from "./worst-deliveries.js";

/** @typedef {import("./figure.js").Figure} Figure */

/** @type {typeof import("../../src/signature.ts")} */
const { explain, sign, verify } = await import(new URL("../../dist/signature.js", import.meta.url).href);

const SECRET = `whsec_${"k".repeat(43)}`;
const TIMESTAMP = "1763596800";

/**
 * @param {{ quick: boolean }} options
 * @returns {Promise<Figure[]>}
 */
export async function signatures({ quick }) {
  const rounds = quick ? 3 : 7;
  return [
    verifying(rounds, quick ? 2_000 : 20_000),
    explaining("1 KB", bodyOf(1_024), rounds),
    explaining("1 MB", bodyOf(1_048_576), rounds),
    explainingWorst("1 KB", 1_024, rounds, AIMS.explainOneKilobyte),
    explainingWorst("20 KB", 20_480, rounds, AIMS.explainTwentyKilobytes),
    explainingWorst("1 MB", 1_048_576, quick ? 1 : 3, AIMS.explainOneMegabyte),
  ];
}

/** @param {number} bytes of JSON, as an event has it */
function bodyOf(bytes) {
  const data = { note: 'Zürich "quoted" </b>', amount: 1.5, text: "x".repeat(bytes - 150) };
  return Buffer.from(JSON.stringify({ id: "7d", type: "partner.test", environment: "sandbox", data }));
}

/**
 * @param {number} rounds
 * @param {number} count
 * @returns {Figure}
 */
function verifying(rounds, count) {
  const body = bodyOf(1_024);
  const signature = sign({ secret: SECRET, timestamp: TIMESTAMP, body });
  const headers = { "X-Service-Timestamp": TIMESTAMP, "X-Service-Signature": signature };
  const key = createSecretKey(Buffer.from(SECRET));
  const bare = () => createHmac("sha256", key).update(`${TIMESTAMP}.`).update(body).digest();
  const ours = () => verify({ secrets: [SECRET], headers, body });
  const rates = Array.from({ length: rounds }, () => [perSecond(bare, count), perSecond(ours, count)]);
  return {
    what: "verify a delivery of 1 KB",
    unit: "/s",
    floor: { name: "createHmac with a KeyObject", value: median(rates.map(([rate = 0]) => rate)) },
    ours: median(rates.map(([, rate = 0]) => rate)),
    aim: AIMS.verify,
  };
}

/**
 * @param {() => unknown} work
 * @param {number} count
 */
function perSecond(work, count) {
  const begun = performance.now();
  for (let done = 0; done < count; done += 1) work();
  return (count / (performance.now() - begun)) * 1000;
}

/**
 * The longest way: every hypothesis is tried, and none fits.
 * @param {string} size
 * @param {Buffer} body
 * @param {number} rounds
 * @returns {Figure}
 */
function explaining(size, body, rounds) {
  const headers = {
    "X-Service-Timestamp": TIMESTAMP,
    "X-Service-Signature": randomBytes(32).toString("hex"),
  };
  const { ms, tried } = explanationOf({ headers, body }, rounds);
  return {
    what: `explain a mismatch that nothing explains, ${size}`,
    unit: "ms",
    floor: null,
    ours: ms,
    aim: null,
    note: `${tried.toLocaleString("en")} variations`,
  };
}

/**
 * The slowest of the worst deliveries.
 * @param {string} size
 * @param {number} bytes
 * @param {number} rounds
 * @param {import("./figure.js").Aim} aim
 * @returns {Figure}
 */
function explainingWorst(size, bytes, rounds, aim) {
  const all = worstDeliveries(bytes).map((each) => ({ name: each.name, ...explanationOf(each, rounds) }));
  const [worst, ...others] = all.sort((one, other) => other.ms - one.ms);
  if (!worst) throw new Error("nothing was measured");
  const next = others.slice(0, 4).map(({ name, ms }) => `${name} ${Math.round(ms)} ms`);
  const { name, tried, complete } = worst;
  return {
    what: `explain the worst input of ${size}`,
    unit: "ms",
    floor: null,
    ours: worst.ms,
    aim,
    note: `${name}, ${complete ? "" : "stopped after "}${tried.toLocaleString("en")} variations; then ${next.join(", ")}`,
  };
}

/**
 * @param {{ headers: Record<string, string | string[]>, body: Buffer }} delivery
 * @param {number} rounds
 */
function explanationOf(delivery, rounds) {
  let explanation = explain({ secrets: [SECRET], ...delivery });
  const times = Array.from({ length: rounds }, () => {
    const begun = performance.now();
    explanation = explain({ secrets: [SECRET], ...delivery });
    return performance.now() - begun;
  });
  return { ms: median(times), tried: explanation.tried, complete: explanation.complete };
}
