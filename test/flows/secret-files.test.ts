import { execFile, execFileSync } from "node:child_process";
import { createWriteStream, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  BIN,
  bareEnvironment,
  errorOf,
  fixture,
  runCli,
  temporaryFile,
  temporaryFolder,
} from "../support/cli.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

/** Not in the form that no command line of this suite may contain. */
const TEXT = "for-tests-only-0000";
const SIGN = ["webhooks", "sign", "--body", fixture("sample_entries.csv"), "--event", "partner.test"];

it.each(["webhooks verify", "webhooks verify x --framework", "auth status --profile", "history", ""])(
  "a secret in another place than that of a secret is not shown: claims %s",
  async (line) => {
    const secret = `whsec_${TEXT}`;
    const { code, stderr } = await runCli([...line.split(" ").filter(Boolean), secret]);
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining("error: ")]);
    expect(stderr).not.toContain(secret);
  },
);

describe("a secret in place of the file that holds it", () => {
  const VERIFY = ["webhooks", "verify", "--body", "b.json", "--headers", "h.txt"];
  const LOGIN = ["auth", "login", "--base-url", "https://x.example"];

  it.each([
    ["--secret-file", "whsec_", [...VERIFY, "--secret-file"]],
    ["--secret-file", "folder/whsec_", [...SIGN, "--secret-file"]],
    ["--secret-file", "whsec_", ["webhooks", "create", "https://hooks.example.com/claims", "--secret-file"]],
    ["--candidate", "older=whsec_", [...VERIFY, "--candidate"]],
    ["--key-file", "sk_", [...LOGIN, "--key-file"]],
    ["--webhook-secret-file", "whsec_", ["profiles", "set", "x", "--webhook-secret-file"]],
  ])("is refused without showing it: %s %s", async (option, prefix, args) => {
    const cwd = temporaryFolder();
    const { env, requests } = await startScriptedService((_, response) => sendJson(response, 201, {}));
    const result = await runCli([...args, `${prefix}${TEXT}`, "--json"], { cwd, env });
    expect(errorOf(result)).toMatchObject({
      code: "option_invalid",
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
    ["CLAIMS_WEBHOOK_SECRET_FILE", "whsec_", SIGN],
  ])("is refused without showing it: %s", async (variable, prefix, args) => {
    const { url, requests } = await startScriptedService((_, response) => sendJson(response, 200, {}));
    const cwd = temporaryFolder();
    // A file of such a name is refused, too.
    writeFileSync(join(cwd, `${prefix}${TEXT}`), "content", { mode: 0o600 });
    const env = { ...bareEnvironment(), CLAIMS_BASE_URL: url, [variable]: `${prefix}${TEXT}` };
    const result = await runCli([...args, "--json"], { cwd, env });
    expect(errorOf(result)).toMatchObject({
      code: "option_invalid",
      message: `${variable} looks like a secret, not like the path of a file`,
      exitCode: 2,
    });
    expect(result.stderr).not.toContain(TEXT);
    expect(requests).toEqual([]);
  });
});

it.each([
  ["CLAIMS_API_KEY_FILE", ["clients", "list"]],
  ["CLAIMS_CLIENT_SECRET_FILE", ["auth", "status"]],
])("a relative path in a --dotenv file is relative to that file: %s", async (variable, args) => {
  const { url, requests } = await startScriptedService((_, response) =>
    sendJson(response, 200, { data: [] }),
  );
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "inner"));
  writeFileSync(
    join(cwd, "inner", "x.env"),
    `CLAIMS_BASE_URL=${url}\nCLAIMS_CLIENT_ID=a\n${variable}=keys/key.txt\n`,
    { mode: 0o600 },
  );
  const run = () => runCli([...args, "--dotenv", "inner/x.env", "--json"], { cwd, env: bareEnvironment() });
  const missing = await run();
  expect(missing.code).toBe(4);
  expect(errorOf(missing).message).toBe(
    `${variable}: cannot read ${join(cwd, "inner", "keys", "key.txt")}: it does not exist`,
  );
  mkdirSync(join(cwd, "inner", "keys"));
  writeFileSync(join(cwd, "inner", "keys", "key.txt"), "the-key-of-the-file", { mode: 0o600 });
  expect(await run()).toMatchObject({ code: 0 });
  if (variable === "CLAIMS_API_KEY_FILE")
    expect(requests.at(-1)?.headers.authorization).toBe("Bearer the-key-of-the-file");
});

it("is a key that PowerShell wrote in UTF-16: the error says what to do", async () => {
  const [cwd, env] = [temporaryFolder(), bareEnvironment()];
  writeFileSync(join(cwd, "key.txt"), `\ufeff${TEXT}\r\n`, { encoding: "utf16le", mode: 0o600 });
  const login = ["auth", "login", "--base-url", "http://127.0.0.1:9", "--key-file", "key.txt", "--json"];
  expect(errorOf(await runCli(login, { cwd, env })).hint).toContain("PowerShell's > writes UTF-16");
});

