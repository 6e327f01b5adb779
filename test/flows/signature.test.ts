import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sign } from "../../src/signature.ts";
import { errorOf, fixture } from "../support/cli.ts";
import {
  BODY,
  DELIVERY_ARGS,
  HEADERS,
  SECRET,
  SIGNATURE,
  setUpVerify as setUp,
  TIMESTAMP,
  VALID,
  WITH_SECRET,
} from "../support/signed-delivery.ts";
import { createTerminalContext } from "../support/terminal.ts";

const createMismatch = (...ids: string[]) => ({
  code: 7,
  verdict: "mismatch",
  causes: ids.map((id) => ({ id })),
});

describe("webhooks verify on a mismatch", () => {
  it("names a reserialized body as the cause, with the fix and how to read the raw body", async () => {
    const { cwd, run } = setUp({
      "body.json": `${JSON.stringify(JSON.parse(BODY), null, 2).replace('"amount": 1', '"amount": 1.0')}\n`,
    });
    const { code, stdout, stderr } = await run(["verify", ...DELIVERY_ARGS, ...WITH_SECRET]);
    expect(code).toBe(7);
    for (const field of ["id\tbody.reserialized", "certainty\tproved", "actor\treceiver"])
      expect(stdout).toContain(`causes.0\t${field}\n`);
    expect(stdout).toContain("causes.0\tfix\tyour program, or what hands it the message, changed it");
    expect(stderr).toContain("hint: -v shows the bytes");
    expect(stdout + stderr).not.toContain(SECRET);
    const terminal = createTerminalContext({ cwd });
    await terminal.run("webhooks", "verify", ...DELIVERY_ARGS, ...WITH_SECRET, "-v");
    for (const part of ["the first difference is at offset 1", "express.raw", "request.get_data()"])
      expect(terminal.stdout.text).toContain(part);
  });

  it.each([
    ["two line feeds at its end", `${SECRET}\n\n`, "secret.whitespace"],
    ["nothing in it", "", "secret.empty"],
  ])("names a secret file with %s as the cause", async (_, secret, id) => {
    expect(await setUp({ "secret.txt": secret }).verify([...DELIVERY_ARGS, ...WITH_SECRET])).toMatchObject(
      createMismatch(id),
    );
  });

  it("tries several secrets, candidates and the credentials of the environment", async () => {
    const { verify } = setUp({ "other.txt": "whsec_other-one" });
    expect(await verify([...DELIVERY_ARGS, "--secret-file", "other.txt", ...WITH_SECRET])).toMatchObject(
      VALID,
    );
    const withCandidate = [...DELIVERY_ARGS, "--secret-file", "other.txt", "--candidate", "older=secret.txt"];
    expect(await verify(withCandidate)).toMatchObject(createMismatch("secret.older"));
    const key = await verify([...DELIVERY_ARGS, "--secret-file", "other.txt"], {
      env: { CLAIMS_API_KEY: SECRET },
    });
    expect(key).toMatchObject(createMismatch("secret.wrong_credential"));
    const prefix = await verify([
      ...DELIVERY_ARGS,
      "--secret-file",
      "other.txt",
      "--secret-prefix",
      SECRET.slice(0, 12),
    ]);
    expect(prefix).toMatchObject(createMismatch("secret.other_endpoint"));
  });

  it("takes the line end of a secret file for the file's, and says so", async () => {
    const { run } = setUp({ "secret.txt": `${SECRET}\n` });
    const { code, stderr } = await run(["verify", ...DELIVERY_ARGS, ...WITH_SECRET]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("ends with a line end") });
  });

  it("reports that no known cause fits", async () => {
    const { cwd } = setUp({ "body.json": BODY.replace("3f0c9a", "3f0c9b") });
    const { run, stdout } = createTerminalContext({ cwd });
    expect(await run("webhooks", "verify", ...DELIVERY_ARGS, ...WITH_SECRET)).toBe(7);
    expect(stdout.text.replace(/\s+/g, " ")).toMatch(/no known cause fits \([\d,]+ variations tried\)/);
  });

  it("names the cause for binary bodies and bodies of 10 MB", { tags: "large" }, async () => {
    for (const bytes of [Buffer.from([0, 0xff, 0xfe, 0x80, 0]), Buffer.alloc(10_000_000, "x")]) {
      const signature = sign({ secret: SECRET, timestamp: TIMESTAMP, body: bytes });
      const { verify } = setUp({ in: bytes, longer: Buffer.concat([bytes, Buffer.from("\n")]) });
      const args = [...DELIVERY_ARGS.slice(2, 4), "--signature", signature, ...WITH_SECRET];
      expect(await verify(["--body", "in", ...args])).toMatchObject(VALID);
      expect(await verify(["--body", "longer", ...args])).toMatchObject(
        createMismatch("body.trailing_newline"),
      );
    }
  });
});

