import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { getContract } from "../../src/contract/openapi.ts";

interface Prism {
  readonly url: string;
  /** What it has printed so far. */
  readLog(): string;
  close(): void;
}

/** Starts Stoplight's Prism, at the path that CLAIMS_TEST_PRISM names (`.ci/long`), as a validating proxy before a service. */
async function launchPrism(prism: string, upstream: string): Promise<Prism> {
  const folder = mkdtempSync(join(tmpdir(), "claims-prism-"));
  const document = join(folder, "openapi.json");
  writeFileSync(document, getContract().canonicalJson);
  const child = spawn(process.execPath, [prism, "proxy", document, upstream, "--port", "0", "--errors"]);
  let log = "";
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      log += chunk;
      const [, listening] = /listening on (http:\S+)/.exec(log) ?? [];
      if (listening) resolve(listening);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`Prism ended with ${code}: ${log}`)));
  });
  const close = () => {
    child.kill();
    // It watches the document, so the folder stays until the end.
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, readLog: () => log, close };
}

/**
 * With CLAIMS_TEST_PRISM, puts Prism before a service for the rest of the test and returns its base URL; otherwise returns
 * that of the service. The test fails if a request or a response violates the contract.
 */
export async function putPrismBefore(url: string): Promise<string> {
  const { CLAIMS_TEST_PRISM: prism } = process.env;
  if (prism === undefined) return url;
  const { close, readLog, url: address } = await launchPrism(prism, url);
  onTestFinished(() => {
    close();
    const log = readLog();
    expect(log.match(/Forwarding/g)?.length ?? 0).toBeGreaterThan(0);
    const problems = log.split("\n").filter((line) => /violation|✖/i.test(line));
    // On this machine, the client looks whether the service is a sandbox; that route is not of the contract.
    expect(problems.filter((line) => !line.includes("/_sandbox/health"))).toEqual([]);
  });
  return address;
}
