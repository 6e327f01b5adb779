import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bareEnvironment, errorOf, runCli, temporaryFolder } from "../support/cli.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

/** Not in the form that no command line of this suite may contain. */
const TEXT = "for-tests-only-0000";

describe("a secret in place of the file that holds it", () => {
  const VERIFY = ["webhooks", "verify", "--body", "b.json", "--headers", "h.txt"];
  const LOGIN = ["auth", "login", "--base-url", "https://x.example"];

  it.each([
    ["--secret-file", "whsec_", [...VERIFY, "--secret-file"]],
    ["--secret-file", "whsec_", ["webhooks", "fingerprint", "--secret-file"]],
    ["--secret-file", "folder/whsec_", ["webhooks", "fingerprint", "--secret-file"]],
    ["--secret-file", "whsec_/", ["webhooks", "fingerprint", "--secret-file"]],
    ["--secret-file", "whsec_", ["webhooks", "create", "https://hooks.example.com/claims", "--secret-file"]],
    ["--candidate", "older=whsec_", [...VERIFY, "--candidate"]],
    ["--key-file", "sk_", [...LOGIN, "--key-file"]],
    ["--key-file", "at_", [...LOGIN, "--key-file"]],
    ["--secret-file", "cs_", [...LOGIN, "--client-id", "a", "--secret-file"]],
    ["--webhook-secret-file", "whsec_", ["profiles", "set", "x", "--webhook-secret-file"]],
  ])("is refused without showing it: %s %s", async (option, prefix, args) => {
    const cwd = temporaryFolder();
    const { env, requests } = await startScriptedService((_, response) => sendJson(response, 201, {}));
    const result = await runCli([...args, `${prefix}${TEXT}`, "--json"], { cwd, env });
    expect(errorOf(result)).toMatchObject({
      code: "secret_as_file_name",
      message: `${option} looks like a secret, not like the path of a file`,
      hint: "give the path of a file; a name with a dot, as secret.txt, is always a path",
      exitCode: 2,
    });
    expect(result.stderr).not.toContain(TEXT);
    expect(readdirSync(cwd)).toEqual([]);
    expect(requests).toEqual([]);
  });

  it.each([
    ["CLAIMS_API_KEY_FILE", "sk_", ["clients", "list"]],
    ["CLAIMS_WEBHOOK_SECRET_FILE", "whsec_", ["webhooks", "fingerprint"]],
  ])("is refused without showing it: %s", async (variable, prefix, args) => {
    const { url, requests } = await startScriptedService((_, response) => sendJson(response, 200, {}));
    const cwd = temporaryFolder();
    // A file of such a name is refused, too.
    writeFileSync(join(cwd, `${prefix}${TEXT}`), "content", { mode: 0o600 });
    const env = { ...bareEnvironment(), CLAIMS_BASE_URL: url, [variable]: `${prefix}${TEXT}` };
    const result = await runCli([...args, "--json"], { cwd, env });
    expect(errorOf(result)).toMatchObject({
      code: "secret_as_file_name",
      message: `${variable} looks like a secret, not like the path of a file`,
      exitCode: 2,
    });
    expect(result.stderr).not.toContain(TEXT);
    expect(requests).toEqual([]);
  });
});

describe("quotes around an API key", () => {
  it.each(['"', "'"])("are refused before a request: %s", async (quote) => {
    const { url, requests } = await startScriptedService((_, response) => sendJson(response, 200, {}));
    const key = `${quote}sk_${TEXT}${quote}`;
    const file = join(temporaryFolder(), "key");
    writeFileSync(file, `${key}\n`, { mode: 0o600 });
    const env = { ...bareEnvironment(), CLAIMS_BASE_URL: url };
    for (const [name, args, variables] of [
      ["CLAIMS_API_KEY", ["clients", "list"], { CLAIMS_API_KEY: key }],
      ["CLAIMS_API_KEY_FILE", ["clients", "list"], { CLAIMS_API_KEY_FILE: file }],
      ["--key-file", ["auth", "login", "--base-url", url, "--key-file", file], {}],
    ] as const) {
      const result = await runCli([...args, "--json"], { env: { ...env, ...variables } });
      expect(errorOf(result)).toMatchObject({
        code: "invalid_secret",
        message: `${name} has quotes around it`,
        hint: expect.stringContaining("quotes around it"),
        exitCode: 4,
      });
      expect(result.stderr).not.toContain(TEXT);
    }
    expect(requests).toEqual([]);
  });
});
