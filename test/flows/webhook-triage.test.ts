import { mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { marked } from "marked";
import { describe, expect, it } from "vitest";
import { sign } from "../../src/signature.ts";
import { bareEnvironment, errorOf, runCli, temporaryFolder } from "../support/cli.ts";
import { createLog, INCIDENTS, type LogLine, OLDER_SECRET, SECRET, toLines } from "../support/incidents.ts";
import { outlineMarkup } from "../support/markup.ts";

/** Creates a folder with the secrets and these files. */
function setUp(files: Readonly<Record<string, string | Uint8Array>>) {
  const cwd = temporaryFolder();
  for (const [name, content] of Object.entries({ "secret.txt": SECRET, "older.txt": OLDER_SECRET, ...files }))
    writeFileSync(join(cwd, name), content, { mode: 0o600 });
  const triage = (args: readonly string[], input?: string) =>
    runCli(["webhooks", "triage", ...args, "--secret-file", "secret.txt"], {
      ...{ cwd, env: bareEnvironment() },
      ...(input !== undefined && { input }),
    });
  return { cwd, triage };
}

const [good, bad] = createLog(2, (index) => (index === 0 ? {} : { change: (body) => `${body}\n` })) as [
  LogLine,
  LogLine,
];
const BOTH = [good, bad];
const toHar = ({ time, url, headers, body }: LogLine) => ({
  startedDateTime: time,
  request: {
    method: "POST",
    url: `https://a.example${url}?key=secret`,
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    postData: { text: body },
  },
});
const toGatewayEvent = ({ url, headers, body, remoteAddress }: LogLine) => ({
  ...{ rawPath: url, headers, body: Buffer.from(body).toString("base64"), isBase64Encoded: true },
  requestContext: { http: { sourceIp: remoteAddress }, timeEpoch: 1_795_354_800_000 },
});
const toSqs = (message: unknown) => ({
  ...{ messageId: "m", body: JSON.stringify(message), attributes: { SentTimestamp: "1795354800000" } },
});
const toRawRequest = ({ url, headers, body }: LogLine): string =>
  `POST ${url} HTTP/1.1\r\n${Object.entries(headers)
    .map((pair) => `${pair.join(": ")}\r\n`)
    .join("")}\r\n${body}`;

const withLength = (line: LogLine): string =>
  toRawRequest(line).replace("\r\n\r\n", `\r\nContent-Length: ${Buffer.byteLength(line.body)}\r\n\r\n`);
const RESPONSE = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

it("webhooks triage counts the lines of a delivery not as records without one", async () => {
  const toBlock = ({ headers, body }: LogLine): string =>
    [
      "a webhook arrived",
      ...Object.entries(headers).map((pair) => `  ${pair.join(": ")}`),
      `  ${body}`,
      "",
    ].join("\n");
  const { triage } = setUp({ "app.log": toBlock(good) + toBlock(bad) });
  const { stderr } = await triage(["app.log"]);
  expect(stderr).toMatch(/^2 deliveries: /);
});

describe("webhooks triage of an incident", () => {
  it.each([
    ["kubectl", (pod: string) => `[pod/${pod}-1/hooks] `, "on pod c-1"],
    ["docker compose", (pod: string) => `${pod}-1  | `, "with container c-1"],
    ["a field", (pod: string) => `pid=${pod}-1 `, "with pid c-1"],
    ["its environment", (pod: string) => `env=${pod}-1 `, "with env c-1"],
    ["its version", (pod: string) => `version=${pod}-1 `, "with version c-1"],
  ])("names the only receiver that refuses right deliveries, by %s", async (_, toPrefix, expected) => {
    const toLine = (pod: string, index: number): string => {
      const [body, timestamp] = [`{"id":"e${index}","type":"partner.test"}`, String(1_796_016_000 + index)];
      const signed = sign({ secret: SECRET, timestamp, body });
      const computed = pod === "c" ? sign({ secret: OLDER_SECRET, timestamp, body }) : signed;
      const result = pod === "c" ? "signature mismatch" : "accepted";
      return `${toPrefix(pod)}${result} timestamp=${timestamp} signature=${signed} computed=${computed} body=${body}\n`;
    };
    const { triage } = setUp({ "app.log": ["a", "b", "c", "a", "c", "b"].map(toLine).join("") });
    const { code, stdout } = await triage(["app.log"]);
    expect(code).toBe(7);
    expect(stdout).toContain(`all ${expected}`);
    const mixed = setUp({ "app.log": ["c", "a", "b"].map(toLine).join("") });
    expect((await mixed.triage(["app.log"])).stdout).not.toMatch(/all (?:on|with)/);
  });

  it("names a delivery without a known cause so that verify shows it", async () => {
    const [, other] = createLog(2, () => ({})) as [LogLine, LogLine];
    const forged = { ...other, body: other.body.replace("{", '{"forged":1,') };
    const { cwd, triage } = setUp({ "app.log": `started\n${toLines([good, forged])}` });
    const hint = errorOf(await triage(["app.log", "--json"])).hint;
    expect(hint).toMatch(/^refuse what nothing explains.*"claims webhooks verify app.log:3"/);
    const args = ["webhooks", "verify", "app.log:3", "--secret-file", "secret.txt", "--json"];
    const { code, stdout } = await runCli(args, { cwd, env: bareEnvironment() });
    expect([code, JSON.parse(stdout)]).toMatchObject([7, { verdict: "mismatch" }]);
  });

  it.each(INCIDENTS.map((incident) => [incident.name, incident] as const))(
    "has one line for each cause: %s",
    async (_, { log, args, groups }) => {
      const { triage } = setUp({ "app.log": toLines(log) });
      const { code, stdout } = await triage(["app.log", ...args]);
      expect(code).toBe(7);
      expect(stdout).toBe(groups.map((group) => `${group.join("\t")}\n`).join(""));
    },
  );
});

describe("webhooks triage of one delivery, logged again three days later", () => {
  const [body, timestamp] = ['{"id":"e1","type":"partner.test"}', "1796016000"];
  const signed = sign({ secret: SECRET, timestamp, body });
  const toLine = (time: string) => `${time} webhook ts=${timestamp} sig=${signed} body=${body}\n`;

  it("judges its age by the time of the line, not by the signing timestamp", async () => {
    const log = toLine("2026-11-30T05:20:01Z") + toLine("2026-12-03T05:20:00Z");
    const { code, stdout } = await setUp({}).triage(["-", "--tolerance", "5m"], log);
    expect(code).toBe(7);
    expect(stdout).toMatch(
      /^1\tstale: .*received 3 d after signing: held in a queue, sent again late or by somebody else/,
    );
  });

  it("says that a time without a zone can be local time", async () => {
    const { stdout } = await setUp({}).triage(["-", "--tolerance", "5m"], toLine("2026-11-30 07:20:01"));
    expect(stdout).toContain("sent again late or by somebody else, or the log has local time");
  });

  it("says that it cannot judge the age without a time of receipt", async () => {
    const { code, stderr } = await setUp({}).triage(["-", "--tolerance", "5m"], toLine("").repeat(2));
    expect(code).toBe(0);
    expect(stderr).toContain("--tolerance judges no record without a time of receipt, of which there");
  });
});

it.each([
  ["no status", "", 1],
  ["the status of a failure", ", status=500", 1],
  ["the status of success", ", status=200", 0],
])("webhooks triage takes words for a refusal where a record has %s: %s", async (_, status, refused) => {
  const { headers, body } = good;
  const line = `Rejecting webhook [timestamp=${headers["x-service-timestamp"]}, signature=${headers["x-service-signature"]}${status}, body=${body}]\n`;
  const { stdout } = await setUp({}).triage(["-", "--json"], line);
  const report = JSON.parse(stdout);
  expect([report.valid, report.refused?.count ?? 0]).toEqual([1, refused]);
});

it("webhooks triage blames no clock for what fails if the valid deliveries are as far off", async () => {
  const toLine = (index: number): string => {
    const [body, timestamp] = [`{"id":"e${index}","type":"partner.test"}`, String(1_796_016_000 + index)];
    const signature = sign({ secret: index < 3 ? OLDER_SECRET : SECRET, timestamp, body });
    return `2026-11-30T07:20:0${index}Z webhook timestamp=${timestamp} signature=${signature} body=${body}\n`;
  };
  const { stdout } = await setUp({}).triage(["-"], [0, 1, 2, 3, 4].map(toLine).join(""));
  expect(stdout).not.toContain("clock");
  const failed = await setUp({}).triage(["-"], [0, 1, 2].map(toLine).join(""));
  expect(failed.stdout).toContain("the receiver's clock is 2 h ahead");
});

it.each([
  ["indented JSON", (headers: object) => JSON.stringify(headers, null, 2)],
  [
    "pairs of quoted lines",
    (headers: object) => `rawHeaders [\n'${Object.entries(headers).flat().join("',\n'")}',\n]`,
  ],
])(
  "webhooks triage takes no Content-Length from the headers of the next delivery, as %s",
  async (_, print) => {
    const printLine = ({ headers, body }: LogLine) =>
      `${print({ host: "a", "content-length": String(Buffer.byteLength(body)), ...headers })}\n${body}\n`;
    const log = createLog(4, () => ({})).map(({ body, headers }, index) => {
      const longer = body.replace("{", `{"note":"${"a".repeat(index)}",`);
      const timestamp = headers["x-service-timestamp"] ?? "";
      const signed = sign({ secret: SECRET, timestamp, body: longer });
      return printLine({ ...good, headers: { ...headers, "x-service-signature": signed }, body: longer });
    });
    const { code, stdout } = await setUp({}).triage(["-", "--json"], log.join(""));
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { total: 4, valid: 4, doubts: [] }]);
  },
);

