import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { getContract } from "../../src/contract/openapi.ts";
import { temporaryFolder } from "./cli.ts";

/**
 * The base URL of a validating proxy before a service, where CLAIMS_TEST_PRISM names Stoplight's Prism (`.ci/long`), and
 * otherwise that of the service. Prism refuses what the contract does not allow, in requests and in responses; a test
 * fails that made it report a violation.
 */
export async function throughPrism(url: string): Promise<string> {
  const { CLAIMS_TEST_PRISM: prism } = process.env;
  if (prism === undefined) return url;
  const document = join(temporaryFolder(), "openapi.json");
  writeFileSync(document, getContract().canonicalJson);
  const child = spawn(process.execPath, [prism, "proxy", document, url, "--errors", "--port", "0"]);
  let log = "";
  const address = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      log += chunk;
      const [, found] = /listening on (http:\S+)/.exec(log) ?? [];
      if (found) resolve(found);
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
