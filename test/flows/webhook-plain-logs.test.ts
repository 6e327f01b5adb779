import { createHash, createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { sign } from "../../src/signature.ts";
import { bareEnvironment, runCli, temporaryFolder } from "../support/cli.ts";
import { OLDER_SECRET, SECRET } from "../support/incidents.ts";
import { itEachFirst } from "../support/large.ts";
import { createTerminalContext } from "../support/terminal.ts";

const TIMESTAMP = "1796000123";
/** Numbers and characters that a printer changes. */
const BODY =
  '{"id":"c9035584-77f3-4f5f-b664-d659a13fadf8","type":"partner.test","data":{"partner":"M\u00fcller","url":"https://a.example/b","amount":12.50,"empty":{}}}';
const PRINTED = JSON.stringify(JSON.parse(BODY));
const signText = (body: string, secret = SECRET) => sign({ secret, timestamp: TIMESTAMP, body });
const SIGNATURE = signText(BODY);

const PHP_PRINTED = PRINTED.replace("\u00fc", "\\u00fc").replaceAll("/", "\\/").replace("{}", "[]");
const SPACED =
  '{"id":"evt_1","data":{"partner":" M\u00fcller ","note":"","url":"https://a.example","empty":{}}}';
const LONG = '{"id":"evt_1","data":{"entry":12345678901234567890}}';
const ROUNDED = '{"id":"evt_1","data":{"entry":12345678901234567000}}';
const PAID = '{"id":"a","paid":12,"amount":10.50}';
const PRINTED_PAID = '{"id": "a", "paid": 12, "amount": 10.5}';
const PAID_HEADERS = { "x-service-timestamp": TIMESTAMP, "x-service-signature": signText(PAID) };
const TIMED = '{"id":"evt_1","createdAt":"2026-11-29T06:55:23Z","data":{"partner":"a"}}';

const GO_PRINTED =
  '{"data":{"capability":"scan","enabled":true,"title":"Q\\u0026A"},"id":"evt_1","type":"partner.test"}';

const LINES = '{\n  "id": "evt_1",\n  "type": "partner.test",\n  "list": [\n    1,\n    2\n  ]\n}\n';
const ONE_LINE = LINES.replaceAll("\n", "");
const EVENT = '{"id":"evt_1","type":"partner.test","data":{"ok":true}}';
const RAILS = `${EVENT.slice(0, -1)},"controller":"webhooks","action":"create","webhook":${EVENT}}`;
const toHash = (json: string): string => json.replaceAll('":', '"=>').replaceAll(",", ", ");

const ofKey = (key: string): string =>
  `bad signature got=${SIGNATURE} computed=${signText(BODY, key)} ts=${TIMESTAMP} body=${BODY}\n`;

const ZIPPED = gzipSync(BODY);
const signBytes = (body: Buffer) => sign({ secret: SECRET, timestamp: TIMESTAMP, body });

/** The receiver hashed what arrived, and logged it. */
const throughProxy = (headers: Readonly<Record<string, string>>): string => {
  const sent = JSON.stringify(JSON.parse(PRINTED), null, 2);
  const arrived = {
    via: "1.1 kong/3.9.0",
    "x-service-timestamp": TIMESTAMP,
    "x-service-signature": signText(sent),
  };
  return `${JSON.stringify({ msg: "signature mismatch", headers: { ...arrived, ...headers }, body: PRINTED, computed: signText(PRINTED) })}\n`;
};

function setUp(log: string, secret = SECRET) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "app.log"), log);
  writeFileSync(join(cwd, "secret.txt"), secret, { mode: 0o600 });
  return cwd;
}

async function verifyLog(log: string, ...more: string[]) {
  const args = ["webhooks", "verify", "app.log", "--secret-file", "secret.txt", ...more, "--json"];
  const result = await runCli(args, { cwd: setUp(log), env: bareEnvironment() });
  return { code: result.code, stderr: result.stderr, ...JSON.parse(result.stdout || "{}") };
}

