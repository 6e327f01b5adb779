import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { quoteShellWord } from "../../src/domain/shell.ts";
import { sign } from "../../src/signature.ts";
import { bareEnvironment, errorOf, fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { createTerminalContext } from "../support/terminal.ts";

const SECRET = "whsec_bWFkZS11cC1mb3ItdGVzdHMtb25seS0wMDAwMDAwMDE";
const TIMESTAMP = "1795132800";
const BODY = '{"id":"3f0c9a","type":"partner.test","data":{"note":"caf\u00e9","amount":1.0}}';
const SIGNATURE = sign({ secret: SECRET, timestamp: TIMESTAMP, body: BODY });
const HEADERS = `X-Service-Event: partner.test\r\nX-Service-Timestamp: ${TIMESTAMP}\r\nX-Service-Signature: ${SIGNATURE}\r\n`;

/** Creates a folder with a secret, a body and these files, by name. */
function setUp(files: Readonly<Record<string, string | Uint8Array>> = {}) {
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

const DELIVERY_ARGS = ["--body", "body.json", "--timestamp", TIMESTAMP, "--signature", SIGNATURE];
const WITH_SECRET = ["--secret-file", "secret.txt"];
const VALID = { code: 0, verdict: "valid", causes: [] };
const createMismatch = (...ids: string[]) => ({
  code: 7,
  verdict: "mismatch",
  causes: ids.map((id) => ({ id })),
});

const createHar = (...requests: object[]): string =>
  JSON.stringify({ log: { entries: requests.map((request) => ({ request })) } });
const harHeaders = [
  { name: "X-Service-Timestamp", value: TIMESTAMP },
  { name: "X-Service-Signature", value: SIGNATURE },
];
const harRequest = {
  method: "POST",
  url: "https://partner.example/hook",
  headers: harHeaders,
  postData: { text: BODY },
};
const record = { "x-service-timestamp": TIMESTAMP, "x-service-signature": SIGNATURE };
const chunked = `${Buffer.byteLength(BODY).toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
const WITH_BODY = ["--body", "body.json"];
const VERBOSE_CURL = `* Connected to partner.example port 443
> POST /hook HTTP/2
> Host: partner.example
> X-Service-Timestamp: ${TIMESTAMP}
> X-Service-Signature: ${SIGNATURE}
>
* upload completely sent off
< HTTP/2 401
< content-type: text/plain
`;
const toUtf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, "utf16le");
const createCurl = (data: string): string =>
  `$ curl -sS -X POST 'https://partner.example/hook' \\\n  -H 'X-Service-Timestamp: ${TIMESTAMP}' \\\n  -H"X-Service-Signature: ${SIGNATURE}" --compressed ${data}\n`;

/** An input format, the content of the file `in`, and the options that read it. */
const INPUT_FORMATS: readonly (readonly [string, string | Uint8Array, readonly string[]])[] = [
  ["body, timestamp and signature", BODY, ["--body", "in", ...DELIVERY_ARGS.slice(2)]],
  ["headers, one per line", HEADERS, ["--headers", "in", "--body", "body.json"]],
  [
    "headers with LF, upper case and a start line",
    `POST /hook HTTP/1.1\n${HEADERS.replaceAll("\r", "").toUpperCase().replace(SIGNATURE.toUpperCase(), SIGNATURE)}`,
    ["--headers", "in", "--body", "body.json"],
  ],
  ["headers as JSON", JSON.stringify(record), ["--headers", "in", "--body", "body.json"]],
  ["headers as names and values, as in a HAR", JSON.stringify(harHeaders), ["--headers", "in", ...WITH_BODY]],
  ["headers as pairs", JSON.stringify(Object.entries(record)), ["--headers", "in", ...WITH_BODY]],
  [
    "headers as Node's rawHeaders",
    JSON.stringify(["Host", "a.example", ...Object.entries(record).flat()]),
    ["--headers", "in", ...WITH_BODY],
  ],
  [
    "headers as Node prints an object",
    `${inspect({ host: "a.example", "user-agent": "it's a test", accept: "*/*", ...record })}\n`,
    ["--headers", "in", ...WITH_BODY],
  ],
  [
    "headers as Node prints a list",
    inspect(["Host", "a.example", ...Object.entries(record).flat()]),
    ["--headers", "in", ...WITH_BODY],
  ],
  [
    "headers as Python prints a dict",
    `{'Host': 'a.example', 'Sec-Ch-Ua': '"A";v="1"', 'X-Service-Timestamp': '${TIMESTAMP}', 'X-Service-Signature': '${SIGNATURE}'}\n`,
    ["--headers", "in", ...WITH_BODY],
  ],
  [
    "headers with the pseudo headers of HTTP/2",
    `:method: POST\n:path: /hook\n${HEADERS}`,
    ["--headers", "in", ...WITH_BODY],
  ],
  ["the headers that curl -v prints", VERBOSE_CURL, ["--headers", "in", ...WITH_BODY]],
  ["a raw request with CRLF", `POST /hook HTTP/1.1\r\n${HEADERS}\r\n${BODY}`, ["in"]],
  ["a raw request with LF", `POST /hook HTTP/1.1\n${HEADERS.replaceAll("\r", "")}\n${BODY}`, ["in"]],
  ["a raw request after empty lines", `\n\n${HEADERS.replaceAll("\r", "")}\n${BODY}`, ["in"]],
  [
    "a raw request with a start line after empty lines of CRLF",
    `\r\n\r\nPOST /hook HTTP/1.1\r\n${HEADERS}\r\n${BODY}`,
    ["in"],
  ],
  [
    "a raw request in chunks",
    `POST /hook HTTP/1.1\r\n${HEADERS}Transfer-Encoding: chunked\r\n\r\n${chunked}`,
    ["in"],
  ],
  ["a HAR of one entry", createHar(harRequest), ["in"]],
  [
    "a HAR whose other entries are not signed",
    createHar({ method: "GET", url: "/", headers: [] }, harRequest),
    ["in"],
  ],
  [
    "a HAR, by the number of the entry",
    createHar({ ...harRequest, postData: { text: "{}" } }, harRequest),
    ["in", "--entry", "2"],
  ],
  [
    "a HAR in base64",
    createHar({
      ...harRequest,
      postData: { text: Buffer.from(BODY).toString("base64"), encoding: "base64" },
    }),
    ["in"],
  ],
  ["curl with single quotes", createCurl(`--data-raw ${quoteShellWord(BODY)}`), ["in"]],
  ["curl with double quotes", createCurl(`-d "${BODY.replaceAll('"', '\\"')}"`), ["in"]],
  ["curl as browsers copy it", createCurl(`--data-raw $'${BODY.replace("\u00e9", "\\u00e9")}'`), ["in"]],
  ...["", "\\"].map((before): (typeof INPUT_FORMATS)[number] => [
    `curl.exe in PowerShell with ${before}\`" for each quote`,
    `curl.exe -X POST "https://partner.example/hook" \`\n  -H "X-Service-Timestamp: ${TIMESTAMP}" \`\n  -H "X-Service-Signature: ${SIGNATURE}" \`\n  --data-raw "${BODY.replaceAll('"', `${before}\`"`)}"\n`,
    ["in"],
  ]),
  [
    "curl in PowerShell in one line",
    `curl.exe "https://a.example" -H "X-Service-Timestamp: ${TIMESTAMP}" -H "X-Service-Signature: ${SIGNATURE}" -d "${BODY.replaceAll('"', '`"')}"`,
    ["in"],
  ],
  ["curl with a file", createCurl("--data-binary @body.json"), ["in"]],
  [
    "curl with --header=",
    createCurl(`--data-raw ${quoteShellWord(BODY)}`).replace("-H '", "--header='"),
    ["in"],
  ],
  [
    "curl with typographic quotes around its words",
    createCurl(`--data-raw '${BODY}'`)
      .replace(/'([^']*)'/g, "\u2018$1\u2019")
      .replace(/"(X-[^"]*)"/, "\u201c$1\u201d"),
    ["in"],
  ],
  ["curl with a heredoc", createCurl(`--data @- <<'EOF'\n${BODY}\nEOF`), ["in"]],
  ["curl with a here-string", createCurl(`--data @- <<< ${quoteShellWord(BODY)}`), ["in"]],
  [
    "an event of format 2.0",
    JSON.stringify({ version: "2.0", headers: record, body: BODY, isBase64Encoded: false }),
    ["in"],
  ],
  [
    "an event in base64",
    JSON.stringify({ headers: record, body: Buffer.from(BODY).toString("base64"), isBase64Encoded: true }),
    ["in"],
  ],
  [
    "an event of format 1.0",
    JSON.stringify({
      headers: {},
      multiValueHeaders: Object.fromEntries(Object.entries(record).map(([name, value]) => [name, [value]])),
      body: BODY,
    }),
    ["in"],
  ],
];

describe("webhooks verify", () => {
  it.each(INPUT_FORMATS)("reads %s", async (_, content, args) => {
    const { verify } = setUp({ in: content });
    expect(await verify([...args, ...WITH_SECRET])).toMatchObject(VALID);
  });

  it("takes the body of a gateway event as it is if the event says that it is not encoded", async () => {
    const body = Buffer.from(BODY).toString("base64");
    const { verify } = setUp({ in: JSON.stringify({ headers: record, body, isBase64Encoded: false }) });
    const { code, stdout } = await verify(["in", ...WITH_SECRET]);
    expect(code).toBe(7);
    expect(stdout).toContain("body.base64");
  });

  it("reads a request in UTF-16 that has its byte order mark", async () => {
    const { verify } = setUp({ in: toUtf16(`${HEADERS}\r\n${BODY}`) });
    expect(await verify(["in", ...WITH_SECRET])).toMatchObject(VALID);
  });

  it("reads a request from stdin", async () => {
    const { verify, run } = setUp();
    expect(await verify(["-", ...WITH_SECRET], { input: `${HEADERS}\r\n${BODY}` })).toMatchObject(VALID);
    const conflict = await run(
      ["verify", "--body", "-", ...DELIVERY_ARGS.slice(2), "--secret-stdin", "--json"],
      {
        input: "x",
      },
    );
    expect(errorOf(conflict)).toMatchObject({ code: "option_conflict", exitCode: 2 });
  });

  it.each<[string, string | Uint8Array, readonly string[], string]>([
    ["a missing delivery", "", [], "missing_option"],
    ["two input formats", "", [...DELIVERY_ARGS, "in"], "option_conflict"],
    ["a body without headers", "", ["--body", "body.json"], "invalid_input"],
    ["headers together with a request", "", ["in", "--headers", "in"], "invalid_input"],
    ["an empty request", "", ["in"], "invalid_input"],
    ["a request of empty lines", "\n\r\n", ["in"], "invalid_input"],
    [
      "a line that is not a header",
      "X-Service-Timestamp: 1\nnonsense\n",
      ["--headers", "in", "--body", "body.json"],
      "invalid_input",
    ],
    ["a list that is not one of headers", "[1]", ["--headers", "in", ...WITH_BODY], "invalid_input"],
    [
      "headers in UTF-16 without its mark",
      toUtf16(HEADERS).subarray(2),
      ["--headers", "in", ...WITH_BODY],
      "invalid_input",
    ],
    ["a curl line whose body is its stdin", createCurl("-d @-"), ["in"], "invalid_input"],
    ["a heredoc without its end", createCurl("-d @- <<EOF\n{}"), ["in"], "invalid_input"],
    ["a HAR without entries", createHar(), ["in"], "invalid_input"],
    ["a HAR without a log", "{}", ["in"], "invalid_input"],
    ["a HAR that is not JSON", "{", ["in"], "invalid_input"],
    [
      "a HAR with two possible requests",
      createHar(harRequest, { ...harRequest, postData: { text: "{}" } }),
      ["in"],
      "invalid_input",
    ],
    ["an unknown entry", createHar(harRequest), ["in", "--entry", "3"], "invalid_input"],
    ["a curl line with an open quote", "curl 'https://x", ["in"], "invalid_input"],
    ["a curl line that ends after an option", "curl https://x -H", ["in"], "invalid_input"],
    ["a command line other than curl", "wget https://x", ["in"], "invalid_input"],
    ["an event without headers", "{}", ["in"], "invalid_input"],
    [
      "an event whose body was parsed",
      JSON.stringify({ headers: record, body: {} }),
      ["in"],
      "invalid_input",
    ],
    ["an invalid case file", "{}", ["in"], "invalid_input"],
    ["a missing file", "", ["nowhere"], "cannot_read"],
    ["an invalid time", "", [...DELIVERY_ARGS, "--at", "yesterday"], "option_invalid"],
    ["a candidate without a kind", "", [...DELIVERY_ARGS, "--candidate", "old.txt"], "option_invalid"],
    [
      "a secretPrefix as long as a secret",
      "",
      [...DELIVERY_ARGS, "--secret-prefix", "whsec-".repeat(8)],
      "option_invalid",
    ],
  ])("refuses %s", async (_, content, args, code) => {
    const { run } = setUp({ in: content });
    const result = await run(["verify", ...args, ...WITH_SECRET, "--json"]);
    expect(result.stdout).toBe("");
    expect(errorOf(result)).toMatchObject({ code, exitCode: 2 });
  });
});

describe("webhooks verify says what is wrong with", () => {
  it.each<[string, Readonly<Record<string, string>>, readonly string[], object]>([
    [
      "a request without headers",
      { in: `POST /hook HTTP/1.1\n\n${BODY}` },
      ["in"],
      {
        message: "no header found before the empty line in in",
        hint: "save the whole request: headers, an empty line, the body",
      },
    ],
    ...[""].map((body): [string, Record<string, string>, string[], object] => [
      `the output of curl -v in place of a request, ${body === "" ? "without" : "with"} the body`,
      { in: VERBOSE_CURL.split("\n").slice(1, 6).join("\n") + body },
      ["in"],
      { message: expect.stringContaining("headers, and no body") },
    ]),
    [
      "headers that are printed incompletely",
      { in: "{ host: 'a.example', [Symbol(a)]: ... 2 more }" },
      ["--headers", "in", ...WITH_BODY],
      { message: "in is not JSON", hint: "log the headers with JSON.stringify(req.headers)" },
    ],
    [
      "headers and body that are swapped",
      { in: HEADERS },
      ["--headers", "body.json", "--body", "in"],
      {
        message: "body.json holds a JSON object, and none of its fields is a header",
        hint: "swap --headers and --body: the file of the body holds the headers",
      },
    ],
    [
      "a payload in place of headers",
      {},
      ["--headers", "body.json", "--body", "body.json"],
      {
        message: "body.json holds a JSON object, and none of its fields is a header",
        hint: "print the headers as an object, or as a list of names and values",
      },
    ],
  ])("%s", async (_, files, args, expected) => {
    const result = await setUp(files).run(["verify", ...args, ...WITH_SECRET, "--json"]);
    expect(errorOf(result)).toMatchObject({ exitCode: 2, ...expected });
  });
});

describe("webhooks verify takes as headers", () => {
  it.each([
    ["those of any request", { Host: "a.example" }],
    ["names with a hyphen", { "Content-Length": "2" }],
    ["variables of CGI", { HTTP_HOST: "a.example", HTTP_X_SIGNATURE: "1" }],
    ["lists of values", { Accept: ["*/*"] }],
    ["numbers", { timestamp: 1_795_132_800 }],
  ])("%s", async (_, headers) => {
    const { verify } = setUp({ in: JSON.stringify(headers) });
    expect(await verify(["--headers", "in", ...WITH_BODY, ...WITH_SECRET])).toMatchObject({
      code: 7,
      verdict: "missing_header",
    });
  });
});

describe("webhooks verify on a mismatch", () => {
  it("names a reserialized body as the cause, with the fix and how to read the raw body", async () => {
    const { run } = setUp({
      "body.json": `${JSON.stringify(JSON.parse(BODY), null, 2).replace('"amount": 1', '"amount": 1.0')}\n`,
    });
    const { code, stdout, stderr } = await run(["verify", ...DELIVERY_ARGS, ...WITH_SECRET]);
    expect(code).toBe(7);
    for (const args of [
      "causes.0\tid\tbody.reserialized\n",
      "causes.0\tcertainty\tproved\n",
      "the first difference is at offset 1",
      "express.raw",
      "request.get_data()",
      "isBase64Encoded",
    ])
      expect(stdout).toContain(args);
    expect(stderr).toContain("hint: your program changed the message before it checked it");
    expect(stdout + stderr).not.toContain(SECRET);
  });

  it.each<[string, Record<string, string | Uint8Array>, readonly string[], string]>([
    [
      "a body with a line feed at its end",
      { "body.json": `${BODY}\n` },
      DELIVERY_ARGS,
      "body.trailing_newline",
    ],
    [
      "a secret file that ends with a line feed",
      { "secret.txt": `${SECRET}\n` },
      DELIVERY_ARGS,
      "secret.whitespace",
    ],
    ["an empty secret file", { "secret.txt": "" }, DELIVERY_ARGS, "secret.empty"],
    ["an empty body", { "body.json": "" }, DELIVERY_ARGS, "body.empty"],
  ])("names %s as the cause", async (_, files, args, id) => {
    expect(await setUp(files).verify([...args, ...WITH_SECRET])).toMatchObject(createMismatch(id));
  });

  it("names missing, repeated, empty or malformed headers as the cause", async () => {
    const head = (signature: string) => `X-Service-Timestamp: ${TIMESTAMP}\r\n${signature}\r\n${BODY}`;
    const one = `X-Service-Signature: ${SIGNATURE}\r\n`;
    for (const [signature, verdict, id] of [
      ["", "missing_header", "signature.missing"],
      ["X-Service-Signature:\r\n", "missing_header", "signature.missing"],
      [one + one, "malformed", "signature.doubled"],
      [`X-Service-Signature: ${SIGNATURE.toUpperCase()}\r\n`, "malformed", "signature.encoding"],
    ]) {
      const { verify } = setUp({ in: head(signature ?? "") });
      expect(await verify(["in", ...WITH_SECRET])).toMatchObject({
        code: 7,
        verdict,
        causes: [{ id }],
      });
    }
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

  it("reports that no known cause fits", async () => {
    const { cwd } = setUp({ "body.json": BODY.replace("3f0c9a", "3f0c9b") });
    const { run, stdout } = createTerminalContext({ cwd });
    expect(await run("webhooks", "verify", ...DELIVERY_ARGS, ...WITH_SECRET)).toBe(7);
    expect(stdout.text.replace(/\s+/g, " ")).toMatch(/no known cause fits \([\d,]+ variations tried\)/);
  });

  it.each([
    ["1,000 nested lists", "[".repeat(1_000) + "]".repeat(1_000)],
    ["10,000 nested lists", "[".repeat(10_000) + "]".repeat(10_000)],
    ["20,000 keys", JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [at, at])))],
  ])("reports after how many variations it stopped: %s", { tags: "large" }, async (_, body) => {
    const { run, verify } = setUp({ "body.json": body });
    const { code, stdout, stderr } = await run(["verify", ...DELIVERY_ARGS, ...WITH_SECRET]);
    expect(code, stderr).toBe(7);
    expect(stdout).toMatch(/^verdict\tcomplete\tfalse$/m);
    expect(await verify([...DELIVERY_ARGS, ...WITH_SECRET])).toMatchObject({
      ...createMismatch(),
      complete: false,
    });
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

describe("webhooks verify --tolerance", () => {
  it("exits 7 if the delivery is older", async () => {
    const { verify } = setUp();
    const at = ["--at", "2026-11-20T00:10:00Z"];
    expect(await verify([...DELIVERY_ARGS, ...WITH_SECRET, ...at])).toMatchObject({
      ...VALID,
      ageSeconds: 600,
    });
    expect(await verify([...DELIVERY_ARGS, ...WITH_SECRET, ...at, "--tolerance", "10m"])).toMatchObject(
      VALID,
    );
    const stale = await verify([...DELIVERY_ARGS, ...WITH_SECRET, ...at, "--tolerance", "5m"]);
    expect(stale).toMatchObject({ code: 7, verdict: "stale", causes: [] });
  });
});

describe("webhooks verify --show-expected", () => {
  it("prints the expected signature", async () => {
    const { verify } = setUp({ "body.json": "{}" });
    const expected = sign({ secret: SECRET, timestamp: TIMESTAMP, body: "{}" });
    expect(JSON.stringify(await verify([...DELIVERY_ARGS, ...WITH_SECRET]))).not.toContain(expected);
    const result = await verify([...DELIVERY_ARGS, ...WITH_SECRET, "--show-expected"]);
    expect(result.expected).toMatchObject([{ signature: expected }]);
  });
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
    expect(await verify(["case.json"])).toMatchObject({ code: 7, verdict: null, case: finding });
    const { run, stdout } = createTerminalContext({ cwd });
    await run("webhooks", "verify", "case.json", "--secret-file", "other.txt");
    expect(stdout.text).toMatch(/same secret[^\n]* no/);
    expect(stdout.text).toMatch(/its causes\S* +\S.* \(body\.trailing_newline\)/);
  });

  it("writes no file if the delivery contains the secret", async () => {
    const { cwd, run } = setUp({ "body.json": `{"secret":"${SECRET}"}` });
    const result = await run([
      "verify",
      ...DELIVERY_ARGS,
      ...WITH_SECRET,
      "--case-file",
      "case.json",
      "--json",
    ]);
    expect(errorOf(result)).toMatchObject({ code: "invalid_input", exitCode: 2 });
    expect(readdirSync(cwd)).not.toContain("case.json");
  });
});

describe("the secret of webhooks verify", () => {
  it("is read from files, stdin or the environment, and is required", async () => {
    const { verify, run, cwd } = setUp();
    expect(await verify([...DELIVERY_ARGS, "--secret-stdin"], { input: SECRET })).toMatchObject(VALID);
    expect(await verify(DELIVERY_ARGS, { env: { CLAIMS_WEBHOOK_SECRET: SECRET } })).toMatchObject(VALID);
    const file = { CLAIMS_WEBHOOK_SECRET_FILE: join(cwd, "secret.txt") };
    expect(await verify(DELIVERY_ARGS, { env: file })).toMatchObject(VALID);
    const none = await run(["verify", ...DELIVERY_ARGS, "--json"]);
    expect(errorOf(none)).toMatchObject({ code: "no_secret", exitCode: 4 });
    const missing = await run(["verify", ...DELIVERY_ARGS, "--secret-file", "nowhere.txt", "--json"]);
    expect(errorOf(missing)).toMatchObject({ code: "secret_unreadable", exitCode: 4 });
  });

  it("is read from the file of --dotenv before the environment", async () => {
    const { verify, run } = setUp({ ".env": `CLAIMS_WEBHOOK_SECRET=${SECRET}\n` });
    const env = { CLAIMS_WEBHOOK_SECRET: "whsec_of_the_environment" };
    expect(await verify([...DELIVERY_ARGS, "--dotenv", ".env"], { env })).toMatchObject(VALID);
    for (const path of ["missing.env", "."]) {
      const result = await run(["verify", ...DELIVERY_ARGS, ...WITH_SECRET, "--dotenv", path, "--json"]);
      expect(errorOf(result)).toMatchObject({ code: "cannot_read", exitCode: 2 });
    }
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
    const { run } = setUp({ "newline.txt": `${SECRET}\n`, "plain.txt": "hello" });
    const args = [
      "sign",
      "--body",
      "body.json",
      "--timestamp",
      TIMESTAMP,
      "--event",
      "claim.updated",
      "--json",
    ];
    const { headers } = JSON.parse((await run([...args, ...WITH_SECRET])).stdout);
    expect(headers).toEqual({
      "X-Service-Event": "claim.updated",
      "X-Service-Timestamp": TIMESTAMP,
      "X-Service-Signature": SIGNATURE,
    });
    for (const [more, code, exitCode] of [
      [["--secret-file", "newline.txt"], "invalid_secret", 4],
      [[...WITH_SECRET, ...WITH_SECRET], "option_conflict", 2],
      [[], "no_secret", 4],
    ] as const)
      expect(errorOf(await run([...args, ...more]))).toMatchObject({ code, exitCode });
    const withoutEvent = await run(["sign", "--body", "plain.txt", ...WITH_SECRET, "--json"]);
    expect(errorOf(withoutEvent)).toMatchObject({ code: "missing_option", exitCode: 2 });
  });
});

describe("webhooks lab", () => {
  it("writes one page that needs no other file, and the same to stdout", async () => {
    const { cwd, run } = setUp();
    expect(await run(["lab", "--out", "lab.html"])).toMatchObject({ code: 0, stdout: "", stderr: "" });
    const html = readFileSync(join(cwd, "lab.html"), "utf8");
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(html).not.toMatch(/ (?:src|href)="/);
    expect(html.length).toBeLessThanOrEqual(190_000);
    expect((await run(["lab"])).stdout).toBe(html);
  });
});

describe("webhooks vectors", () => {
  it("prints the fixtures byte for byte", async () => {
    const { stdout } = await setUp().run(["vectors"]);
    expect(stdout).toBe(readFileSync(fixture("signatures/vectors.json"), "utf8"));
  });
});