it("webhooks triage drops no words after a body that has no Content-Length", async () => {
  const longer = { ...good, body: `${good.body}\n--- {"more":1}` };
  const { code, stdout } = await setUp({}).triage(
    ["-", "--json"],
    `${toRawRequest(longer)}\n${toRawRequest(good)}`,
  );
  expect([code, JSON.parse(stdout)]).toMatchObject([7, { total: 2, valid: 1 }]);
});

it("webhooks triage reads requests that are indented below a heading", async () => {
  const printLine = (line: LogLine) =>
    `Webhook:\n${toRawRequest(line)
      .replace(/^.*\r\n/, "Host: a\r\n")
      .replaceAll("\r\n", "\n")
      .replace(/^(?=.)/gm, "  ")}\n\n`;
  const { code, stdout } = await setUp({}).triage(
    ["-"],
    createLog(3, () => ({}))
      .map(printLine)
      .join(""),
  );
  expect([code, stdout]).toEqual([0, ""]);
});

it("webhooks triage counts what does not verify where other parsed bodies do", async () => {
  const toParsed = ({ body, headers }: LogLine, signature = {}) =>
    JSON.stringify({ headers: { ...headers, ...signature }, body: JSON.parse(body) });
  const other = { "X-Service-Signature": "0".repeat(64) };
  const { triage } = setUp({ "mixed.log": [toParsed(good), toParsed(good, other)].join("\n") });
  const result = await triage(["mixed.log", "--json"]);
  expect([result.code, JSON.parse(result.stdout)]).toMatchObject([7, { total: 2, valid: 1 }]);
  const { triage: triageOther } = setUp({ "other.log": toParsed(good, other) });
  expect((await triageOther(["other.log"])).stderr).toContain("the body was logged after parsing");
});