/** The log, the cause, and who must act. */
// biome-ignore format: a table, one log a line
const LOGS: readonly (readonly [name: string, log: string, cause: string, actor: string])[] = [
  ["expected= and actual= of console.log", `WARN signature mismatch expected=${signText(PRINTED)} actual=${SIGNATURE} timestamp=${TIMESTAMP} payload=${BODY}\n`, "body.reserialized", "receiver"],
  ["words without punctuation, and undefined", `sig ${SIGNATURE} ours ${signText("undefined")} ts ${TIMESTAMP} body undefined\n`, "body.constant", "receiver"],
  ["two lines, the second with the body", `ERROR webhooks.views: bad signature got ${SIGNATURE} want ${signText(BODY, SECRET.slice(6))} (timestamp ${TIMESTAMP})\nDEBUG webhooks.views: body was ${BODY}\n`, "secret.prefix_dropped", "secret_store"],
  ["an object over several lines", `{\n  expected: '${signText("[object Object]")}',\n  actual: '${SIGNATURE}',\n  timestamp: '${TIMESTAMP}',\n  body: '${BODY}'\n}\n`, "body.constant", "receiver"],
  ["another secret", `hook: computed="${signText(BODY, OLDER_SECRET)}" header="${SIGNATURE}" t=${TIMESTAMP} raw=${JSON.stringify(BODY)}\n`, "base.unknown", "secret_store"],
  ["theirs and ours", `W, [2026-11-29T06:54:24.909123 #1234]  WARN -- : signature mismatch: theirs=${SIGNATURE} ours=${createHmac("sha256", SECRET).update(BODY).digest("hex")} timestamp=${TIMESTAMP} body=${BODY}\n`, "base.different", "receiver"],
  ["a timestamp that was read under a wrong name", `bad signature timestamp=undefined expected=${createHmac("sha256", SECRET).update(`undefined.${BODY}`).digest("hex")} got=${SIGNATURE} x-service-timestamp=${TIMESTAMP} body=${BODY}\n`, "base.different", "receiver"],
  ["a line that says that it was cut", `sig check FAILED sig=${SIGNATURE} computed=${signText(PRINTED)} ts=${TIMESTAMP} body=${BODY.slice(0, 100)}\u2026 (truncated, 50 bytes)\n`, "body.truncated", "log"],
  ["an empty body", `webhook: signature mismatch (got ${SIGNATURE}, want ${signText("")}) ts=${TIMESTAMP} body=""\n`, "body.empty", "receiver"],
  ["a request without its body, and what the receiver printed after it", `POST /hooks HTTP/1.1\nContent-Type: application/json\nContent-Length: ${BODY.length}\nX-Service-Timestamp: ${TIMESTAMP}\nX-Service-Signature: ${SIGNATURE}\n\n--- end of request\nverify(): rawBody length 0, expected ${signText("")} but got ${SIGNATURE}\n`, "body.empty", "receiver"],
  ["JSON with other names", `${JSON.stringify({ level: "warn", msg: "signature mismatch", expected: signText(PRINTED), got: SIGNATURE, timestamp: Number(TIMESTAMP), body: BODY })}\n`, "body.reserialized", "receiver"],
  ["words that say that the signature is missing", `ERROR hook: missing X-Service-Signature header. headers: {"x-service-timestamp": "${TIMESTAMP}"} body: ${BODY}\n`, "signature.missing", "between"],
  ["a signature header that was read as undefined", `bad signature x-service-signature=undefined x-service-timestamp=${TIMESTAMP} body=${BODY}\n`, "signature.missing", "between"],
  ["a digest of SHA-512", `[error] signature mismatch computed=${createHmac("sha512", SECRET).update(`${TIMESTAMP}.${BODY}`).digest("hex")} header=${SIGNATURE} ts=${TIMESTAMP} body=${BODY}\n`, "signature.algorithm", "receiver"],
  ["a right computation of a body that the log escaped, and another secret", `bad signature exp=${SIGNATURE} got=${signText(BODY, OLDER_SECRET)} ts=${TIMESTAMP} raw=${JSON.stringify(BODY)}\n`, "base.unknown", "secret_store"],
  ["a traceback with a template, and want and have", `Traceback:\n  File "hooks.py", line 41, in verify\n    raise SignatureError(f'want {calc} have {sig} at {ts}')\nSignatureError: want ${createHmac("sha256", SECRET).update(BODY).digest("hex")} have ${SIGNATURE} for timestamp ${TIMESTAMP}\nERROR:app:body was ${BODY}\n`, "base.different", "receiver"],
  ["a body in base64", `signature mismatch want=${createHmac("sha256", SECRET).update(BODY).digest("hex")} have=${SIGNATURE} ts=${TIMESTAMP} body_b64=${Buffer.from(BODY).toString("base64")}\n`, "base.different", "receiver"],
  ["no body, and the signature of an empty one", `bad signature expected=${signText("")} actual=${SIGNATURE} timestamp=${TIMESTAMP} bytes=0\n`, "body.empty", "receiver"],
  ["no body, and the signature of a word, as pino prints it", `${JSON.stringify({ level: 40, sig: SIGNATURE, computed: signText("undefined"), ts: TIMESTAMP, len: 412, msg: "bad signature" })}\n`, "body.constant", "receiver"],
  ["strings that Laravel trimmed and made null", `[2026-11-29 06:55:24] production.WARNING: Webhook signature mismatch ${JSON.stringify({ expected: signText('{"id":"evt_1","data":{"partner":"M\\u00fcller","note":null,"url":"https:\\/\\/a.example","empty":[]}}'), received: signText(SPACED), timestamp: TIMESTAMP, content: SPACED })}\n`, "body.strings_changed", "receiver"],
  ["a payload in the context of Monolog", `[2026-11-29 06:55:24] production.WARNING: Invalid webhook signature {"expected":"${signText(PHP_PRINTED)}","received":"${SIGNATURE}","timestamp":"${TIMESTAMP}","payload":${PRINTED}}\n`, "body.reserialized", "receiver"],
  ["strings that were empty before they became null", `${JSON.stringify({ headers: { "x-service-timestamp": TIMESTAMP, "x-service-signature": signText('{"id":"a","note":"","n":1}') }, body: '{"id":"a","note":null,"n":1}' })}\n`, "body.strings_changed", "receiver"],
  ["a number above 2^53 that JavaScript parsed", `mismatch expected=${signText(ROUNDED)} actual=${signText(LONG)} ts=${TIMESTAMP} body=${LONG}\n`, "body.reserialized", "receiver"],
  ["a number above 2^53 that was rounded before it was logged", `mismatch expected=${signText(ROUNDED)} actual=${signText(LONG)} ts=${TIMESTAMP} body=${ROUNDED}\n`, "body.number_reprinted", "receiver"],
  ["a number without its last zero, by the Content-Length", `${JSON.stringify({ headers: { ...PAID_HEADERS, "content-length": PAID.length }, body: PRINTED_PAID })}\n`, "body.number_reprinted", "receiver"],
  ["a number without its last zero in a line of nginx", `"POST /hook HTTP/1.1" 401 ts=${TIMESTAMP} sig=${signText(PAID)} body=${PRINTED_PAID.replaceAll('"', "\\x22")}\n`, "body.number_reprinted", "receiver"],
  ["a number without its last zero, beside one with two decimals", `ts=${TIMESTAMP} sig=${signText(PAID.replace("12", "12.25"))} body={"id":"a","paid":12.25,"amount":10.5}\n`, "body.number_reprinted", "receiver"],
  ["a number without its last zero, which a page formatted", `x-service-timestamp: ${TIMESTAMP}\nx-service-signature: ${signText(PAID)}\npayload:\n${JSON.stringify(JSON.parse(PAID), null, 2)}\n`, "body.number_reprinted", "log"],
  ["a time that a Date of JavaScript printed", `mismatch expected=${signText(TIMED.replace("23Z", "23.000Z"))} actual=${signText(TIMED)} ts=${TIMESTAMP} body=${TIMED}\n`, "body.time_reprinted", "receiver"],
  ["a time that isoformat of Python printed", `WARNING:hooks:signature mismatch expected=${signText(TIMED.replace("23Z", "23+00:00").replaceAll('":', '": ').replaceAll(',"', ', "'))} got=${signText(TIMED)} ts=${TIMESTAMP} body=${TIMED}\n`, "body.time_reprinted", "receiver"],
  ["a time that was printed again before it was logged", `${JSON.stringify({ headers: { "x-service-timestamp": TIMESTAMP, "x-service-signature": signText(TIMED) }, body: TIMED.replace("23Z", "23.000Z") })}\n`, "body.time_reprinted", "receiver"],
  ["milliseconds in the header", `${JSON.stringify({ headers: { "x-service-timestamp": `${TIMESTAMP}000`, "x-service-signature": SIGNATURE }, body: BODY })}\n`, "timestamp.reformatted", "sender"],
  ["milliseconds under a name of the log", `bad signature ts=${TIMESTAMP}000 sig=${SIGNATURE} body=${BODY}\n`, "timestamp.reformatted", "log"],
  ["a raw request with a date in the header", `POST /hook HTTP/1.1\nX-Service-Timestamp: 2026-11-29T20:15:23Z\nX-Service-Signature: ${sign({ secret: SECRET, timestamp: "1795983323", body: BODY })}\n\n${BODY}`, "timestamp.reformatted", "sender"],
  ["JSON over several lines", `Received webhook\nx-service-timestamp: ${TIMESTAMP}\nx-service-signature: ${signText(PRINTED)}\nBody:\n${JSON.stringify(JSON.parse(BODY), null, 2)}\n`, "body.reserialized", "log"],
  ["JSON over several lines, which the receiver hashed", `expected=${signText(JSON.stringify(JSON.parse(BODY), null, 2))} actual=${signText(PRINTED)} ts=${TIMESTAMP}\nbody=${JSON.stringify(JSON.parse(BODY), null, 2)}\n`, "body.reserialized", "receiver"],
  ["a proxy that removed white space, by the Content-Length", throughProxy({ "content-length": String(Buffer.byteLength(PRINTED)) }), "body.reserialized", "between"],
  ["a proxy that removed white space, by its header", throughProxy({}), "body.reserialized", "between"],
  ["hyphens of BitConverter", `warn: Hooks.WebhookController[0]\n      Signature mismatch. Expected ${SIGNATURE.toUpperCase().replace(/..(?!$)/g, "$&-")}, got ${SIGNATURE}. Timestamp ${TIMESTAMP}. Body: ${BODY}\n`, "signature.encoding", "receiver"],
  ["JsonSerializer of .NET", `Invalid signature: computed ${signText('{"id":"a","note":"M\\u00FCller \\u0026 \\u0022x\\u0022"}')} received ${signText('{"id":"a","note":"M\u00fcller & \\"x\\""}')} timestamp ${TIMESTAMP} body {"id":"a","note":"M\u00fcller & \\"x\\""}\n`, "body.reserialized", "receiver"],
  ["a computed signature of which the log shows 12 digits", `signature mismatch expected=${signText(PRINTED).slice(0, 12)}\u2026 actual=${SIGNATURE} ts=${TIMESTAMP} body=${BODY}\n`, "body.reserialized", "receiver"],
  ["an object of Node before the body", `error: signature mismatch { expected: '${createHmac("sha256", SECRET).update(BODY).digest("hex")}', actual: '${SIGNATURE}', timestamp: ${TIMESTAMP} } ${BODY}\n`, "base.different", "receiver"],
  ["an object of Node in place of the body", `headers: { 'x-service-timestamp': '${TIMESTAMP}', 'x-service-signature': '${SIGNATURE}' } body: { id: 'a', data: { amount: 12.5 } }\n`, "body.printed", "log"],
  ["headers without those of the service", `${JSON.stringify({ headers: { host: "hooks.example", "content-type": "application/json", "user-agent": "x" }, body: BODY })}\n`, "headers.missing", "between"],
  ...[
    ["CR", `${SECRET}\r`],
    ["CRLF", `${SECRET}\r\n`],
    ["a space", `${SECRET} `],
    ["a no-break space", `${SECRET}\u00a0`],
  ].map(([name, key]) => [`a key with ${name} after it`, ofKey(key ?? ""), "secret.whitespace", "secret_store"] as const),
  ...[
    ["a byte order mark before it", `\ufeff${SECRET}`],
    ["an escaped line end after it", `${SECRET}\\n`],
    ["double quotes", `"${SECRET}"`],
    ["single quotes", `'${SECRET}'`],
  ].map(([name, key]) => [`a key with ${name}`, ofKey(key ?? ""), "secret.altered", "secret_store"] as const),
  ["a fixture that was formatted after it was signed", `console.log\n  headers {\n    'x-service-timestamp': '${TIMESTAMP}',\n    'x-service-signature': '${signText(PRINTED)}'\n  }\n\nconsole.log\n  body ${JSON.stringify(JSON.parse(BODY), null, 2)}\n\nconsole.log\n  computed ${signText(`${JSON.stringify(JSON.parse(BODY), null, 2)}\n`)}\n`, "body.reserialized", "log"],
  ["labels on lines of their own", `INFO: "POST /hook HTTP/1.1" 401\nreceived payload: {'id': 'a', 's': "it's", 'ok': True}\nreceived signature: ${signText(`{"id":"a","s":"it's","ok":true}`)}\nreceived timestamp: ${TIMESTAMP}\nexpected signature: ${signText(`{"id": "a", "s": "it's", "ok": true}`)}\n`, "body.reserialized", "receiver"],
  ["a digest beside the headers of the service", `headers { 'x-service-timestamp': '${TIMESTAMP}', 'x-service-signature': '${SIGNATURE}' }\nbody ${BODY}\n[hook] digest ${signText("[object Object]")}\n`, "body.constant", "receiver"],
  ["a field mac", `{\n  ts: '${TIMESTAMP}',\n  signature: '${SIGNATURE}',\n  mac: '${createHmac("sha256", SECRET).update(BODY).digest("hex")}',\n  body: '${BODY}'\n}\n`, "base.different", "receiver"],
  ["a signature that the log cut", `[hook] bad sig ${SIGNATURE.slice(0, 16)}\u2026 t=${TIMESTAMP} body=${BODY}\n`, "signature.copied", "log"],
  ["a text that Go printed from a map, and hashed", `got=${SIGNATURE} want=${signText(GO_PRINTED)} ts=${TIMESTAMP} body=${GO_PRINTED}\n`, "body.reserialized", "receiver"],
  ["a body without line ends, which curl -d sent", `POST /hook curl/7.88.1 content-length=${ONE_LINE.length}\n  x-service-timestamp: ${TIMESTAMP}\n  x-service-signature: ${signText(LINES)}\n  body: ${ONE_LINE}\n  -> 401 signature does not match\n`, "body.line_endings", "sender"],
  ["a body without line ends, in a log that may have removed them", `sig=${signText(LINES)} ts=${TIMESTAMP} body=${ONE_LINE}\n`, "body.line_endings", "log"],
  ["params of Rails", `Started POST "/webhooks"\n  Parameters: ${toHash(RAILS)}\nsignature mismatch timestamp=${TIMESTAMP} header=${signText(EVENT)} calculated=${signText(RAILS)}\nparams.to_json=${RAILS}\nCompleted 401 Unauthorized in 2ms\n`, "body.reserialized", "receiver"],
  ["a copy from a page that formats JSON", `Headers\ncontent-length  ${LONG.length}\nx-service-signature   ${signText(LONG)}\nx-service-timestamp   ${TIMESTAMP}\n\nRaw Content  [x] Format JSON\n${JSON.stringify(JSON.parse(LONG), null, 2)}\n`, "body.number_reprinted", "log"],
  ["a parsed body in an entry of Google's cloud, beside other fields", `${JSON.stringify([{ timestamp: "2026-11-29T20:15:24.412Z", jsonPayload: { message: "invalid signature", headers: { "content-type": "application/json", "content-length": String(Buffer.byteLength(BODY)), "x-service-timestamp": TIMESTAMP, "x-service-signature": SIGNATURE }, body: JSON.parse(BODY), computed: signText(PRINTED) } }])}\n`, "body.reserialized", "receiver"],
  ["two signatures that the log cut", `bad signature expected=${createHmac("sha256", SECRET).update(BODY).digest("hex").slice(0, 8)}\u2026 got=${SIGNATURE.slice(0, 8)}\u2026 timestamp=${TIMESTAMP} body=${BODY}\n`, "base.different", "receiver"],
  ["a timestamp that was printed as a float", `${JSON.stringify({ msg: "signature mismatch", timestamp: "1.796e+09", signature: SIGNATURE, body: BODY })}\n`, "timestamp.reformatted", "log"],
  ["a request of another service", `POST /hook HTTP/1.1\nHost: hooks.example\nX-GitHub-Event: issues\nX-Hub-Signature-256: sha256=${signText("{}")}\n\n{"action":"opened"}`, "headers.missing", "between"],
  ["a value that the log hides", `bad signature got=${SIGNATURE} ts=${TIMESTAMP} body=${BODY.replace("M\u00fcller", "***")}\n`, "body.truncated", "log"],
  ["headers, a label, and JSON over several lines", `x-service-timestamp: ${TIMESTAMP}\nx-service-signature: ${signText(PRINTED)}\npayload:\n${JSON.stringify(JSON.parse(BODY), null, 2)}\n`, "body.reserialized", "log"],
  ["names in parentheses", `Signature (ours):   ${createHmac("sha256", SECRET).update(BODY).digest("hex")}\nSignature (header): ${SIGNATURE}\nTimestamp: ${TIMESTAMP}\nRaw body: ${BODY}\n`, "base.different", "receiver"],
  ["a body that was parsed before it was hashed and logged", `warn: mismatch ${JSON.stringify({ computed: signText(PRINTED), header: SIGNATURE, timestamp: TIMESTAMP, body: JSON.parse(BODY) })}\n`, "body.reserialized", "receiver"],
  ["a compressed body in base64", `POST /hook content-type=application/json content-encoding=gzip content-length=${ZIPPED.length}\nx-service-timestamp=${TIMESTAMP} x-service-signature=${SIGNATURE}\nbody(base64)=${ZIPPED.toString("base64")}\ncomputed=${signBytes(ZIPPED)} -> 401\n`, "body.compressed", "between"],
];