describe("a file that is small by its nature", () => {
  /** Options that read such a file, and the exit code for one that cannot be read. */
  const READERS: readonly (readonly [option: string, args: readonly string[], exitCode: number])[] = [
    ["--dotenv", ["clients", "list", "--dotenv"], 2],
    ["--secret-file", [...SIGN, "--secret-file"], 4],
    ["--key-file", ["auth", "login", "--base-url", "http://127.0.0.1:9", "--key-file"], 4],
    ["--webhook-secret-file", ["profiles", "set", "x", "--webhook-secret-file"], 4],
    ["--ca-file", ["profiles", "set", "x", "--base-url", "http://127.0.0.1:9", "--ca-file"], 2],
    ["--mapping", ["profiles", "set", "x", "--base-url", "http://127.0.0.1:9", "--mapping"], 2],
  ];

  it.each(READERS)("is refused if it is a device, a socket, or too large: %s", async (_, args, exitCode) => {
    const folder = temporaryFolder();
    const large = join(folder, "large");
    writeFileSync(large, Buffer.alloc((1 << 20) + 1, "x\n"), { mode: 0o600 });
    const fifo = join(folder, "fifo");
    execFileSync("mkfifo", [fifo]);
    const socket = createServer();
    onTestFinished(() => void socket.close());
    await new Promise<void>((resolve) => socket.listen(join(folder, "socket"), resolve));
    const writer = createWriteStream(fifo).on("error", () => {});
    writer.end(Buffer.alloc((1 << 20) + 1, "x\n"));
    for (const [path, problem] of [
      ["/dev/zero", "is a device, not a file"],
      [large, "is larger than 1 MiB"],
      [fifo, "is larger than 1 MiB"],
      [join(folder, "socket"), "is a socket"],
    ] as const) {
      const result = await runCli([...args, path, "--json"], { env: bareEnvironment() });
      expect([result.code, result.stdout], path).toEqual([exitCode, ""]);
      expect(errorOf(result).message).toContain(problem);
    }
  });

  it("may come from a pipe, and /dev/null is an empty one", { tags: "large" }, async () => {
    const { url } = await startScriptedService((_, response) => sendJson(response, 200, { data: [] }));
    const env = { ...bareEnvironment(), CLAIMS_API_KEY: "sk_0123456789" };
    const list = 'node "$0" clients list --json';
    const run = (line: string) =>
      new Promise((resolve) =>
        execFile("bash", ["-c", line, BIN], { env }, (error, _, stderr) =>
          resolve([error?.code ?? 0, stderr]),
        ),
      );
    const key = `printf %s key-in-a-pipe`;
    for (const line of [
      `${list} --dotenv <(echo CLAIMS_BASE_URL=${url})`,
      `echo CLAIMS_BASE_URL=${url} | ${list} --dotenv /dev/stdin`,
      `${list} --dotenv /dev/fd/9 9<<< CLAIMS_BASE_URL=${url}`,
      `CLAIMS_BASE_URL=${url} CLAIMS_API_KEY= CLAIMS_API_KEY_FILE=<(${key}) ${list}`,
    ]) {
      const [code, stderr] = (await run(line)) as [number, string];
      // A pipe of bash has mode 0600 or 0644.
      expect([code, stderr.replace(/^.*"other users can read .*\n/, "")], line).toEqual([0, ""]);
    }
    const empty = await runCli(["clients", "list", "--dotenv", "/dev/null", "--json"], { env });
    expect(errorOf(empty).message).toContain("sets no CLAIMS_ variable");
  });

  it("is refused on stdin if it does not end", async () => {
    const input = Buffer.alloc(3 << 20, "x");
    for (const args of [
      [...SIGN, "--secret-file", "-"],
      ["auth", "login", "--base-url", "http://127.0.0.1:9", "--key-file", "-"],
      ["profiles", "set", "x", "--webhook-secret-file", "-"],
    ])
      expect(errorOf(await runCli([...args, "--json"], { input }))).toMatchObject({
        code: "input_too_large",
        message: "stdin is larger than 1 MiB",
      });
  });
});

it.each(['"', "'"])("quotes around an API key are refused before a request: %s", async (quote) => {
  const { url, requests } = await startScriptedService((_, response) => sendJson(response, 200, {}));
  const key = `${quote}sk_${TEXT}${quote}`;
  const file = temporaryFile("key", `${key}\n`, 0o600);
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

describe("a signing secret that is not one word", () => {
  const READERS: readonly (readonly string[])[] = [
    [...SIGN, "--secret-file"],
    ["webhooks", "send", "--to", "http://127.0.0.1:9/", "--secret-file"],
    ["webhooks", "listen", "--port", "0", "--secret-file"],
  ];

  it.each([
    ["in quotes", `"${TEXT}"`, "has quotes around it"],
    ["without a secret", "", "is empty"],
    ["of two lines", `${TEXT}\n${TEXT}`, "is not a single word of visible ASCII characters"],
    ["with NUL bytes", [...TEXT].join("\0"), "is not a single word of visible ASCII characters"],
  ])("is refused by every command that signs or verifies with it: %s", async (_, content, problem) => {
    const file = temporaryFile("whsec.txt", content, 0o600);
    for (const args of READERS) {
      const result = await runCli([...args, file, "--json"], { env: bareEnvironment() });
      expect(errorOf(result)).toMatchObject({ code: "invalid_secret", exitCode: 4 });
      expect(errorOf(result).message).toBe(`${file} ${problem}`);
      expect(result.stderr).not.toContain(TEXT);
    }
  });
});