it("webhooks triage counts valid deliveries that the receiver refused or failed on", async () => {
  const statuses = [400, 401, 403, 422, 200, 500];
  const log = createLog(statuses.length, () => ({})).map((line, index) => ({
    ...line,
    status: statuses[index],
  }));
  const { stdout } = await setUp({}).triage(["-", "--json"], toLines(log));
  expect(JSON.parse(stdout)).toMatchObject({ valid: 6, refused: { count: 4 }, otherResponses: { 500: 1 } });
});

describe("webhooks triage reads", () => {
  const ONE_OF_TWO = {
    total: 2,
    valid: 1,
    groups: [{ causes: ["body.trailing_newline (proved)"], count: 1 }],
  };

  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ["NDJSON", { in: toLines(BOTH) }, ["in"]],
    [
      "a log with a time before its JSON, and other lines",
      { in: `12:00 start\n12:01 INFO ${toLines(BOTH)}` },
      ["in"],
    ],
    [
      "all entries of a HAR",
      { in: JSON.stringify({ log: { entries: [...BOTH.map(toHar), { request: {} }] } }) },
      ["in"],
    ],
    [
      "raw requests and responses one after the other, among requests of others",
      {
        in: `GET /health HTTP/1.1\r\nHost: a\r\n\r\n${toRawRequest(good)}\r\n\r\n${RESPONSE}${toRawRequest(bad)}`,
      },
      ["in"],
    ],
    [
      "raw requests one after the other, with their lengths and nothing between them",
      { in: `${withLength(good)}${withLength(bad)}` },
      ["in"],
    ],
    [
      "headers and bodies without request lines, with rulers between them",
      { in: [good, bad].map((line) => toRawRequest(line).replace(/^.*\r\n/, "")).join("\n\n-----\n\n") },
      ["in"],
    ],
    ["two raw requests", { one: toRawRequest(good), two: toRawRequest(bad) }, ["one", "two"]],
    [
      "a log of pino with the Buffer of the raw body",
      {
        in: toLines(
          BOTH.map(({ time, url, headers, body }) => ({
            ...{ level: 30, time: Date.parse(time) },
            req: { url, headers, rawBody: Buffer.from(body) },
          })),
        ),
      },
      ["in"],
    ],
    ["events of API Gateway", { in: toLines(BOTH.map(toGatewayEvent)) }, ["in"]],
    [
      "SNS messages in a batch of SQS",
      {
        in: JSON.stringify({
          Records: BOTH.map((line) =>
            toSqs({ Type: "Notification", Message: JSON.stringify(toGatewayEvent(line)) }),
          ),
        }),
      },
      ["in"],
    ],
    [
      "a log with fields of other names",
      {
        in: toLines(
          BOTH.map(({ headers, body, time }) => ({
            ...{ level: "info", at: time, req: { raw: body } },
            ...{ ts: headers["x-service-timestamp"], sig: headers["x-service-signature"] },
          })),
        ),
      },
      [
        "in",
        "--field",
        "body=.req.raw",
        "--field",
        "timestamp=ts",
        "--field",
        "signature=sig",
        "--field",
        "time=at",
      ],
    ],
  ])("%s", async (_, files, args) => {
    const { code, stdout } = await setUp(files).triage([...args, "--json"]);
    expect(code).toBe(7);
    expect(JSON.parse(stdout)).toMatchObject(ONE_OF_TWO);
  });

  it("one delivery, and counts it as one", async () => {
    const { stderr } = await setUp({}).triage(["-", "--json"], toLines(BOTH.slice(1)));
    expect(stderr).toContain("1 of 1 delivery is not valid");
  });

  it("stdin, and prints a line for each delivery with --ndjson", async () => {
    const { code, stdout } = await setUp({}).triage(["-", "--ndjson"], toLines(BOTH));
    expect(code).toBe(7);
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { source: "stdin:1", verdict: "valid", causes: [], time: "2026-11-22T13:40:00.000Z" },
      { source: "stdin:2", verdict: "mismatch", causes: ["body.trailing_newline (proved)"], clockOffset: 0 },
    ]);
  });

  it("the files of a folder, and says which ones have no delivery", async () => {
    const { cwd, triage } = setUp({});
    mkdirSync(join(cwd, "recorded"));
    writeFileSync(join(cwd, "recorded", "1.txt"), toRawRequest(good));
    writeFileSync(join(cwd, "recorded", "README"), "what these are\n");
    const { code, stdout, stderr } = await triage(["recorded"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain("skipped 1 record without a delivery");
  });

  it("the other files of a folder when the only line of one is too long for a string", {
    tags: "large",
  }, async () => {
    const { cwd, triage } = setUp({});
    mkdirSync(join(cwd, "logs"));
    writeFileSync(join(cwd, "logs", "app.log"), toLines(BOTH));
    writeFileSync(join(cwd, "logs", "core"), "");
    truncateSync(join(cwd, "logs", "core"), 2 ** 29);
    const { code, stderr } = await triage(["logs"]);
    expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringContaining("core") });
  });
});

