import { describe, expect, it } from "vitest";
import { checkPasted, type LabInput } from "../../../../../src/pages/lab/check.ts";
import { sign } from "../../../../../src/signature.ts";

const SECRET = "whsec_bWFkZS11cC1mb3ItdGVzdHMtb25seS0wMDAwMDAwMDE";
const TIMESTAMP = "1795132800";
const BODY = '{"id":"3f0c9a","data":{"note":"caf\u00e9"}}';

const headersFor = (body: string) => ({
  "X-Service-Timestamp": TIMESTAMP,
  "X-Service-Signature": sign({ secret: SECRET, timestamp: TIMESTAMP, body }),
});
const head = (body: string): string =>
  Object.entries(headersFor(body))
    .map(([name, value]) => `${name}: ${value}\n`)
    .join("");

async function check(input: Partial<LabInput>) {
  const result = await checkPasted({
    ...{ request: "", secret: SECRET, now: (Number(TIMESTAMP) + 90) * 1_000 },
    ...input,
  });
  if (result.problem !== null) throw new Error(`${result.problem}: ${result.hint}`);
  return result;
}

describe("the check of the lab", () => {
  const request = { headers: headersFor(BODY), body: BODY };
  it.each([
    ["a raw request", `POST /hook HTTP/1.1\n${head(BODY)}\n${BODY}`],
    ["headers and body", `${head(BODY)}\n${BODY}`],
    [
      "a curl command",
      `curl https://partner.example/hook ${head(BODY)
        .trim()
        .split("\n")
        .map((line) => `-H '${line}'`)
        .join(" ")} --data-raw '${BODY}'`,
    ],
    ["an event of API Gateway", JSON.stringify({ version: "2.0", ...request, isBase64Encoded: false })],
    ["a record of a log", JSON.stringify({ time: "2026-11-20T00:00:00Z", request })],
    [
      "a HAR",
      JSON.stringify({
        log: {
          entries: [
            { request: { method: "GET", url: "/", headers: [] } },
            {
              request: {
                headers: Object.entries(headersFor(BODY)).map(([name, value]) => ({ name, value })),
                postData: { text: BODY },
              },
            },
          ],
        },
      }),
    ],
  ])("reads %s", async (_, text) => {
    const { explanation } = await check({ request: text });
    expect(explanation).toMatchObject({ verdict: "valid", ageSeconds: 90 });
  });

  it("names the cause of a mismatch", async () => {
    const printed = JSON.stringify(JSON.parse(BODY), null, 2);
    const { explanation } = await check({ request: `${head(BODY)}Via: 1.1 proxy\n\n${printed}` });
    expect(explanation.causes.map(({ id, certainty }) => [id, certainty])).toEqual([
      ["body.reserialized", "proved"],
    ]);
  });

  it("restores the line ends that a text box changes, and takes files as they are", async () => {
    const body = '{\r\n  "id": 1\r\n}';
    const text = `${head(body)}\n${body}`;
    const pasted = await check({ request: text.replaceAll("\r\n", "\n") });
    expect(pasted).toMatchObject({ hasRestoredLineEnds: true, explanation: { verdict: "valid" } });
    const file = await check({ request: Buffer.from(text) });
    expect(file).toMatchObject({ hasRestoredLineEnds: false, explanation: { verdict: "valid" } });
    const changed = await check({ request: Buffer.from(text.replaceAll("\r\n", "\n")) });
    expect(changed.explanation.causes.map(({ id }) => id)).toEqual(["body.line_endings"]);
  });

  it.each([
    ["without a secret", { request: `${head(BODY)}\n${BODY}`, secret: "" }, "no signing secret given"],
    ["with a secret in another encoding", { secret: Uint8Array.of(0xff, 0xfe, 0x41) }, "not UTF-8"],
    ["without a request", {}, "the request is empty"],
    ["of something else", { request: "hello" }, "line 1 of the request is not a header"],
    ["of other JSON", { request: "{}" }, "JSON without headers and body"],
    [
      "of a curl command with a file",
      { request: "curl -d @body.json http://a" },
      "body.json, which this page cannot read",
    ],
  ])("says what to do %s", async (_, input, problem) => {
    await expect(check(input)).rejects.toThrow(problem);
  });
});
