#!/usr/bin/env node
// node count.mjs [NAME…] [--by-hand] [--failed]   learn each service, also from a partner's recording, imitate it by what was learned, and count its choices by their probes.
// "right" is a choice whose probe passes against the imitation. With --by-hand, the form is then edited as NAME/by-hand.json says, and
// each choice is right, listed as one that a form cannot express, or missed. A service whose language is missing is "NOT tested".
// Needs a build (`npm run build`). Exit 0: counted; 7: a service could not be learned, or a choice is missed.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { editByHand, listChoices, readByHand } from "./by-hand.mjs";
import { learn, start } from "./learn.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const claims = fileURLToPath(new URL("../../bin/claims.js", import.meta.url));
const entries = fileURLToPath(new URL("../../fixtures/sample_entries.csv", import.meta.url));
const NAMES = ["harborline", "tariffbridge", "kontor", "dutydesk", "zollfax", "meridian"];
const asked = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const showsFailed = process.argv.includes("--failed");
const isByHand = process.argv.includes("--by-hand");

/** Without the configuration of this machine. */
const work = mkdtempSync(join(tmpdir(), "claims-count-"));
const bare = { PATH: process.env.PATH, HOME: work };
const state = join(work, "filled.state");

/**
 * As many records as the services have at their start, so that each list has several pages, and a delivery that has
 * failed once. A state has no form: one file is for every sandbox.
 */
async function fillState(file) {
  const sandbox = await start([process.execPath, claims, "sandbox", "up", "--port", "0", "--state", file, "--json"], { env: bare });
  const { url, credentials } = sandbox.ready;
  const credential = { authorization: `Bearer ${credentials.sandbox.apiKey}` };
  const call = async (path, options) => {
    const response = await fetch(url + path, { ...options, headers: { ...credential, ...options?.headers } });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json();
  };
  const post = (path, json) =>
    call(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(json) });
  try {
    for (let number = 1; number <= 8; number += 1) {
      const { id: clientId } = await post("/v1/clients", { name: `Client ${number}`, importerNumber: `55-000010${number}` });
      const submission = new FormData();
      submission.set("seller_name", `Seller ${number}`);
      submission.set("requires_protest_documentation", "false");
      submission.set("file", new File([readFileSync(entries)], "entries.csv", { type: "text/csv" }));
      const { jobId } = await call("/v1/diligence/submit", { method: "POST", body: submission });
      for (let job; job?.state !== "completed"; job = await call(`/v1/diligence/status/${jobId}`)) {
        if (job?.state === "failed" || job?.state === "partial") throw new Error(`the job is ${job.state}`);
        await setTimeout(20);
      }
      const { id: claimId } = await post("/v1/claims", { clientId, jobId });
      await post("/v1/offers", { claimId });
    }
    const eventType = "partner.environment.promoted";
    const endpoint = { label: "Closed port", url: "http://127.0.0.1:9/", subscribedEvents: [eventType] };
    await post("/v1/webhooks/endpoints", { ...endpoint, environmentScope: "sandbox" });
    await post("/v1/sandbox/webhooks/test", { eventType, environment: "sandbox" });
  } finally {
    await sandbox.stop();
  }
}

/** The choices, with what their probes saw of a sandbox with the form, and what the sandbox said that it does not imitate. */
async function probe(name, form, jobSpeed, only) {
  const up = ["sandbox", "up", "--like", form, "--port", "0", "--job-speed", jobSpeed, "--json"];
  const own = `${form}.state`;
  copyFileSync(state, own);
  const filled = jobSpeed === "instant" ? ["--state", own] : [];
  const sandbox = await start([process.execPath, claims, ...up, ...filled], { env: bare });
  try {
    const { url, credentials, like } = sandbox.ready;
    const { apiKey, clientId, clientSecret } = credentials.sandbox;
    const key = ["--key", apiKey, "--id", clientId, "--secret", clientSecret];
    // A sandbox has no read of the onboarding alias, whose status the interface does not show.
    const ids = ["--ids", JSON.stringify({ partnerOrgId: "juniper-row" })];
    const slow = only ? ["--slow", "--only", only.join()] : [];
    const check = spawnSync(
      process.execPath,
      [join(here, "check.mjs"), name, "--base", url, ...key, ...ids, ...slow, "--json"],
      { encoding: "utf8", timeout: 120_000 },
    );
    if (!check.stdout) throw new Error(check.stderr);
    const choices = JSON.parse(check.stdout).results.filter(({ part }) => part === "choice");
    return { choices, notImitated: like.notImitated };
  } finally {
    await sandbox.stop();
  }
}

