import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sign } from "../../src/signature.ts";
import { bareEnvironment, runCli, temporaryFolder } from "../support/cli.ts";
import { SECRET } from "../support/incidents.ts";

const TIMESTAMP = "1796016000"; // 2026-11-30T05:20:00Z
const BODY = '{"id":"e1","type":"partner.test","data":{"place":"Plaça 1"}}';

/** @param signed the bytes that were sent */
const toHeaders = (signed: string, length = Buffer.byteLength(signed)) => ({
  "x-service-timestamp": TIMESTAMP,
  "x-service-signature": sign({ secret: SECRET, timestamp: TIMESTAMP, body: signed }),
  "content-length": String(length),
});

const toRecord = (signed: string, logged: string, fields: object = {}) =>
  JSON.stringify({ headers: toHeaders(signed), body: logged, ...fields });

const toRequest = (signed: string, sent: string) => {
  const headers = Object.entries(toHeaders(signed, Buffer.byteLength(sent)));
  return `POST /hook HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${sent}`;
};

async function run(command: "verify" | "triage", text: string, ...args: string[]) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "input"), text);
  writeFileSync(join(cwd, "secret.txt"), SECRET, { mode: 0o600 });
  const all = ["webhooks", command, "input", "--secret-file", "secret.txt", "--json", ...args];
  const { code, stdout, stderr } = await runCli(all, { cwd, env: bareEnvironment() });
  return { code, stderr, result: JSON.parse(stdout || "{}") };
}

const REFUSED = { msg: "signature mismatch", status: 401 };
const MOJIBAKE = Buffer.from(BODY).toString("latin1");
const REPLACED = BODY.replace("ç", "\ufffd\ufffd");

describe("who must act", () => {
  it.each([
    [
      "a program that read the bytes in another charset",
      toRecord(BODY, MOJIBAKE),
      "body.charset",
      "receiver",
    ],
    ["a proxy that did, and sent it on", toRequest(BODY, MOJIBAKE), "body.charset", "between"],
    ["a sender that signs a word", toRequest("undefined", BODY), "body.constant", "sender"],
    ["a relay that adds a mark", toRequest(BODY, `\ufeff${BODY}`), "body.bom", "between"],
    ["a copy without its line end", toRecord(`${BODY}\n`, BODY), "body.trailing_newline", "log"],
    ["a receiver that trims", toRecord(`${BODY}\n`, BODY, REFUSED), "body.trailing_newline", "receiver"],
    [
      "a line that ends after the body",
      `401 bad signature ${JSON.stringify(toHeaders(`${BODY}\n`))} body=${BODY}`,
      "body.trailing_newline",
      "log",
    ],
    ["a log that replaces characters", toRecord(BODY, REPLACED), "body.replaced_characters", "log"],
    ["a receiver that does", toRecord(BODY, REPLACED, REFUSED), "body.replaced_characters", "receiver"],
    [
      "a gateway that wraps",
      toRequest(BODY, `--b\r\n\r\n${BODY}\r\n--b--\r\n`),
      "body.surrounded",
      "between",
    ],
    [
      "a chat program that makes quotes curly",
      toRecord(BODY, BODY.replaceAll('"', "”")),
      "body.printed",
      "log",
    ],
    ["the body of another delivery", toRecord(BODY, BODY.replace("e1", "another")), "body.changed", "log"],
    [
      "the beginning of a Buffer",
      `${JSON.stringify(toHeaders(BODY))} body: <Buffer 7b 22 69 64 ... 58 more bytes>`,
      "body.truncated",
      "log",
    ],
  ])("is named for %s", async (_, text, id, actor) => {
    const { code, result, stderr } = await run("verify", text);
    expect(code, stderr).toBe(7);
    expect(result.causes).toMatchObject([{ id, actor }]);
  });
});

it("a message that waited in a queue is as old as when it was taken from it", async () => {
  const attributes = { SentTimestamp: `${TIMESTAMP}812`, ApproximateFirstReceiveTimestamp: "1796275200000" };
  const body = JSON.stringify({ headers: toHeaders(BODY), body: BODY });
  const event = JSON.stringify({ Records: [{ body, attributes }] });
  expect(await run("verify", event)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("it arrived 3 d after it was signed"),
  });
  expect(await run("verify", event, "--tolerance", "5m")).toMatchObject({
    code: 7,
    result: { verdict: "stale" },
  });
});

it("an access line of morgan says that the receiver refused it", async () => {
  const { "x-service-signature": signature } = toHeaders(BODY);
  const { result } = await run(
    "triage",
    `POST /hook 401 12.3 ms - 12 ts=${TIMESTAMP} sig=${signature} body=${BODY}\n`,
  );
  expect(result).toMatchObject({ valid: 1, refused: { count: 1 } });
});

it("a request without our headers is one that lost them", async () => {
  const meta = `{'CONTENT_LENGTH': '65',\n 'HTTP_HOST': 'a.example',\n 'HTTP_X_SERVICE_EVENT': 'partner.test'}`;
  const { code, result } = await run(
    "verify",
    `WARNING Unauthorized: /hook\nMETA:\n${meta}\nBODY:\nb'${BODY}'\n`,
  );
  expect(code).toBe(7);
  expect(result).toMatchObject({
    verdict: "missing_header",
    causes: [{ id: "headers.missing", actor: "between" }],
  });
});

it("says that the body was decoded from what the record shows", async () => {
  const body = BODY.replace("Plaça", "A & B");
  const escaped = body.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const { code, stderr } = await run("verify", toRecord(body, escaped));
  expect(code).toBe(0);
  expect(stderr).toContain(`with a body of ${body.length} bytes, decoded from ${escaped.length}`);
});

it("reads what was computed from an object after the delivery", async () => {
  const signature = toHeaders(BODY)["x-service-signature"];
  const computed = Buffer.from(signature, "hex").toString("base64");
  const delivery = `incoming {\n  headers: ${JSON.stringify(toHeaders(BODY), null, 2)},\n  rawBody: '${BODY}'\n}`;
  const log = `${delivery}\nInvalid signature! {\n  received: '${signature}',\n  calculated: '${computed}'\n}\n`;
  const { code, result, stderr } = await run("verify", log);
  expect(code, stderr).toBe(7);
  expect(result).toMatchObject({ computed: "different", causes: [{ id: "signature.encoding" }] });
});
