import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sign } from "../../src/signature.ts";
import { bareEnvironment, runCli, temporaryFolder } from "../support/cli.ts";
import { OLDER_SECRET, SECRET } from "../support/incidents.ts";

const TIMESTAMP = "1796034200";
const BODY = '{"id":"evt_1","type":"partner.credential.rotated","data":{"credential":"cred_2"}}';
const signWith = (secret: string) => sign({ secret, timestamp: TIMESTAMP, body: BODY });
/** The right one of the delivery, which a receiver computes of a forged delivery, too. */
const RIGHT = signWith(SECRET);
const FORGED = signWith("whsec_of_somebody_else");
const OF_UNDEFINED = signWith("undefined");
const REST = `ts=${TIMESTAMP} body=${BODY}`;
const HEADERS = {
  "x-service-event": "partner.credential.rotated",
  "x-service-timestamp": TIMESTAMP,
  "content-type": "application/json",
};
const toRecord = (fields: object) => JSON.stringify({ msg: "refused", ...fields, body: BODY });

/** Runs verify and triage, which judge a record by the same. */
async function judge(log: string, ...more: string[]) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "app.log"), `${log}\n`);
  writeFileSync(join(cwd, "secret.txt"), SECRET, { mode: 0o600 });
  writeFileSync(join(cwd, "old.txt"), OLDER_SECRET, { mode: 0o600 });
  const run = (command: string) =>
    runCli(["webhooks", command, "app.log", "--secret-file", "secret.txt", ...more, "--json"], {
      cwd,
      env: bareEnvironment(),
    });
  const [verify, triage] = [await run("verify"), await run("triage")];
  return {
    verify,
    triage,
    verdict: JSON.parse(verify.stdout || "{}"),
    report: JSON.parse(triage.stdout || "{}"),
  };
}

