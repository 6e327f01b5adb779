import { createHash } from "node:crypto";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { quoteShellWord } from "../../src/domain/shell.ts";
import { errorOf } from "../support/cli.ts";
import {
  BODY,
  DELIVERY_ARGS,
  HEADERS,
  SIGNATURE,
  setUpVerify as setUp,
  TIMESTAMP,
  VALID,
  WITH_SECRET,
} from "../support/signed-delivery.ts";

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
const encoded = Buffer.from(BODY).toString("base64");
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

/** Texts that hold the headers. */
const HEADER_FORMATS: Readonly<Record<string, string>> = {
  "headers, one per line": HEADERS,
  "headers as JSON": JSON.stringify(record),
  "headers as Node's rawHeaders": JSON.stringify(["Host", "a.example", ...Object.entries(record).flat()]),
  "headers as Node prints an object": `${inspect({ host: "a.example", "user-agent": "it's a test", accept: "*/*", ...record })}\n`,
  "headers as Python prints a dict": `{'Host': 'a.example', 'Sec-Ch-Ua': '"A";v="1"', 'X-Service-Timestamp': '${TIMESTAMP}', 'X-Service-Signature': '${SIGNATURE}'}\n`,
  "the headers that curl -v prints": VERBOSE_CURL,
};

/** Texts that hold the headers and the body. */
const REQUEST_FORMATS: Readonly<Record<string, string>> = {
  "a raw request with CRLF": `POST /hook HTTP/1.1\r\n${HEADERS}\r\n${BODY}`,
  "a raw request in chunks": `POST /hook HTTP/1.1\r\n${HEADERS}Transfer-Encoding: chunked\r\n\r\n${chunked}`,
  "a HAR of one entry": createHar(harRequest),
  "a HAR in base64": createHar({ ...harRequest, postData: { text: encoded, encoding: "base64" } }),
  "the trace of a tap of Envoy": JSON.stringify({
    http_buffered_trace: {
      request: {
        headers: Object.entries(record).map(([key, value]) => ({ key, value })),
        body: { truncated: false, as_bytes: encoded },
      },
    },
  }),
  "curl with single quotes": createCurl(`--data-raw ${quoteShellWord(BODY)}`),
  "curl with double quotes": createCurl(`-d "${BODY.replaceAll('"', '\\"')}"`),
  "curl as browsers copy it": createCurl(`--data-raw $'${BODY.replace("\u00e9", "\\u00e9")}'`),
  "curl with a file": createCurl("--data-binary @body.json"),
  "curl with typographic quotes around its words": createCurl(`--data-raw '${BODY}'`)
    .replace(/'([^']*)'/g, "\u2018$1\u2019")
    .replace(/"(X-[^"]*)"/, "\u201c$1\u201d"),
  "an event of format 2.0": JSON.stringify({
    version: "2.0",
    headers: record,
    body: BODY,
    isBase64Encoded: false,
  }),
  "an event of format 1.0": JSON.stringify({
    headers: {},
    multiValueHeaders: Object.fromEntries(Object.entries(record).map(([name, value]) => [name, [value]])),
    body: BODY,
  }),
  "the lines that ngrep prints": `T 10.0.0.1:80 [AP] #4\n${HEADERS.replaceAll("\r\n", ".\n")}.\n${BODY}\n#\n`,
  "a refused delivery with the digest of its body": JSON.stringify({
    ...{ headers: record, rawBody: BODY, status: 401 },
    bodyHash: createHash("sha256").update(BODY).digest("hex"),
  }),
  "a record with the base string": JSON.stringify({
    ...{ msg: "signature mismatch", timestamp: TIMESTAMP, signature: SIGNATURE },
    payload: `${TIMESTAMP}.${BODY}`,
  }),
};

const INPUT_FORMATS = [
  ...Object.entries(HEADER_FORMATS).map(
    ([name, text]) => [name, text, ["--headers", "in", ...WITH_BODY]] as const,
  ),
  ...Object.entries(REQUEST_FORMATS).map(([name, text]) => [name, text, ["in"]] as const),
];
const otherRequest = { ...harRequest, postData: { text: "{}" } };

