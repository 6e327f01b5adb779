// How long the programs take to start. Each round runs every program once, so that a busy moment hits all alike.

import { mkdirSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AIMS } from "./aims.js";
import { median } from "./figure.js";
import { claims, fixture, freePort, run, startOnPort, startSandbox, stop, workFolder } from "./processes.js";

/** @typedef {import("./figure.js").Figure} Figure */

const PATIENCE_MS = 15_000;

/**
 * @param {{ quick: boolean }} options
 * @returns {Promise<Figure[]>}
 */
export async function startup({ quick }) {
  const rounds = quick ? 5 : 21;
  return [...(await commands(rounds)), await history(rounds), await ready(rounds)];
}

/** @param {number} rounds */
async function commands(rounds) {
  const sandbox = await startSandbox();
  try {
    const { env } = sandbox;
    const csv = fixture("sample_entries.csv");
    const submitted = await claims(["diligence", "submit", csv, "--seller-name", "Bench", "--json"], { env });
    const { jobId } = JSON.parse(submitted.stdout);
    const profile = await profileOf(env);
    const programs = {
      floor: () => run(["-e", "0"]),
      version: () => claims(["--version"]),
      help: () => claims(["--help"]),
      check: () => claims(["diligence", "check", csv, "--json"]),
      status: () => claims(["diligence", "status", jobId, "--json"], { env }),
      profile: () => claims(["diligence", "status", jobId, "--json"], { env: profile }),
    };
    const taken = await interleaved(programs, rounds);
    const floor = { name: "node -e 0", value: taken.floor };
    return [
      figure("--version", floor, taken.version, AIMS.version),
      figure("--help", floor, taken.help, AIMS.help),
      figure("diligence check, 200 rows", floor, taken.check, AIMS.offlineCommand),
      figure("diligence status, sandbox up", floor, taken.status, AIMS.apiCommand),
      figure("diligence status, with a profile", floor, taken.profile, AIMS.apiCommand),
    ];
  } finally {
    await stop(sandbox.child);
  }
}

/**
 * A configuration folder whose current profile is that sandbox.
 * @param {Record<string, string>} env
 */
async function profileOf({ CLAIMS_BASE_URL: baseUrl = "", CLAIMS_API_KEY: key = "" }) {
  const folder = join(workFolder, "profile");
  const keyFile = join(workFolder, "key");
  writeFileSync(keyFile, key, { mode: 0o600 });
  const own = { CLAIMS_CONFIG_DIR: folder };
  await claims(["auth", "login", "--base-url", baseUrl, "--key-file", keyFile], { env: own });
  return own;
}

const SUBMISSIONS = 10_000;

/**
 * A long write log as a list, against reading and parsing the same lines.
 * @param {number} rounds
 */
async function history(rounds) {
  const env = { CLAIMS_CONFIG_DIR: join(workFolder, "history") };
  const writeLog = join(env.CLAIMS_CONFIG_DIR, "state", "writes.jsonl");
  mkdirSync(dirname(writeLog), { recursive: true });
  writeFileSync(writeLog, writeLogOf(SUBMISSIONS));
  const bare = `require("node:fs").readFileSync(${JSON.stringify(writeLog)}, "utf8").trimEnd().split("\\n").map((line) => JSON.parse(line))`;
  const taken = await interleaved(
    {
      floor: () => run(["-e", bare]),
      history: () => claims(["diligence", "history", "--all"], { env }),
    },
    rounds,
  );
  const floor = { name: "read and parse", value: taken.floor };
  return figure("diligence history, 10,000 submissions", floor, taken.history, null);
}

/** @param {number} count */
function writeLogOf(count) {
  const at = "2026-11-20T00:00:00.000Z";
  const lines = [];
  for (let number = 0; number < count; number += 1) {
    const [key, jobId] = [`key-${number}`, `job-${number}`];
    const to = { baseUrl: "https://partners.example.com", environment: "production" };
    const what = {
      operation: "diligence.submit",
      content: String(number),
      seller: "Bench",
      file: "a.csv",
      bytes: 1,
    };
    lines.push(
      { type: "intent", at, key, ...to, ...what, pid: 1 },
      { type: "accepted", at, key, jobId, status: 202 },
    );
  }
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

/** @param {number} rounds */
async function ready(rounds) {
  const taken = await interleaved(
    { bare: () => firstAnswer("bare"), sandbox: () => firstAnswer("sandbox") },
    rounds,
  );
  const floor = { name: "bare node:http", value: taken.bare };
  return figure("sandbox: start to ready", floor, taken.sandbox, AIMS.sandboxReady);
}

/**
 * @param {string} what
 * @param {Figure["floor"]} floor
 * @param {number} ours
 * @param {Figure["aim"]} aim
 * @returns {Figure}
 */
const figure = (what, floor, ours, aim) => ({ what, unit: "ms", floor, ours, aim });

/**
 * The median milliseconds of each; the first round only warms the disk cache.
 * @template {string} Name
 * @param {Record<Name, () => Promise<{ ms: number }>>} programs
 * @param {number} rounds
 */
async function interleaved(programs, rounds) {
  const names = /** @type {Name[]} */ (Object.keys(programs));
  const taken = names.map(() => /** @type {number[]} */ ([]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, name] of names.entries()) {
      const { ms } = await programs[name]();
      if (round > 0) taken[at]?.push(ms);
    }
  }
  const medians = names.map((name, at) => [name, median(taken[at] ?? [])]);
  return /** @type {Record<Name, number>} */ (Object.fromEntries(medians));
}

/** @param {"sandbox" | "bare"} which */
async function firstAnswer(which) {
  const port = await freePort();
  const begun = performance.now();
  const child = startOnPort(which, port);
  try {
    while ((await statusOf(`http://127.0.0.1:${port}/_sandbox/ready`)) !== 200) {
      if (performance.now() - begun > PATIENCE_MS) throw new Error(`${which} does not get ready`);
      await sleep(1);
    }
    return { ms: performance.now() - begun };
  } finally {
    await stop(child);
  }
}

/**
 * 0 while nothing listens.
 * @param {string} url
 * @returns {Promise<number>}
 */
const statusOf = (url) =>
  new Promise((resolve) => {
    const request = get(url, { agent: false }, (answer) => {
      answer.resume();
      answer.once("end", () => resolve(answer.statusCode ?? 0));
    });
    request.once("error", () => resolve(0));
  });