/** The same, where a choice that needs slow jobs is probed again with them. */
async function probeForm(name, form) {
  const { choices, notImitated } = await probe(name, form, "instant");
  const all = JSON.parse(readFileSync(join(here, name, "choices.json"), "utf8"));
  const needsSlowJobs = new Set(all.filter(({ probe: { needs } }) => needs === "slow jobs").map(({ id }) => id));
  // Where jobs end at once, a job before its end cannot be seen.
  const again = choices.filter(({ id, ok }) => !ok && needsSlowJobs.has(id)).map(({ id }) => id);
  if (again.length === 0) return { choices, notImitated };
  const real = await probe(name, form, "real", again);
  const slow = new Map(real.choices.map((each) => [each.id, each]));
  return { choices: choices.map((each) => slow.get(each.id) ?? each), notImitated };
}

/** The choices by the learned form after a person edited it, each with whether the file lists it. */
async function probeByHand(name, learned, folder) {
  const byHand = readByHand(name);
  const form = join(folder, "by-hand.json");
  writeFileSync(form, JSON.stringify(editByHand(JSON.parse(readFileSync(learned, "utf8")), byHand)));
  const checked = spawnSync(process.execPath, [claims, "contract", "form", "check", form], { env: bare, encoding: "utf8" });
  if (checked.status !== 0) throw new Error(`the edited form has a mistake\n${checked.stdout}${checked.stderr}`);
  const { choices, notImitated } = await probeForm(name, form);
  const listed = listChoices(byHand, notImitated, choices);
  return choices.map((each) => ({ ...each, isListed: listed.has(each.id) }));
}

async function count(name) {
  const folder = mkdtempSync(join(work, name));
  const form = join(folder, "service.json");
  await learn(join(here, name), form, folder);
  const { choices } = await probeForm(name, form);
  return { choices, ...(isByHand && { byHand: await probeByHand(name, form, folder) }) };
}

function printCount(name, choices) {
  const right = choices.filter(({ ok }) => ok).length;
  console.log(`${name}\t${right} of ${choices.length} right\t${Math.round((100 * right) / choices.length)} %`);
  if (showsFailed) for (const { id, why, ok } of choices) if (!ok) console.log(`  ${id}: ${why}`);
}

function printByHand(name, choices) {
  const right = choices.filter(({ ok }) => ok);
  const listed = choices.filter(({ ok, isListed }) => !ok && isListed);
  const missed = choices.filter(({ ok, isListed }) => !ok && !isListed);
  console.log(`${name}\tby hand: ${right.length} right, ${listed.length} listed, ${missed.length} missed`);
  for (const { id, why } of missed) console.log(`  missed ${id}: ${why}`);
  if (showsFailed) for (const { id, why } of listed) console.log(`  listed ${id}: ${why}`);
  for (const { id, isListed } of right) if (isListed) console.log(`  listed, and right: ${id}`);
  if (missed.length > 0) process.exitCode = 7;
}

process.on("exit", () => rmSync(work, { recursive: true }));
await fillState(state);
for (const name of asked.length > 0 ? asked : NAMES) {
  try {
    const { choices, byHand } = await count(name);
    printCount(name, choices);
    if (byHand) printByHand(name, byHand);
  } catch (error) {
    if (error.code === "ENOENT") console.log(`${name}\tNOT tested`);
    else {
      console.error(`${name}: ${error.message}`);
      process.exitCode = 7;
    }
  }
}