describe("webhooks verify", () => {
  it.each<readonly [string, string, readonly string[]]>([
    ...INPUT_FORMATS,
    ["body, timestamp and signature", BODY, ["--body", "in", ...DELIVERY_ARGS.slice(2)]],
    ["a HAR, by the number of the entry", createHar(otherRequest, harRequest), ["in", "--entry", "2"]],
  ])("reads %s", async (_, content, args) => {
    const { verify } = setUp({ in: content });
    expect(await verify([...args, ...WITH_SECRET])).toMatchObject(VALID);
  });

  it("takes the body of a gateway event as it is if the event says that it is not encoded", async () => {
    const event = { headers: record, body: encoded, isBase64Encoded: false };
    const { verify } = setUp({ in: JSON.stringify(event) });
    expect(await verify(["in", ...WITH_SECRET])).toMatchObject({ causes: [{ id: "body.base64" }] });
  });

  it("reads a request in UTF-16 that has its byte order mark", async () => {
    const { verify } = setUp({ in: toUtf16(`${HEADERS}\r\n${BODY}`) });
    expect(await verify(["in", ...WITH_SECRET])).toMatchObject(VALID);
  });

  it("reads a request from stdin", async () => {
    const { verify, run } = setUp();
    expect(await verify(["-", ...WITH_SECRET], { input: `${HEADERS}\r\n${BODY}` })).toMatchObject(VALID);
    const conflict = await run(
      ["verify", "--body", "-", ...DELIVERY_ARGS.slice(2), "--secret-file", "-", "--json"],
      { input: "x" },
    );
    expect(errorOf(conflict)).toMatchObject({ code: "option_conflict", exitCode: 2 });
  });

  const EVENT = JSON.stringify({ headers: record, body: {} });
  const LONG_PREFIX = "whsec-".repeat(8);

  it.each<[string, string, readonly string[], string]>([
    ["a missing delivery", "", [], "missing_option"],
    ["two input formats", "", [...DELIVERY_ARGS, "in"], "option_conflict"],
    ["a body without headers", "", WITH_BODY, "invalid_input"],
    ["a request of empty lines", "\n\r\n", ["in"], "invalid_input"],
    [
      "a line that is not a header",
      `${HEADERS}no header\n`,
      ["--headers", "in", ...WITH_BODY],
      "invalid_input",
    ],
    ["a curl line whose body is its stdin", createCurl("-d @-"), ["in"], "invalid_input"],
    ["a HAR with two possible requests", createHar(harRequest, otherRequest), ["in"], "invalid_input"],
    ["a command line other than curl", "wget https://x", ["in"], "invalid_input"],
    ["an event whose body was parsed", EVENT, ["in"], "invalid_input"],
    ["a missing file", "", ["nowhere"], "cannot_read"],
    ["a candidate without a kind", "", [...DELIVERY_ARGS, "--candidate", "old.txt"], "option_invalid"],
    [
      "a prefix as long as a secret",
      "",
      [...DELIVERY_ARGS, "--secret-prefix", LONG_PREFIX],
      "option_invalid",
    ],
  ])("refuses %s", async (_, content, args, code) => {
    const { run } = setUp({ in: content });
    const result = await run(["verify", ...args, ...WITH_SECRET, "--json"]);
    expect(result.stdout).toBe("");
    expect(errorOf(result)).toMatchObject({ code, exitCode: 2 });
  });
});

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
  [
    "the output of curl -v in place of a request",
    { in: VERBOSE_CURL.split("\n").slice(1, 6).join("\n") },
    ["in"],
    { message: expect.stringContaining("1 record has no body") },
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
])("webhooks verify says what is wrong with %s", async (_, files, args, expected) => {
  const result = await setUp(files).run(["verify", ...args, ...WITH_SECRET, "--json"]);
  expect(errorOf(result)).toMatchObject({ exitCode: 2, ...expected });
});