describe("webhooks verify of a plain log", () => {
  it.each(LOGS)("reads %s", async (_, log, cause, actor) => {
    const result = await verifyLog(log);
    expect(result, result.stderr).toMatchObject({ code: 7, causes: [{ id: cause, actor }] });
  });

  itEachFirst(LOGS)("answers in 14 lines at 80 columns: %s", async (_, log) => {
    const terminal = createTerminalContext({ cwd: setUp(log) });
    for (const stream of [terminal.context.stdout, terminal.context.stderr])
      Object.assign(stream, { columns: 80 });
    await terminal.run("webhooks", "verify", "app.log", "--secret-file", "secret.txt", "--no-color");
    const lines = (terminal.stdout.text + terminal.stderr.text).trimEnd().split("\n");
    expect(lines.length, lines.join("\n")).toBeLessThanOrEqual(14);
  });

  it.each([
    ["escaped as in HTML", "whsec_a&b<c>d0123456789abcdef", "whsec_a&amp;b&lt;c&gt;d0123456789abcdef"],
    [
      "without a variable that is not set",
      "p3s6v9y$B?E(H+MbQeThWmZq4t7w!z%C",
      "p3s6v9y?E(H+MbQeThWmZq4t7w!z%C",
    ],
  ])("proves that the stored secret is %s", async (_, secret, key) => {
    const log = `got=${signText(BODY, secret)} computed=${signText(BODY, key)} ts=${TIMESTAMP} body=${BODY}\n`;
    const args = ["webhooks", "verify", "app.log", "--secret-file", "secret.txt", "--json"];
    const { stdout } = await runCli(args, { cwd: setUp(log, secret), env: bareEnvironment() });
    const cause = { id: "secret.altered", certainty: "proved", actor: "secret_store" };
    expect(JSON.parse(stdout)).toMatchObject({ verdict: "mismatch", causes: [cause] });
    expect(stdout).not.toContain(key);
  });

  it.each([
    ["bytes", "b"],
    ["text", ""],
  ])("joins the pieces of %s that pprint of Python prints in lines", async (_, prefix) => {
    const pieces = EVENT.match(/.{1,20}/g)
      ?.map((piece) => `${prefix}'${piece}'`)
      .join("\n         ");
    const headers = `{'x-service-signature': '${signText(EVENT)}',\n             'x-service-timestamp': '${TIMESTAMP}'}`;
    const log = `{'body': ${pieces},\n 'headers': ${headers}}\n`;
    expect(await verifyLog(log)).toMatchObject({ code: 0, verdict: "valid" });
  });

  it.each([
    [
      "a labelled body after an object of another line",
      `config loaded {"env":"prod"}\nX-Service-Timestamp: ${TIMESTAMP}\nX-Service-Signature: ${SIGNATURE}\nbody: ${BODY}\n`,
    ],
    [
      "an event after an object of another line",
      `GET /health {"probe":"kube"}\nX-Service-Timestamp: ${TIMESTAMP}\nX-Service-Signature: ${SIGNATURE}\n${BODY}\nresponse {"received":true}\n`,
    ],
    [
      "headers in tuples of Elixir, and a printed body",
      `headers: [{"host", "a.example"}, {"x-service-timestamp", "${TIMESTAMP}"}, {"x-service-signature", "${SIGNATURE}"}]\nbody: ${JSON.stringify(BODY)}\n`,
    ],
  ])("finds the body: %s", async (_, log) => {
    const result = await verifyLog(log);
    expect(result, result.stderr).toMatchObject({ code: 0, verdict: "valid" });
  });

  it.each(["", "b"])(
    'knows no cause of a body that the log escaped, and another secret: body: %s"',
    async (prefix) => {
      const log = `X-Service-Timestamp: ${TIMESTAMP}\nX-Service-Signature: ${signText(EVENT, OLDER_SECRET)}\nbody: ${prefix}${JSON.stringify(EVENT)}\n`;
      expect(await verifyLog(log)).toMatchObject({ code: 7, verdict: "mismatch", causes: [] });
    },
  );

  it("says that the secret can be another one, and how to find out", async () => {
    const changed = BODY.replace('"a"', '"b"');
    const known = { ...PAID_HEADERS, "content-length": changed.length + 200 };
    for (const headers of [PAID_HEADERS, known]) {
      const log = `${JSON.stringify({ headers, body: changed })}\n`;
      const hint = /secret is not the one of this endpoint: verify another delivery of the same endpoint/;
      expect((await verifyLog(log)).stderr).toMatch(hint);
      const args = ["webhooks", "triage", "app.log", "--secret-file", "secret.txt"];
      expect((await runCli(args, { cwd: setUp(log), env: bareEnvironment() })).stderr).toMatch(hint);
    }
  });

  it("is valid where the receiver computed the same, and says where to look", async () => {
    const log = `expected=${SIGNATURE} actual=${SIGNATURE} timestamp=${TIMESTAMP} body=${BODY}\n`;
    expect(await verifyLog(log)).toMatchObject({
      ...{ code: 0, verdict: "valid", computed: "right" },
      stderr: expect.stringContaining("look at how it compares it"),
    });
  });

  it("says that a receiver refused the time of a right delivery", async () => {
    const log = `error: Timestamp outside the tolerance zone (now=${TIMESTAMP}913 ts=${TIMESTAMP} tolerance=300)
debug: x-service-timestamp: ${TIMESTAMP} x-service-signature: ${SIGNATURE} body: ${BODY}\n`;
    expect(await verifyLog(log)).toMatchObject({
      ...{ code: 0, verdict: "valid", event: "partner.test" },
      stderr: expect.stringContaining("by its log, your receiver refused the time, not the signature"),
    });
  });

  it("says that a receiver signed with its own clock", async () => {
    const ofReceiver = sign({ secret: SECRET, timestamp: String(Number(TIMESTAMP) + 2), body: BODY });
    const log = `expected ${ofReceiver} got ${SIGNATURE} ts=${TIMESTAMP} body=${BODY}\n`;
    const title = expect.stringContaining("the receiver signed with another time than that of the");
    expect(await verifyLog(log)).toMatchObject({ causes: [{ id: "timestamp.changed", title }] });
  });

  it("names the secret first where the receiver hashed this text with the secret that was given", async () => {
    const ofReceiver = signText(PRINTED);
    for (const log of [
      `hash_equals failed: known=${ofReceiver} user=${SIGNATURE} ts=${TIMESTAMP} input=${PRINTED}\n`,
      `Invalid signature. Received: ${SIGNATURE}, calculated: ${ofReceiver}, ts: ${TIMESTAMP}, body: ${PRINTED}\n`,
    ])
      expect(await verifyLog(log)).toMatchObject({
        ...{ code: 7, verdict: "mismatch", computed: "right_of_other_text" },
        reason: expect.stringContaining("the sender signed with another secret, or another text"),
        causes: [
          {
            id: "base.unknown",
            actor: "secret_store",
            fix: expect.stringMatching(/secretPrefix.*--candidate.*as they arrived/),
          },
        ],
      });
  });

  it("names the text that a receiver hashed where its log has null in place of the raw body", async () => {
    const headers = { "x-service-timestamp": TIMESTAMP, "x-service-signature": SIGNATURE };
    const log = JSON.stringify({ headers, rawBody: null, computed: signText("undefined") });
    const evidence = expect.stringContaining("the word undefined");
    const cause = { id: "body.constant", certainty: "proved", actor: "receiver", evidence };
    expect(await verifyLog(`${log}\n`)).toMatchObject({ code: 7, causes: [cause] });
  });

  const FORGED = signText(BODY, OLDER_SECRET);
  it.each([
    `signature mismatch: ${signText("a")} ${signText("b")} ${SIGNATURE} ts=${TIMESTAMP} body=${BODY}`,
    JSON.stringify({
      ...{ msg: "signature mismatch", a: signText("a"), b: signText("b"), c: SIGNATURE },
      ...{ timestamp: TIMESTAMP, body: BODY },
    }),
  ])("asks which of three signatures arrived, also if the computed one is named: %s", async (line) => {
    expect(await verifyLog(`${line}\n`, "--computed", signText("a"))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("has several signatures, and does not say which one arrived"),
    });
  });

  it("warns of what can be forged", async () => {
    const keyless = createHash("sha256").update(`${TIMESTAMP}.${BODY}`).digest("hex");
    const { code, causes } = await verifyLog(`bad signature ${keyless} ts ${TIMESTAMP} body ${BODY}\n`);
    expect(code).toBe(7);
    expect(causes).toMatchObject([
      { id: "signature.algorithm", evidence: expect.stringContaining("which anyone can make") },
    ]);
    const altered = BODY.replace("12.50", "99.50");
    const log = `got ${SIGNATURE} want ${signText(altered)} ts=${TIMESTAMP} body=${altered}\n`;
    const title = expect.stringMatching(/sender has another secret, or body or signature were altered/);
    expect(await verifyLog(log)).toMatchObject({
      ...{ code: 7, verdict: "mismatch" },
      causes: [{ certainty: "likely", title, fix: expect.stringMatching(/^refuse it, as it can be forged/) }],
    });
  });

  it("does not point to -v with -v", async () => {
    const log = `got=${SIGNATURE} computed=${signText(PRINTED)} ts=${TIMESTAMP} body=${BODY}\n`;
    expect((await verifyLog(log)).stderr).toContain("-v shows");
    expect((await verifyLog(log, "-v")).stderr).not.toContain("-v shows");
  });

  it("gives no verdict if the body was logged after parsing, and one of two unnamed digests verifies", async () => {
    const record = { msg: "signature mismatch", a: signText(PRINTED), b: FORGED };
    const log = `${JSON.stringify({ ...record, timestamp: TIMESTAMP, body: JSON.parse(BODY) })}\n`;
    expect(await verifyLog(log)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--field signature=PATH"),
    });
  });

  it("takes what stands beside a signature for another digest if nothing was refused", async () => {
    const log = `accepted signature=${SIGNATURE} trace=${"ab".repeat(32)} ts=${TIMESTAMP} body=${BODY}\n`;
    expect(await verifyLog(log)).toMatchObject({ code: 0, verdict: "valid" });
  });

  it.each([
    `digest ${"ab".repeat(32)}`,
    `x-hub-signature-256: sha256=${SIGNATURE}`,
    `x-other-signature: ${createHmac("sha256", SECRET).update(BODY).digest("hex")}`,
  ])("takes no other digest for what the receiver computed: %s", async (line) => {
    const log = `INFO hook: x-service-signature=${SIGNATURE} x-service-timestamp=${TIMESTAMP}\nbody: ${BODY}\n${line}\n`;
    expect(await verifyLog(log)).toMatchObject({ code: 0, verdict: "valid" });
  });

  it("obeys --field before it looks for known names", async () => {
    const wrong = "0".repeat(64);
    const line = `got=${wrong} their_sig=${SIGNATURE} at=${TIMESTAMP} text=${BODY}\n`;
    const json = `${JSON.stringify({ got: wrong, their: { sig: SIGNATURE }, at: TIMESTAMP, text: BODY })}\n`;
    const around = `INFO hook ${json}`;
    const fields = ["--field", "timestamp=at", "--field", "body=text"];
    for (const [log, path] of [
      [line, "their_sig"],
      [json, "their.sig"],
      [around, "their.sig"],
    ] as const) {
      const result = await verifyLog(log, "--field", `signature=${path}`, ...fields);
      expect(result, result.stderr).toMatchObject({ code: 0, verdict: "valid" });
    }
  });
});