it("webhooks verify --tolerance exits 7 if the delivery is older", async () => {
  const { verify } = setUp();
  const at = ["--at", "2026-11-20T00:10:00Z"];
  expect(await verify([...DELIVERY_ARGS, ...WITH_SECRET, ...at])).toMatchObject({
    ...VALID,
    ageSeconds: 600,
  });
  expect(await verify([...DELIVERY_ARGS, ...WITH_SECRET, ...at, "--tolerance", "10m"])).toMatchObject(VALID);
  const stale = await verify([...DELIVERY_ARGS, ...WITH_SECRET, ...at, "--tolerance", "5m"]);
  expect(stale).toMatchObject({ code: 7, verdict: "stale", causes: [] });
});

it("webhooks verify --show-expected prints the expected signature", async () => {
  const { verify } = setUp({ "body.json": "{}" });
  const expected = sign({ secret: SECRET, timestamp: TIMESTAMP, body: "{}" });
  expect(JSON.stringify(await verify([...DELIVERY_ARGS, ...WITH_SECRET]))).not.toContain(expected);
  const result = await verify([...DELIVERY_ARGS, ...WITH_SECRET, "--show-expected"]);
  expect(result.expected).toMatchObject([{ signature: expected }]);
});

describe("webhooks verify --case-file", () => {
  it("writes the delivery and fingerprints, without secrets, to a file that --case reads", async () => {
    const request = `POST /hook HTTP/1.1\r\nAuthorization: Basic cGFydG5lcjpwYXNz\r\n${HEADERS}\r\n${BODY}\n`;
    const { cwd, verify } = setUp({ in: request, "other.txt": "whsec_other-one" });
    const args = ["in", "--secret-file", "secret.txt", "--case-file", "case.json"];
    expect(await verify(args)).toMatchObject(createMismatch("body.trailing_newline"));
    const text = readFileSync(join(cwd, "case.json"), "utf8");
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain("Authorization");
    if (process.platform !== "win32") expect(statSync(join(cwd, "case.json")).mode & 0o777).toBe(0o600);

    const finding = { verdict: "mismatch", causes: ["body.trailing_newline"] };
    const repeated = await verify(["case.json", ...WITH_SECRET]);
    expect(repeated).toMatchObject({ ...createMismatch("body.trailing_newline"), case: finding });
    const { run, stdout } = createTerminalContext({ cwd });
    await run("webhooks", "verify", "case.json", "--secret-file", "other.txt");
    expect(stdout.text).toMatch(/same secret[^\n]* no/);
    expect(stdout.text).toMatch(/its causes\S* +\S.* \(body\.trailing_newline\)/);
  });

  it("writes no file if the delivery contains the secret", async () => {
    const { cwd, run } = setUp({ "body.json": `{"secret":"${SECRET}"}` });
    const verify = ["verify", ...DELIVERY_ARGS, ...WITH_SECRET];
    const result = await run([...verify, "--case-file", "case.json", "--json"]);
    expect(errorOf(result)).toMatchObject({ code: "invalid_input", exitCode: 2 });
    expect(readdirSync(cwd)).not.toContain("case.json");
  });
});

