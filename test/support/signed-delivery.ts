import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { sign } from "../../src/signature.ts";
import { bareEnvironment, runCli, temporaryFolder } from "./cli.ts";

export const SECRET = "whsec_bWFkZS11cC1mb3ItdGVzdHMtb25seS0wMDAwMDAwMDE";
export const TIMESTAMP = "1795132800";
export const BODY = '{"id":"3f0c9a","type":"partner.test","data":{"note":"caf\u00e9","amount":1.0}}';
export const SIGNATURE = sign({ secret: SECRET, timestamp: TIMESTAMP, body: BODY });
export const HEADERS = `X-Service-Event: partner.test\r\nX-Service-Timestamp: ${TIMESTAMP}\r\nX-Service-Signature: ${SIGNATURE}\r\n`;

/** Creates a folder with a secret, a body and these files, by name. */
export function setUpVerify(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const cwd = temporaryFolder();
  const all = { "secret.txt": SECRET, "body.json": BODY, ...files };
  for (const [name, content] of Object.entries(all)) writeFileSync(join(cwd, name), content, { mode: 0o600 });
  const run = (
    args: readonly string[],
    more: { input?: string | Uint8Array; env?: Record<string, string> } = {},
  ) => runCli(["webhooks", ...args], { cwd, ...more, env: { ...bareEnvironment(), ...more.env } });
  /** Runs `verify --json` and returns its output and exit code. */
  const verify = async (args: readonly string[], more?: Parameters<typeof run>[1]) => {
    const result = await run(["verify", ...args, "--json"], more);
    expect(result.stdout, result.stderr).not.toBe("");
    return { code: result.code, ...JSON.parse(result.stdout) };
  };
  return { cwd, run, verify };
}

export const DELIVERY_ARGS = ["--body", "body.json", "--timestamp", TIMESTAMP, "--signature", SIGNATURE];
export const WITH_SECRET = ["--secret-file", "secret.txt"];
export const VALID = { code: 0, verdict: "valid", causes: [] };
