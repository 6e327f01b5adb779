// The start time of programs, on the Node that runs the benchmark.

import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { submitFile } from "./calls.js";
import { measureInTurn, median, summarize } from "./figure.js";
import { claims, fixture, ONE_FILE, run, runOneFile, startSandbox, stop, workFolder } from "./processes.js";
import { measureTimeToReady, SERVERS } from "./ready.js";

/** @typedef {import("./figure.js").Figure} Figure */

/** @type {import("./figure.js").Suite} */
export async function measureStartup() {
  const rounds = 9;
  const hasFile = existsSync(ONE_FILE);
  if (!hasFile) process.stderr.write("the one file is left out: `npm run binary` makes it\n");
  const isNewer = Number(process.versions.node.split(".")[0]) >= 24;
  const node = { title: "", start: claims, aims: isNewer ? AIMS.newerNode : AIMS.node };
  const oneFile = { title: "one file: ", start: runOneFile, aims: AIMS.oneFile };
  return [
    ...(await measureCommands(rounds, node)),
    ...(hasFile ? await measureCommands(rounds, oneFile) : []),
    await measureReady(rounds, READY, "sandbox", "bare", { most: 5.2 }),
    ...(hasFile
      ? [await measureReady(rounds, `one file: ${READY}`, "oneFile", "sandbox", { most: 0.75 })]
      : []),
  ];
}

/** Against `node -e 0`; with Node 24 and newer, against that of this Node. */
const AIMS = {
  node: {
    version: { most: 1.1 },
    help: { most: 1.85 },
    offlineCommand: { most: 3.2 },
    apiCommand: { most: 4.2 },
  },
  newerNode: {
    version: { most: 1.1 },
    help: { most: 1.7 },
    offlineCommand: { most: 3 },
    apiCommand: { most: 3.6 },
  },
  oneFile: {
    version: { most: 0.8 },
    help: { most: 0.8 },
    offlineCommand: { most: 1.8 },
    apiCommand: { most: 2.3 },
  },
};

const READY = "sandbox: start to ready";

/**
 * @param {number} rounds
 * @param {object} runtime
 * @param {string} runtime.title before the name of each figure
 * @param {typeof claims} runtime.start
 * @param {Record<"version" | "help" | "offlineCommand" | "apiCommand", Figure["aim"]>} runtime.aims
 */
async function measureCommands(rounds, { title, start, aims }) {
  const sandbox = await startSandbox();
  try {
    const { env } = sandbox;
    const csv = fixture("sample_entries.csv");
    const submission = await submitFile(csv, ["--json"], { env });
    const { jobId } = JSON.parse(submission.stdout);
    const profile = await createProfile(env);
    const time = (/** @type {Parameters<typeof claims>} */ ...args) => start(...args).then(({ ms }) => ms);
    const programs = {
      floor: () => run(["-e", "0"]).then(({ ms }) => ms),
      version: () => time(["--version"]),
      help: () => time(["--help"]),
      check: () => time(["diligence", "check", csv, "--json"]),
      status: () => time(["diligence", "status", jobId, "--json"], { env }),
      profile: () => time(["diligence", "status", jobId, "--json"], { env: profile }),
    };
    const samples = await measureInTurn(programs, rounds);
    const floor = { name: "node -e 0", value: median(samples.floor) };
    return [
      createFigure(`${title}--version`, floor, samples.version, aims.version),
      createFigure(`${title}--help`, floor, samples.help, aims.help),
      createFigure(`${title}diligence check, 200 rows`, floor, samples.check, aims.offlineCommand),
      createFigure(`${title}diligence status, sandbox up`, floor, samples.status, aims.apiCommand),
      createFigure(`${title}diligence status, with a profile`, floor, samples.profile, aims.apiCommand),
    ];
  } finally {
    await stop(sandbox.child);
  }
}

/**
 * Creates a configuration folder whose current profile is that sandbox, and returns its environment.
 * @param {Record<string, string>} env
 */
async function createProfile({ CLAIMS_BASE_URL: baseUrl = "", CLAIMS_API_KEY: key = "" }) {
  const folder = mkdtempSync(join(workFolder, "profile-"));
  const keyFile = join(workFolder, "key");
  writeFileSync(keyFile, key, { mode: 0o600 });
  const profileEnv = { CLAIMS_CONFIG_DIR: folder };
  await claims(["auth", "login", "--base-url", baseUrl, "--key-file", keyFile], { env: profileEnv });
  return profileEnv;
}

/**
 * @param {number} rounds
 * @param {string} what
 * @param {keyof typeof SERVERS} server
 * @param {keyof typeof SERVERS} floor
 * @param {Figure["aim"]} aim
 */
async function measureReady(rounds, what, server, floor, aim) {
  const samples = await measureInTurn(
    { floor: () => measureTimeToReady(SERVERS[floor]), ours: () => measureTimeToReady(SERVERS[server]) },
    rounds,
  );
  const name = floor === "bare" ? "bare node:http" : "with Node";
  return createFigure(what, { name, value: median(samples.floor) }, samples.ours, aim);
}

/**
 * @param {string} what
 * @param {NonNullable<Figure["floor"]>} floor
 * @param {readonly number[]} ours milliseconds of each round
 * @param {Figure["aim"]} aim
 * @returns {Figure}
 */
const createFigure = (what, floor, ours, aim) => ({ what, unit: "ms", floor, ...summarize(ours), aim });
