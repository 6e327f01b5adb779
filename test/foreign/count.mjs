#!/usr/bin/env node
// node count.mjs [NAME…] [--failed]   learn each service, also from a partner's recording, imitate it by what was learned, and count its choices by their probes.
// "right" is a choice whose probe passes against the imitation. A service whose language is missing is "NOT tested".
// Needs a build (`npm run build`). Exit 0: counted; 7: a service could not be learned.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { entriesOf, recordPartner } from "./record.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const claims = fileURLToPath(new URL("../../bin/claims.js", import.meta.url));
const entries = fileURLToPath(new URL("../../fixtures/sample_entries.csv", import.meta.url));
const NAMES = ["harborline", "tariffbridge", "kontor", "dutydesk", "zollfax", "meridian"];
const asked = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const showsFailed = process.argv.includes("--failed");

const FILES = { completed: [], partial: ["SBX-1000001-3"], failed: ["SBX-3518785-2"] };

/** Starts a program, and gives the JSON of its first line. */
async function start(command, options) {
  const child = spawn(command[0], command.slice(1), { stdio: ["ignore", "pipe", "ignore"], ...options });
  const line = once(createInterface(child.stdout), "line");
  const [text] = await Promise.race([line, once(child, "error").then(([error]) => Promise.reject(error))]);
  const stop = async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  };
  return { ready: JSON.parse(text), stop };
}

/** As many records as the services have at their start, so that each list has several pages. */
function fillSandbox(env) {
  const run = (...args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [claims, ...args], { env, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    return stdout.trim();
  };
  for (let number = 1; number <= 8; number += 1) {
    const client = ["--name", `Client ${number}`, "--importer-number", `55-000010${number}`];
    run("clients", "create", ...client);
    const [clientId] = run("clients", "list", "-q").split("\n");
    const submission = ["--seller-name", `Seller ${number}`, "--no-check", "--on-duplicate", "submit", "-q"];
    const job = run("diligence", "submit", entries, ...submission);
    const claim = run("claims", "create", "--client", clientId, "--job", job, "-q");
    run("offers", "create", "--claim", claim);
  }
}

/** The choices, with what their probes saw of a sandbox with the form. */
async function probe(name, form, env, jobSpeed) {
  const up = ["sandbox", "up", "--like", form, "--port", "0", "--job-speed", jobSpeed, "--json"];
  const sandbox = await start([process.execPath, claims, ...up], { env });
  try {
    const { url, credentials } = sandbox.ready;
    const { apiKey, clientId, clientSecret } = credentials.sandbox;
    const own = { ...env, CLAIMS_BASE_URL: url, CLAIMS_API_KEY: apiKey, CLAIMS_LIKE: form };
    if (jobSpeed === "instant") fillSandbox(own);
    const key = ["--key", apiKey, "--id", clientId, "--secret", clientSecret];
    // A sandbox has no read of the onboarding alias, whose status the interface does not show.
    const ids = ["--ids", JSON.stringify({ partnerOrgId: "juniper-row" })];
    const check = spawnSync(
      process.execPath,
      [join(here, "check.mjs"), name, "--base", url, ...key, ...ids, ...(jobSpeed === "real" ? ["--slow"] : []), "--json"],
      { encoding: "utf8", timeout: 120_000 },
    );
    if (!check.stdout) throw new Error(check.stderr);
    return JSON.parse(check.stdout).results.filter(({ part }) => part === "choice");
  } finally {
    await sandbox.stop();
  }
}

async function count(name) {
  const drive = JSON.parse(readFileSync(join(here, name, "drive.json"), "utf8"));
  const service = await start([...drive.start, "0"], { cwd: join(here, name) });
  const folder = mkdtempSync(join(tmpdir(), "claims-count-"));
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    CLAIMS_BASE_URL: service.ready.url,
    CLAIMS_API_KEY: service.ready.apiKey,
    CLAIMS_ENVIRONMENT: "sandbox",
  };
  try {
    const submissions = Object.entries(FILES).flatMap(([kind, numbers]) => {
      const file = join(folder, `${kind}.csv`);
      writeFileSync(file, entriesOf(numbers));
      return ["--submit", file];
    });
    const form = join(folder, "service.json");
    const recording = join(folder, "partner.har");
    writeFileSync(recording, JSON.stringify(await recordPartner(service.ready, drive)));
    const learn = ["contract", "learn", "--har", recording, ...submissions, "--seller-name", "Acme Imports", "--no-check"];
    const learned = spawnSync(process.execPath, [claims, ...learn, "--out", form, "--timeout", "60s"], {
      env,
      encoding: "utf8",
    });
    if (learned.status !== 0) throw new Error(learned.stderr);
    const choices = await probe(name, form, env, "instant");
    const all = JSON.parse(readFileSync(join(here, name, "choices.json"), "utf8"));
    const isSlow = (id) => all.find((each) => each.id === id).probe.needs === "slow jobs";
    if (!choices.some(({ id, ok }) => !ok && isSlow(id))) return choices;
    // Where jobs end at once, a job before its end cannot be seen.
    const slow = new Map((await probe(name, form, env, "real")).map((each) => [each.id, each]));
    return choices.map((each) => (!each.ok && isSlow(each.id) ? slow.get(each.id) : each));
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true });
  }
}

for (const name of asked.length > 0 ? asked : NAMES) {
  try {
    const choices = await count(name);
    const right = choices.filter(({ ok }) => ok).length;
    console.log(`${name}\t${right} of ${choices.length} right\t${Math.round((100 * right) / choices.length)} %`);
    if (showsFailed) for (const { id, why, ok } of choices) if (!ok) console.log(`  ${id}: ${why}`);
  } catch (error) {
    if (error.code === "ENOENT") console.log(`${name}\tNOT tested`);
    else {
      console.error(`${name}: ${error.message}`);
      process.exitCode = 7;
    }
  }
}
