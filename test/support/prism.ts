import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { getContract } from "../../src/contract/openapi.ts";
import { temporaryFolder } from "./cli.ts";

/**
 * If CLAIMS_TEST_PRISM names Stoplight's Prism (`.ci/long`), starts it as a validating proxy before a service and returns its
 * base URL; otherwise returns that of the service. The test fails if a request or a response violates the contract.
 */
export async function startPrism(url: string): Promise<string> {
  const { CLAIMS_TEST_PRISM: prism } = process.env;
  if (prism === undefined) return url;
  const document = join(temporaryFolder(), "openapi.json");
  writeFileSync(document, getContract().canonicalJson);
  const child = spawn(process.execPath, [prism, "proxy", document, url, "--errors", "--port", "0"]);
  let log = "";
  const address = await new Promise<string>((resolve, reject) => {
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
  onTestFinished(() => {
    child.kill();
    expect(log.match(/Forwarding/g)?.length ?? 0).toBeGreaterThan(0);
    expect(log.split("\n").filter((line) => /violation|✖/i.test(line))).toEqual([]);
  });
  return address;
}