describe("webhooks triage writes", () => {
  it("a text for the partner, and JSON, without secrets", async () => {
    const { cwd, triage } = setUp({ in: toLines(BOTH) });
    await triage(["in", "--report", "partner.md", "--report", "all.json"]);
    const text = readFileSync(join(cwd, "partner.md"), "utf8");
    for (const part of [
      "2 deliveries: 1 valid, 1 not, from",
      "## 1 delivery: a line end after the body was added or lost",
      "**Who must act:** whoever made this log or copy.",
    ])
      expect(text).toContain(part);
    expect(JSON.parse(readFileSync(join(cwd, "all.json"), "utf8"))).toMatchObject({ total: 2 });
    expect(text + readFileSync(join(cwd, "all.json"), "utf8")).not.toContain(SECRET);
  });

  it("text of a sender as text, not as markup", async () => {
    const write = async (text: string) => {
      const log = createLog(12, (index) => (index < 6 ? {} : { change: (body) => `${body}\n` }));
      const lines = log.map((line, index) => (index < 6 ? line : { ...line, url: `/${text}` }));
      const { cwd, triage } = setUp({ in: toLines(lines) });
      await triage(["in", "--report", "partner.md"]);
      return readFileSync(join(cwd, "partner.md"), "utf8");
    };
    const text = await write("<b id=x>[a](http://a.example) ![b](b) `c` | d *e*");
    expect(text).toContain("id=x");
    const outlineOf = (markdown: string) => outlineMarkup(String(marked.parse(markdown)));
    expect(outlineOf(text)).toEqual(outlineOf(await write("x")));
  });
});

