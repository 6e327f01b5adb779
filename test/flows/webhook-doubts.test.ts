import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sign } from "../../src/signature.ts";
import { bareEnvironment, errorOf, runCli, temporaryFolder } from "../support/cli.ts";
import { SECRET } from "../support/incidents.ts";

const TIMESTAMP = "1796016000"; // 2026-11-30T05:20:00Z
const BODY = '{"id":"e1","type":"partner.test"}';
const SIGNATURE = sign({ secret: SECRET, timestamp: TIMESTAMP, body: BODY });
const SIGNED = `ts=${TIMESTAMP} sig=${SIGNATURE} body=${BODY}`;

const toRequest = (...headers: string[]): string =>
  [
    "POST /hook HTTP/1.1",
    `X-Service-Timestamp: ${TIMESTAMP}`,
    `X-Service-Signature: ${SIGNATURE}`,
    ...headers,
    "",
    BODY,
  ].join("\r\n");

const run = (command: "verify" | "triage", text: string, ...args: string[]) =>
  runOn("input", command, text, ...args);

/** @param place of a delivery in the file `input` */
async function runOn(place: string, command: "verify" | "triage", text: string, ...args: string[]) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "input"), text);
  writeFileSync(join(cwd, "secret.txt"), SECRET, { mode: 0o600 });
  const all = ["webhooks", command, place, "--secret-file", "secret.txt", ...args];
  return runCli(all, { cwd, env: bareEnvironment() });
}

describe("a delivery that verifies, and that nobody should trust by that alone", () => {
  it.each([
    [
      "the header names another event",
      toRequest("X-Service-Event: partner.credential.rotated"),
      /X-Service-Event says partner.credential.rotated, and the signed body says partner.test\. X-Service-Event is not signed/,
    ],
    [
      "the log names another event",
      `processed event=partner.credential.rotated ${SIGNED}\n`,
      /says partner.credential.rotated, and the signed body says partner.test/,
    ],
    [
      "more bytes arrived than are there",
      `401 bad signature; content-length=144 ${SIGNED}\n`,
      /Content-Length is 144, and only the 33 bytes here verify/,
    ],
  ])("%s: verify and triage warn, and do not blame the receiver", async (_, text, warning) => {
    const verified = await run("verify", text);
    expect(verified.stderr).toMatch(warning);
    expect(verified.stdout).not.toContain("credential.rotated");
    const { stderr } = await run("triage", text);
    expect(stderr).toMatch(warning);
    expect(stderr).not.toContain("look at this receiver");
  });

  it.each(["Date: Thu, 10 Dec 2026 11:58:03 GMT", "X-Received-At: 2026-12-10T11:58:03Z"])(
    "verify says that a request came late: %s",
    async (header) => {
      const { code, stderr } = await run("verify", toRequest(header));
      expect(code).toBe(0);
      expect(stderr).toMatch(/warning: it arrived 10 d 6 h after it was signed\. .*--tolerance 5m refuses/);
      // The header can be its sender's: the age is that of now, or of --at.
      const judged = await run("verify", toRequest(header), "--tolerance", "5m", "--json");
      expect(errorOf(judged).hint).toMatch(/^refuse it/);
    },
  );

  it.each([
    ["2026-12-02T05:20:00Z", /warning: input:1: it arrived 2 d after it was signed/],
    ["2026-11-30T13:20:00Z", /^(?!.*warning)/s],
  ])("triage warns of a delivery that came later than a time zone explains: %s", async (time, expected) => {
    const { code, stderr } = await run("triage", `${time} 204 ${SIGNED}\n`);
    expect(code).toBe(0);
    expect(stderr).toMatch(expected);
  });

  it("triage says that one delivery was received several times", async () => {
    const times = [
      "2026-11-30T05:20:01Z",
      "2026-11-30T05:20:01Z",
      "2026-11-30T05:22:11Z",
      "2026-12-02T05:20:00Z",
    ];
    const { code, stderr } = await run("triage", times.map((time) => `${time} 204 ${SIGNED}\n`).join(""));
    expect(code).toBe(0);
    expect(stderr).toContain(
      "warning: input:3 is the delivery of input:1 again, 2 min 10 s later (and 1 more like it). It is a retry, a copy of a queue, or a replay",
    );
  });

  it("verify --tolerance judges a record by its own time, and names the age in its error", async () => {
    const at = (time: string) => run("verify", `${time} ${SIGNED}\n`, "--tolerance", "5m", "--json");
    expect(await at("2026-11-30T05:24:00Z")).toMatchObject({ code: 0 });
    const late = await at("2026-12-03T05:20:00Z");
    expect(late.code).toBe(7);
    expect(errorOf(late)).toMatchObject({
      message: "the delivery is not verified: its timestamp is outside the tolerance",
      hint: expect.stringContaining("held in a queue, or sent again late or by somebody else"),
    });
  });

  it("verify says that a delivery of a log was received before, also if its time is right", async () => {
    const log = ["05:20:01", "05:22:11"].map((time) => `2026-11-30T${time}Z 204 ${SIGNED}\n`).join("");
    const { code, stderr } = await run("verify", log, "--entry", "2", "--tolerance", "5m");
    expect(code).toBe(0);
    expect(stderr).toContain("warning: input:2 is the delivery of input:1 again, 2 min 10 s later");
    expect((await run("verify", log, "--entry", "1")).stderr).not.toContain("again");
  });
});

