#!/usr/bin/env node
// node learn.mjs FOLDER FORM   starts the service of a folder (`drive.json` says how), and learns its form in the most complete way:
// from a partner's recording, from reads, and from a completed, a partial and a failed job. Needs a build (`npm run build`).
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { entriesOf, recordPartner } from "./record.mjs";

const claims = fileURLToPath(new URL("../../bin/claims.js", import.meta.url));
const FILES = { completed: [], partial: ["SBX-1000001-3"], failed: ["SBX-3518785-2"] };

/** Starts a program, and gives the JSON of its first line. */
export async function start(command, options) {
  const child = spawn(command[0], command.slice(1), { stdio: ["ignore", "pipe", "ignore"], ...options });
  const line = once(createInterface(child.stdout), "line");
  const [text] = await Promise.race([line, once(child, "error").then(([error]) => Promise.reject(error))]);
  const stop = async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  };
  return { ready: JSON.parse(text), stop };
}

/** @param folder of the service @param form the file to write @param work a folder for what is needed on the way */
export async function learn(folder, form, work) {
  const drive = JSON.parse(readFileSync(join(folder, "drive.json"), "utf8"));
  const { ready, stop } = await start([...drive.start, "0"], { cwd: folder });
  try {
    const submissions = Object.entries(FILES).flatMap(([kind, numbers]) => {
      const file = join(work, `${kind}.csv`);
      writeFileSync(file, entriesOf(numbers));
      return ["--submit", file];
    });
    const recording = join(work, "partner.har");
    writeFileSync(recording, JSON.stringify(await recordPartner(ready, drive)));
    const args = ["contract", "learn", "--har", recording, ...submissions, "--seller-name", "Acme Imports", "--check", "off"];
    const env = {
      PATH: process.env.PATH,
      HOME: work,
      CLAIMS_BASE_URL: ready.url,
      CLAIMS_API_KEY: ready.apiKey,
      CLAIMS_ENVIRONMENT: "sandbox",
    };
    const learned = spawnSync(process.execPath, [claims, ...args, "--out", form, "--timeout", "60s"], { env, encoding: "utf8" });
    if (learned.status !== 0) throw new Error(learned.stderr);
  } finally {
    await stop();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, form] = process.argv.slice(2);
  const work = mkdtempSync(join(tmpdir(), "claims-learn-"));
  try {
    await learn(resolve(folder), resolve(form), work);
  } finally {
    rmSync(work, { recursive: true });
  }
}