describe("webhooks triage says why there is no delivery in", () => {
  it.each<[string, Readonly<Record<string, string | Uint8Array>>, readonly string[], string, string]>([
    ["an empty file", { in: "" }, ["in"], "1 empty file: in", "name a file with deliveries"],
    [
      "a folder without a file",
      {},
      ["folder"],
      "1 file without a delivery: folder, a folder without a file",
      "name the fields of a log: --field body=PATH --field signature=PATH --field timestamp=PATH",
    ],
  ])("%s", async (_, files, args, reasons, hint) => {
    const { cwd, triage } = setUp({});
    mkdirSync(join(cwd, "folder"));
    for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
    expect(errorOf(await triage([...args, "--json"]))).toMatchObject({
      ...{ code: "no_deliveries", exitCode: 2 },
      message: `no delivery found (${reasons})`,
      hint,
    });
  });

  it("some of the files", async () => {
    const { code, stderr } = await setUp({ one: toRawRequest(good), two: "", three: "hello\n" }).triage([
      "one",
      "two",
      "three",
    ]);
    expect(code).toBe(0);
    expect(stderr).toContain("1 file without a delivery: three");
    expect(stderr).toContain("1 empty file: two");
  });
});

it.each<[string, string, readonly string[], string]>([
  ["input without a delivery", '{"a":1}\n', ["in"], "no_deliveries"],
  ["a field of no log", toLines(BOTH), ["in", "--field", "raw=.x"], "option_invalid"],
  ["another format of a report", toLines(BOTH), ["in", "--report", "x.pdf"], "option_invalid"],
  ["JSON that ends too early", '[\n{"headers":', ["in"], "no_deliveries"],
  ["UTF-16", "{\u0000}\u0000", ["in"], "invalid_input"],
])("webhooks triage refuses %s", async (_, content, args, code) => {
  const result = await setUp({ in: content }).triage([...args, "--json"]);
  expect(errorOf(result)).toMatchObject({ code, exitCode: 2 });
});
