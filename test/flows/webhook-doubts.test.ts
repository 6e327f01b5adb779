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

async function run(command: "verify" | "triage", text: string, ...args: string[]) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "input"), text);
  writeFileSync(join(cwd, "secret.txt"), SECRET, { mode: 0o600 });
  const all = ["webhooks", command, "input", "--secret-file", "secret.txt", ...args];
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
});
