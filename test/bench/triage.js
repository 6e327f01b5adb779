// `webhooks triage` of the logs of six incidents, and of deliveries without a known cause.
import { createHmac, randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { claims, workFolder } from "./processes.js";

/** @typedef {import("./figure.js").Figure} Figure */
/** @typedef {{ secret?: string, clock?: number, signature?: string, change?: (body: string) => string }} Change */

const SECRET = `whsec_${"k".repeat(43)}`;
const OLDER_SECRET = `whsec_${"o".repeat(43)}`;
const START_SECONDS = 1_795_334_930;
const DELIVERIES_NOT_VALID = 7;
/** Of the aims. */
const COUNT = 10_000;
/** A search to its end takes so long that a sixteenth of the deliveries is measured. */
const UNEXPLAINED_COUNT = COUNT / 16;

/** @param {string} body */
const reprint = (body) => JSON.stringify(JSON.parse(body), null, 2);

/**
 * What happened to a delivery, by its position: a deployment, a rotation, a proxy, a gateway, a clock, and two at once.
 * @type {readonly ((index: number) => Change)[]}
 */
const INCIDENTS = [
  (index) => (index % 4 === 0 ? {} : { change: reprint }),
  () => ({ secret: OLDER_SECRET }),
  (index) => (index % 3 === 0 ? { change: (body) => `${body}\n` } : {}),
  (index) => (index % 2 === 0 ? { change: (body) => Buffer.from(body).toString("base64") } : {}),
  () => ({ clock: 1_200 }),
  () => ({ secret: OLDER_SECRET, change: reprint }),
];

/** @returns {Change} */
const unexplained = () => ({ signature: randomBytes(32).toString("hex") });

/** @type {import("./figure.js").Suite} */
export async function measureTriage() {
  const incident = (/** @type {number} */ index) =>
    INCIDENTS[Math.floor(index / 100) % INCIDENTS.length]?.(index) ?? {};
  await writeFile(join(workFolder, "secret.txt"), SECRET, { mode: 0o600 });
  await writeFile(join(workFolder, "older.txt"), OLDER_SECRET, { mode: 0o600 });
  const part = await triage(Math.floor(COUNT / 3), incident);
  const all = await triage(COUNT, incident);
  const others = await triage(UNEXPLAINED_COUNT, unexplained);
  const what = describeLog(COUNT, "six incidents");
  return [
    { what, unit: "ms", ours: all.ms, aim: { mostValue: 8_000 } },
    {
      what: `${what}, peak memory`,
      unit: "MiB",
      floor: { name: "of a third of them", value: part.peakMiB },
      ours: all.peakMiB,
      aim: { most: 1.3 },
    },
    {
      what: describeLog(UNEXPLAINED_COUNT, "no known cause"),
      unit: "ms",
      ours: others.ms,
      aim: { mostValue: 9_375 },
    },
  ];
}

const describeLog = (/** @type {number} */ count, /** @type {string} */ causes) =>
  `triage of ${count.toLocaleString("en")} deliveries of 1 KB, ${causes}`;

/** @param {number} count @param {(index: number) => Change} changeOf */
async function triage(count, changeOf) {
  const log = join(workFolder, "deliveries.log");
  const lines = Array.from({ length: count }, (_, index) => createLine(index, changeOf(index)));
  await writeFile(log, lines.join(""));
  const secrets = ["--secret-file", join(workFolder, "secret.txt")];
  const candidate = ["--candidate", `older=${join(workFolder, "older.txt")}`];
  try {
    return await claims(["webhooks", "triage", log, ...secrets, ...candidate, "--tolerance", "5m"], {
      watchMemory: true,
      exitCode: DELIVERIES_NOT_VALID,
    });
  } finally {
    await rm(log);
  }
}

/**
 * A line of a receiver's log, with a body of 1 KB.
 * @param {number} index
 * @param {Change} change
 */
function createLine(index, { secret = SECRET, clock = 0, signature, change = String }) {
  const seconds = START_SECONDS + index;
  const time = new Date((seconds + clock) * 1_000).toISOString();
  const data = { index, note: 'Zürich "quoted" </b>', amount: 1.5, text: "x".repeat(850) };
  const createdAt = new Date(seconds * 1_000).toISOString();
  const body = JSON.stringify({ id: `e-${index}`, type: "claim.updated", createdAt, data });
  const right = createHmac("sha256", secret).update(`${seconds}.`).update(body).digest("hex");
  const headers = {
    "content-type": "application/json",
    "x-service-event": "claim.updated",
    "x-service-timestamp": String(seconds),
    "x-service-signature": signature ?? right,
  };
  return `${JSON.stringify({ time, url: "/hook", headers, body: change(body) })}\n`;
}