describe("which value of a record arrived", () => {
  it.each([
    ["two after one name", `hmac check: ${FORGED} != ${RIGHT} | ${TIMESTAMP} | ${BODY}`],
    ["two after one name, the right one first", `hmac check: ${RIGHT} != ${FORGED} | ${TIMESTAMP} | ${BODY}`],
    ["two after one name, with a slash", `hmac: ${FORGED} / ${RIGHT} ${REST}`],
    ["two after the name of a signature", `sig ${RIGHT} / ${FORGED} ${REST}`],
    [
      "an assertion, in which expected is what was given",
      `AssertionError: expected ${FORGED} to equal ${RIGHT} ${REST}`,
    ],
    ["a digest and what was expected", `hmac=${FORGED} expected=${RIGHT} ${REST}`],
    ["arguments of a function", `hash_equals(${FORGED}, ${RIGHT}) === false ${REST}`],
    [
      "a fault of a receiver, which a sender can have, too",
      `invalid signature: ${OF_UNDEFINED} != ${RIGHT} ${REST}`,
    ],
    [
      "an assertion of Node",
      `+ actual - expected\n\n+ '${RIGHT}'\n- '${OF_UNDEFINED}'\nts ${TIMESTAMP} body ${BODY}`,
    ],
    [
      "var_dump of PHP",
      `string(64) "${RIGHT}"\nstring(64) "${OF_UNDEFINED}"\nstring(10) "${TIMESTAMP}"\nstring(81) "${BODY}"`,
    ],
    [
      "the words of an assertion, either way round",
      `WARN mismatch expected=${FORGED} actual=${RIGHT} ${REST}`,
    ],
    ["other words of an assertion", `WARN bad signature: want ${FORGED} got ${RIGHT} ${REST}`],
    ["two after a sentence", `signature ${RIGHT} does not match ${FORGED}, ${REST}`],
    ["words of another language", `ung\u00fcltig: berechnet ${RIGHT}, erhalten ${FORGED}, ${REST}`],
    ["names that say nothing", toRecord({ a: RIGHT, b: FORGED, timestamp: TIMESTAMP })],
    ["a tuple", `ValueError: signature mismatch ('${RIGHT}', '${OF_UNDEFINED}', '${TIMESTAMP}', '${BODY}')`],
  ])("asks for %s", async (_, log) => {
    const { verify, triage } = await judge(log);
    expect(verify).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("does not say which one arrived"),
    });
    expect(triage).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("does not say which one arrived"),
    });
  });

  it.each([
    ["headers without a signature", toRecord({ computedSignature: RIGHT, headers: HEADERS })],
    ["headers without a signature, and a digest", toRecord({ hmac: RIGHT, headers: HEADERS })],
    ["headers without a signature, and a plain name", toRecord({ sig: RIGHT, headers: HEADERS })],
    ["an empty header", toRecord({ expected: RIGHT, headers: { ...HEADERS, "x-service-signature": "" } })],
    ["null", toRecord({ signature: null, expected: RIGHT, timestamp: TIMESTAMP })],
    ["an empty field", toRecord({ received: "", computed: RIGHT, timestamp: TIMESTAMP })],
    ["nothing beside the receiver's own, of any name", `refused: mySig=${RIGHT} header=null ${REST}`],
    ["nothing beside a signature", `refused: sig=${RIGHT} got=nil ${REST}`],
    ["a dash", `refused: server_sig=${RIGHT} hdr=- ${REST}`],
    ["the word undefined", `WARN refused received=undefined computed=${RIGHT} ${REST}`],
    ["nothing after a name", `WARN refused received= computed=${RIGHT} ${REST}`],
    ["None", `WARN refused got None want ${RIGHT} ts ${TIMESTAMP} body ${BODY}`],
    [
      "words before what was computed",
      `WARN webhook without signature header -> 401. we calculated ${RIGHT} ${REST}`,
    ],
    ["words after what was computed", `sig=${RIGHT} (calculated) ${REST} no signature header -> 401`],
    ["words after a digest", `hmac=${RIGHT} ${REST} -> 401 no signature header`],
    ["a header that was empty", `signature we expected: ${RIGHT} ${REST} but the header was empty`],
    ["a header of the service in words", `No X-Service-Signature! our signature: ${RIGHT} ${REST}`],
  ])("says that no signature arrived with %s", async (_, log) => {
    const { verify, verdict, triage, report } = await judge(log);
    expect(verdict, verify.stderr).toMatchObject({
      verdict: "missing_header",
      causes: [{ id: "signature.missing" }],
    });
    expect(triage.code).toBe(7);
    expect(report).toMatchObject({ valid: 0, groups: [{ verdict: "missing_header" }] });
  });

  it.each([
    ["only what was computed", `WARN refused computedSignature=${RIGHT} ${REST}`],
    [
      "what was computed with two secrets",
      `calculated with the old secret ${FORGED}, with the new one ${RIGHT}; ${REST}`,
    ],
    [
      "what was computed, in words that name a request",
      `our signature for the incoming request is ${RIGHT}; ${REST}`,
    ],
    ["what a body was hashed to", `refused: received body hashed to ${RIGHT}; ${REST}`],
    ["what would have been right", `refused: the signature would be ${RIGHT}; ${REST}`],
    ["the right one", `refused: right sig ${RIGHT}; ${REST}`],
  ])("takes nothing as arrived from %s", async (_, log) => {
    const { verify, triage } = await judge(log);
    expect(verify).toMatchObject({ code: 2, stderr: expect.stringContaining("no X-Service-Signature") });
    expect(triage).toMatchObject({ code: 2, stderr: expect.stringContaining("no X-Service-Signature") });
  });

  it.each([
    ["in brackets after a value", `expected ${FORGED} (header) but actual is ${RIGHT} (ours), ${REST}`],
    ["in brackets, without a name before", `${RIGHT} (ours) vs ${FORGED} (theirs) ${REST}`],
    ["for both", `our hash: ${RIGHT} their hash: ${FORGED} ${REST}`],
    ["before the word received", `computed from the received body ${RIGHT}, header ${FORGED}, ${REST}`],
    [
      "in a sentence",
      `Signature calculated from body (${RIGHT}) is not the one in the header (${FORGED}). ${REST}`,
    ],
  ])("obeys a word %s, and blames no receiver that refused a forged delivery", async (_, log) => {
    const { verify, verdict, report } = await judge(log);
    expect(verdict, verify.stderr).toMatchObject({ verdict: "mismatch", computed: "right_of_other_text" });
    expect(verdict.causes).toMatchObject([{ id: "base.unknown", fix: expect.stringMatching(/^refuse it/) }]);
    expect(verdict.causes[0].fix).not.toContain("hash the bytes");
    expect(report).toMatchObject({ valid: 0 });
  });

  it.each([
    [
      "an older secret",
      `expected ${RIGHT} (header) but actual is ${signWith(OLDER_SECRET)} (ours), ${REST}`,
      "secret.older",
    ],
    [
      "a digest with that of an unset variable",
      `digest ${OF_UNDEFINED} vs header ${RIGHT} (t=${TIMESTAMP}) rawBody=${BODY}`,
      "secret.placeholder",
    ],
    [
      "names with abbreviations",
      `bad hmac hmac_calc=${signWith(`${SECRET}\n`)} hmac_hdr=${RIGHT} ${REST}`,
      "secret.whitespace",
    ],
  ])("names the receiver's fault in verify and in triage: %s", async (_, log, id) => {
    const { verify, verdict, triage, report } = await judge(log, "--candidate", "older=old.txt");
    expect(verdict, verify.stderr).toMatchObject({
      verdict: "mismatch",
      computed: "different",
      causes: [{ id }],
    });
    expect(triage.code).toBe(7);
    expect(report.refused).toMatchObject({ count: 1, causes: [`${id} (proved)`] });
  });
});