describe("the secret of webhooks verify", () => {
  it("is read from files, stdin or the environment, and is required", async () => {
    const { verify, run, cwd } = setUp();
    expect(await verify([...DELIVERY_ARGS, "--secret-file", "-"], { input: SECRET })).toMatchObject(VALID);
    expect(await verify(DELIVERY_ARGS, { env: { CLAIMS_WEBHOOK_SECRET: SECRET } })).toMatchObject(VALID);
    const file = { CLAIMS_WEBHOOK_SECRET_FILE: join(cwd, "secret.txt") };
    expect(await verify(DELIVERY_ARGS, { env: file })).toMatchObject(VALID);
    const none = await run(["verify", ...DELIVERY_ARGS, "--json"]);
    expect(errorOf(none)).toMatchObject({ code: "no_secret", exitCode: 4 });
    const id = "4b1f5f3c-8a55-4c6f-9a37-4f6f0a4e6c11";
    expect(errorOf(await run(["verify", id, "--json"])).hint).toContain(`give --delivery ${id}`);
    const missing = await run(["verify", ...DELIVERY_ARGS, "--secret-file", "nowhere.txt", "--json"]);
    expect(errorOf(missing)).toMatchObject({ code: "secret_unreadable", exitCode: 4 });
  });

  it("is read from the file of --dotenv before the environment", async () => {
    const { verify } = setUp({ ".env": `CLAIMS_WEBHOOK_SECRET=${SECRET}\n` });
    const env = { CLAIMS_WEBHOOK_SECRET: "whsec_of_the_environment" };
    expect(await verify([...DELIVERY_ARGS, "--dotenv", ".env"], { env })).toMatchObject(VALID);
  });

  it("is refused if it is not UTF-8", async () => {
    const { run } = setUp({ "secret.txt": Buffer.from(`\ufeff${SECRET}`, "utf16le") });
    const result = await run(["verify", ...DELIVERY_ARGS, ...WITH_SECRET, "--json"]);
    expect(errorOf(result)).toMatchObject({ code: "invalid_secret", exitCode: 4 });
  });
});

describe("webhooks sign", () => {
  it("prints headers that webhooks verify accepts", async () => {
    const { cwd, run, verify } = setUp();
    const { stdout } = await run(["sign", "--body", "body.json", ...WITH_SECRET]);
    expect(stdout).toMatch(
      /^X-Service-Event: partner.test\nX-Service-Timestamp: \d{10}\nX-Service-Signature: [0-9a-f]{64}\n$/,
    );
    writeFileSync(join(cwd, "headers.txt"), stdout);
    expect(await verify(["--body", "body.json", "--headers", "headers.txt", ...WITH_SECRET])).toMatchObject({
      ...VALID,
      event: "partner.test",
    });
  });

  it("uses the given timestamp and event, and refuses several or malformed secrets", async () => {
    const { run } = setUp({ "newline.txt": `${SECRET}\n`, "spaced.txt": ` ${SECRET}`, "plain.txt": "hello" });
    const body = ["sign", "--body", "body.json", "--timestamp", TIMESTAMP];
    const args = [...body, "--event", "claim.updated", "--json"];
    const { headers } = JSON.parse((await run([...args, ...WITH_SECRET])).stdout);
    expect(headers).toEqual({
      "X-Service-Event": "claim.updated",
      "X-Service-Timestamp": TIMESTAMP,
      "X-Service-Signature": SIGNATURE,
    });
    const lined = await run([...args, "--secret-file", "newline.txt"]);
    expect(JSON.parse(lined.stdout).headers).toEqual(headers);
    expect(lined.stderr).toContain("newline.txt ends with a line end");
    for (const [more, code, exitCode] of [
      [["--secret-file", "spaced.txt"], "invalid_secret", 4],
      [[...WITH_SECRET, ...WITH_SECRET], "option_conflict", 2],
      [[], "no_secret", 4],
    ] as const)
      expect(errorOf(await run([...args, ...more]))).toMatchObject({ code, exitCode });
    const withoutEvent = await run(["sign", "--body", "plain.txt", ...WITH_SECRET, "--json"]);
    expect(errorOf(withoutEvent)).toMatchObject({ code: "missing_option", exitCode: 2 });
  });
});

it("webhooks vectors prints the fixtures byte for byte", async () => {
  const { stdout } = await setUp().run(["vectors"]);
  expect(stdout).toBe(readFileSync(fixture("signatures/vectors.json"), "utf8"));
});