describe("webhooks verify of a record without a body", () => {
  it("says who must act, and the next step", async () => {
    const line = `signature mismatch expected=${signText(PRINTED)} actual=${SIGNATURE} timestamp=${TIMESTAMP} bytes=150`;
    const { code, stderr } = await verifyLog(`${line}\n`);
    expect(code).toBe(2);
    expect(stderr).toMatch(/no body, so nothing.*whoever made this log must act.*--body FILE --timestamp T/);
  });

  it("says that a record with a body lacks the timestamp", async () => {
    const line = `signature mismatch expected=${signText(PRINTED)} actual=${SIGNATURE} body=${BODY}\n`;
    const { stderr } = await verifyLog(line);
    expect(stderr).toContain("has no X-Service-Timestamp");
    expect(stderr).toMatch(/"log the value of X-Service-Timestamp.*the fields are expected, actual/);
  });
});

describe("webhooks verify --computed", () => {
  it("is not valid for a text that was not sent", async () => {
    const log = `sig=${SIGNATURE} ts=${TIMESTAMP} body=undefined\n`;
    expect(await verifyLog(log, "--computed", signText("undefined"))).toMatchObject({
      ...{ code: 7, computed: "right_of_other_text" },
      reason: expect.stringContaining("secret and formula of your receiver are right"),
      causes: [{ id: "body.constant", actor: "receiver" }],
    });
  });

  it.each([
    ["a trimmed body", ` ${BODY}`, BODY],
    ["question marks", BODY, BODY.replace("\u00fc", "?")],
    ["the first 64 bytes", BODY, BODY.slice(0, 64)],
    ["base64", BODY, Buffer.from(BODY).toString("base64")],
  ])("gives the fix of the receiver for %s", async (_, sent, hashed) => {
    const log = `sig=${signText(sent)} ts=${TIMESTAMP} body=${JSON.stringify(sent)}\n`;
    const { causes } = await verifyLog(log, "--computed", signText(hashed));
    expect(causes).toMatchObject([{ actor: "receiver" }]);
    expect(causes[0].fix).not.toMatch(/copy or log|proxy/);
  });
});