describe("a delivery with the signature of another one", () => {
  const toEntry = (body: string, status: number) => ({
    startedDateTime: "2026-11-30T05:20:01.000Z",
    request: {
      method: "POST",
      url: "https://a.example/hook",
      headers: [
        { name: "X-Service-Timestamp", value: TIMESTAMP },
        { name: "X-Service-Signature", value: SIGNATURE },
      ],
      postData: { mimeType: "application/json", text: body },
    },
    response: { status },
  });
  const OTHER = BODY.replace("e1", "e2");

  it.each([
    ["before", [toEntry(OTHER, 401), toEntry(BODY, 200)], "input#1"],
    ["after", [toEntry(BODY, 200), toEntry(OTHER, 401)], "input#2"],
  ])("is found %s it, and verify takes it by the place that triage names", async (_, entries, place) => {
    const har = JSON.stringify({ log: { entries } });
    const { code, stdout } = await run("triage", har, "--json");
    expect(code).toBe(7);
    expect(JSON.parse(stdout)).toMatchObject({
      valid: 1,
      groups: [{ causes: ["signature.reused (proved)"], example: place }],
    });
    const { stdout: verified } = await runOn(place, "verify", har, "--json");
    expect(JSON.parse(verified)).toMatchObject({ causes: [{ id: "signature.reused" }] });
  });

  const PAID = '{"id":"e1","type":"partner.test","data":{"name":"M\u00f6bel","amount":10.50,"paid":12}}';

  it.each([
    ["was cut", PAID.slice(0, 40), "body.truncated", "log"],
    ["was cut, as a mark says", `${PAID.slice(0, 40)}... (truncated)`, "body.truncated", "log"],
    ["was printed again and cut", PAID.replaceAll(":", ": ").slice(0, 40), "body.truncated", "log"],
    ["hides a value", PAID.replace("M\u00f6bel", "***"), "body.truncated", "log"],
    ["was parsed and printed again", PAID.replace("10.50", "10.5"), "body.number_reprinted", "receiver"],
    [
      "was printed by another language",
      '{"data": {"amount": 10.5, "name": "M\\u00f6bel", "paid": 12}, "id": "e1", "type": "partner.test"}',
      "body.number_reprinted",
      "receiver",
    ],
    ["has another amount", PAID.replace("10.50", "99.50"), "signature.reused", "sender"],
    [
      "has another amount and was cut",
      PAID.replace("10.50", "99.50").slice(0, -4),
      "signature.reused",
      "sender",
    ],
    ["has the start of an amount", PAID.replace("12", "1"), "signature.reused", "sender"],
  ])("a record of the same delivery that %s", async (_, copy, id, actor) => {
    const signature = sign({ secret: SECRET, timestamp: TIMESTAMP, body: PAID });
    const har = JSON.stringify({ log: { entries: [toEntry(copy, 401), toEntry(PAID, 200)] } });
    const { stdout } = await run("triage", har.replaceAll(SIGNATURE, signature), "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      valid: 1,
      groups: [{ causes: [`${id} (proved)`], actions: [{ actor }] }],
    });
  });
});

describe("a request with the response to it", () => {
  const response = "HTTP/1.1 401 Unauthorized\r\nContent-Type: text/plain\r\n\r\ninvalid signature\n";

  it.each([
    ["after an empty line", "\r\n\r\n"],
    ["after a line", "\n"],
  ])("is judged without it, and refused: %s", async (_, between) => {
    const { code, stdout } = await run("verify", toRequest() + between + response, "--json");
    expect([code, JSON.parse(stdout).verdict]).toEqual([0, "valid"]);
    const { stderr } = await run("triage", toRequest() + between + response);
    expect(stderr).toContain("the receiver refused it");
  });

  it("is forged although a response follows", async () => {
    const forged = toRequest().replace('"e1"', '"e2"') + response;
    const { code, stdout } = await run("verify", forged, "--json");
    expect(code).toBe(7);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: "mismatch", causes: [] });
  });
});

describe("the signing time under the name of the time", () => {
  const rest = `time=${TIMESTAMP} sig=${SIGNATURE}`;
  it.each([
    `2026-11-30 05:20:01 WARN bad webhook signature ${rest} body=${BODY}`,
    `I, [2026-11-30T05:20:01.123456 #71]  INFO -- : [webhook] rejected ${rest} body=${BODY}`,
    `[2026-11-30T05:20:01Z] rejected: ${rest}, body=${BODY}`,
    `2026-11-30T05:20:01Z webhook refused\n  ${rest.replace(" ", "\n  ")}\n  body=${BODY}`,
  ])("is read beside the time of the line: %s", async (log) => {
    const { code, stdout, stderr } = await run("verify", `${log}\n`, "--tolerance", "5m", "--json");
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout).verdict).toBe("valid");
  });
});