describe("a record in which only the words of an assertion say which signature arrived", () => {
  const log = `WARN mismatch expected=${FORGED} actual=${RIGHT} ${REST}`;

  it("is not right if the user says that the receiver computed the right one", async () => {
    const { verdict } = await judge(log, "--computed", RIGHT);
    expect(verdict).toMatchObject({ verdict: "mismatch", computed: "right_of_other_text" });
  });

  it("is right if the user says that the receiver computed the other one", async () => {
    const { verdict } = await judge(log, "--computed", FORGED);
    expect(verdict).toMatchObject({ verdict: "mismatch", computed: "different" });
    expect(verdict.reason).toBe("the delivery is right, and your receiver computed another signature");
  });
});

describe("a receiver that computed the signature that arrived", () => {
  it.each([
    ["another secret", `expected=${FORGED} actual=${FORGED} ${REST}`, "secret.another", "secret_store"],
    [
      "a text that the log printed again",
      `expected=${RIGHT} actual=${RIGHT} ts=${TIMESTAMP} body=${BODY.replaceAll('":', '": ')}`,
      "body.reserialized",
      "log",
    ],
  ])("does not have to act: %s", async (_, log, id, actor) => {
    const { verify, verdict, report } = await judge(log);
    expect(verdict, verify.stderr).toMatchObject({
      verdict: "mismatch",
      computed: "right",
      causes: [{ id, actor }],
    });
    expect(report).toMatchObject({ valid: 0 });
  });
});

describe("--field signature=NAME", () => {
  it.each([
    [toRecord({ computedSignature: RIGHT, timestamp: TIMESTAMP }), "computedSignature"],
    [toRecord({ ours: { sig: RIGHT }, timestamp: TIMESTAMP }), "ours.sig"],
    [`WARN we calculated ${RIGHT} ${REST}`, "calculated"],
    [`WARN sig=${RIGHT} (calculated) ${REST}`, "sig"],
    [`expected=${RIGHT} ${REST}`, "expected"],
  ])("refuses a name of what the receiver computed: %s", async (log, name) => {
    const { verify, triage } = await judge(log, "--field", `signature=${name}`, "--field", "body=body");
    for (const { code, stderr } of [verify, triage]) {
      expect(code).toBe(2);
      expect(stderr).toContain("is what the receiver computed");
    }
  });

  it("takes what was expected, if the record or another option names what was computed", async () => {
    const log = `expected ${RIGHT} (header) but actual is ${OF_UNDEFINED} (ours), ${REST}`;
    for (const more of [[], ["--field", "computed=actual"]]) {
      const { verdict, report } = await judge(log, "--field", "signature=expected", ...more);
      expect(verdict).toMatchObject({ verdict: "mismatch", computed: "different" });
      expect(report.refused).toMatchObject({ count: 1 });
    }
  });
});

it("names the words before the values of a text without a delivery", async () => {
  const { verify, triage } = await judge(`WARN hook digest ${RIGHT} of ${BODY}`);
  for (const { code, stderr } of [verify, triage]) {
    expect(code).toBe(2);
    expect(stderr).toMatch(/the words before values here, are .*hook digest/);
  }
  const { verify: timeless } = await judge(`ERROR bad signature ${RIGHT} for ${BODY}`);
  expect(timeless.stderr).toMatch(/no X-Service-Timestamp.*the fields are .*bad signature/);
});

describe("the clock of a log", () => {
  const HEADERS_WITHOUT_TIMESTAMP = {
    ...HEADERS,
    "x-service-timestamp": undefined,
    "x-service-signature": RIGHT,
  };

  it.each([
    ["beside a list of headers", { time: Number(TIMESTAMP), headers: HEADERS_WITHOUT_TIMESTAMP }],
    ["in another form", { timestamp: "2026-11-30T10:23:20.120Z", headers: HEADERS_WITHOUT_TIMESTAMP }],
    ["beside null", { timestamp: TIMESTAMP, x_service_timestamp: null, x_service_signature: RIGHT }],
    ["beside -", { timestamp: TIMESTAMP, x_service_timestamp: "-", x_service_signature: RIGHT }],
    ["beside an empty name", { time: Number(TIMESTAMP), ts: "", sig: RIGHT }],
  ])("is not taken for the timestamp of a delivery, %s", async (_, fields) => {
    const { verify, triage } = await judge(toRecord(fields));
    expect([verify.code, triage.code]).toEqual([2, 2]);
  });

  it("is the timestamp if nothing else can be it", async () => {
    const { verdict } = await judge(toRecord({ time: Number(TIMESTAMP), sig: RIGHT }));
    expect(verdict.verdict).toBe("valid");
  });
});

it.each([
  ["jest", (computed: string) => `Expected: "${RIGHT}"\nReceived: "${computed}"`],
  ["JUnit", (computed: string) => `expected: <${RIGHT}> but was: <${computed}>`],
  ["Go", (computed: string) => `sign() = ${computed}, want ${RIGHT}`],
])("an assertion of %s names what the receiver computed, if its fault is proved", async (_, print) => {
  const { verdict } = await judge(`${print(OF_UNDEFINED)}\n${REST}`);
  expect(verdict.causes).toMatchObject([
    { id: "secret.placeholder", certainty: "proved", actor: "secret_store" },
  ]);
  expect(verdict.computed).toBe("different");
});
