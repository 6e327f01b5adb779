import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { errorOf, runCli, temporaryFolder } from "../support/cli.ts";
import { type Script, sendJson, startScriptedService } from "../support/scripted-service.ts";

const JSON_TYPE = "application/json";
const CLIENT = { id: "c-1", name: "Müller & Söhne", reference: null, createdAt: "2026-01-02T00:00:00Z" };
const LIST = JSON.stringify({ data: [CLIENT], nextCursor: null });
const ROWS = '{"entryNumber":"E1","route":"protest"}\n{"entryNumber":"E2","route":"none"}\n';

const sendBytes =
  (body: Uint8Array | string, headers: Record<string, string>): Script =>
  (_, response) =>
    void response.writeHead(200, { "content-type": JSON_TYPE, ...headers }).end(body);

async function run(script: Script, ...args: string[]) {
  const { env, requests } = await startScriptedService(script);
  return { ...(await runCli(args, { env })), requests };
}

/** Some megabytes that are 1 GiB of zeros: a gzip file may have several members (RFC 1952 §2.2). */
const sendHuge =
  (type = JSON_TYPE): Script =>
  (_, response) => {
    const part = gzipSync(Buffer.alloc(64 << 20), { level: 1 });
    response.writeHead(200, { "content-type": type, "content-encoding": "gzip" });
    pipeline(Readable.from(Array.from({ length: 16 }, () => part)), response).catch(() => {});
  };

describe("a compressed response", () => {
  it.each<[string, Uint8Array, string]>([
    ["the old name of gzip, in capitals", gzipSync(LIST), "X-GZIP"],
    ["two codings", brotliCompressSync(gzipSync(LIST)), "gzip, br"],
    ["a name that is no coding", Buffer.from(LIST), "UTF-8"],
  ])("is decoded: %s", async (_, body, coding) => {
    const script = sendBytes(body, { "content-encoding": coding });
    const { code, stdout, requests } = await run(script, "clients", "list");
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("Müller & Söhne") });
    expect(requests[0]?.headers["accept-encoding"]).toBe("gzip, deflate, br");
    expect((await run(script, "clients", "list", "--json")).stdout).toBe(`${LIST}\n`);
    expect((await run(script, "api", "GET", "/v1/clients")).stdout.trim()).toBe(LIST);
  });

  it("may have no body, as a gateway sends it", async () => {
    const script: Script = (_, response) => response.writeHead(204, { "content-encoding": "gzip" }).end();
    expect(await run(script, "api", "DELETE", "/v1/clients/1")).toMatchObject({ code: 0, stdout: "" });
  });

  it.each(["ndjson", "json", "csv"])(
    "is decoded while a dataset is read, and in its file: %s",
    async (format) => {
      const csv = "entryNumber,route\nE1,protest\n";
      const [type, text] = {
        ndjson: ["application/x-ndjson", ROWS],
        json: [JSON_TYPE, '{"rows":[{"entryNumber":"E1"}]}\n'],
        csv: ["text/csv", csv],
      }[format] as [string, string];
      const script = sendBytes(gzipSync(text), { "content-type": type, "content-encoding": "gzip" });
      const out = join(temporaryFolder(), "dataset");
      const dataset = ["diligence", "dataset", "j-1", `--${format}`];
      expect((await run(script, ...dataset, "--out", out)).code).toBe(0);
      expect(readFileSync(out, "utf8")).toBe(text);
      expect((await run(script, ...dataset)).stdout).toBe(text);
      if (format !== "csv") expect((await run(script, "diligence", "dataset", "j-1")).stdout).toContain("E1");
    },
  );

  it("shows the explanation of an error", async () => {
    const { code, stderr } = await run(
      (_, response) => {
        response.writeHead(422, { "content-type": JSON_TYPE, "content-encoding": "gzip" });
        response.end(gzipSync('{"message":"The seller is unknown."}'));
      },
      "clients",
      "list",
    );
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining("The seller is unknown") });
  });

  it("is an error if it is changed on its way", async () => {
    const body = Buffer.concat([gzipSync(LIST).subarray(0, 20), Buffer.alloc(60, 0xff)]);
    const result = await run(sendBytes(body, { "content-encoding": "gzip" }), "clients", "list", "--json");
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 6, stdout: "" });
    expect(errorOf(result).message).toMatch(
      /cannot be decompressed \(Content-Encoding: gzip\) after \d+ bytes/,
    );
  });

  it.each([JSON_TYPE, "application/x-ndjson"])(
    "is read up to a limit as the rows of a dataset: %s",
    { tags: "large" },
    async (type) => {
      const { code, stdout, stderr } = await run(sendHuge(type), "diligence", "dataset", "j-1");
      expect({ stdout, code: code === 5 || code === 6 }, stderr).toEqual({ stdout: "", code: true });
      expect(stderr).toMatch(/larger than|over 1 MiB/);
    },
  );
});

describe("the charset of a response", () => {
  const latin1 = Buffer.from(LIST, "latin1");
  const bom = (text: string) => Buffer.from(`\ufeff${text}`);

  it.each<[string, string, Uint8Array]>([
    ["a quoted name in capitals", `${JSON_TYPE}; Charset="ISO-8859-1"`, latin1],
    ["utf8", `${JSON_TYPE}; charset=utf8`, Buffer.from(LIST)],
    ["the byte order mark of UTF-16 only", JSON_TYPE, Buffer.from(`\ufeff${LIST}`, "utf16le")],
  ])("is obeyed, and what is printed is UTF-8: %s", async (_, type, body) => {
    const script = sendBytes(body, { "content-type": type });
    expect(await run(script, "clients", "list")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Müller & Söhne"),
    });
    expect((await run(script, "clients", "list", "--json")).stdout).toBe(`${LIST}\n`);
    expect((await run(script, "clients", "list", "--fields", "name")).stdout).toBe("Müller & Söhne\n");
    expect((await run(script, "api", "GET", "/v1/clients")).stdout).toBe(LIST);
  });

  it("is obeyed in one record, an error and a dataset", async () => {
    const type = { "content-type": `${JSON_TYPE}; charset=iso-8859-1` };
    const record = sendBytes(Buffer.from(JSON.stringify(CLIENT), "latin1"), type);
    expect((await run(record, "scans", "get", "s-1", "--fields", "name")).stdout).toContain("Müller");
    const error: Script = (_, r) => r.writeHead(422, type).end(Buffer.from('{"message":"Näme"}', "latin1"));
    expect((await run(error, "clients", "list")).stderr).toContain("Näme");
    const rows = Buffer.from('{"entryNumber":"Ü1"}\n', "latin1");
    const dataset = sendBytes(rows, { "content-type": "application/x-ndjson; charset=iso-8859-1" });
    for (const more of [[], ["--ndjson"]])
      expect((await run(dataset, "diligence", "dataset", "j-1", ...more)).stdout).toContain("Ü1");
  });

  it("keeps the byte order mark of a CSV, which spreadsheets need", async () => {
    const csv = bom("entryNumber,route\nE1,protest\n");
    const script = sendBytes(csv, { "content-type": "text/csv; charset=utf-8" });
    const out = join(temporaryFolder(), "dataset.csv");
    expect((await run(script, "diligence", "dataset", "j-1", "--out", out, "--csv")).code).toBe(0);
    expect(readFileSync(out)).toEqual(csv);
  });

  it.each([
    ["clients", "list"],
    ["diligence", "report", "j-1"],
    ["diligence", "dataset", "j-1"],
    ["contract", "fetch"],
  ])("is an error if the platform cannot decode it: %s %s", async (...args) => {
    const script = sendBytes(latin1, { "content-type": `${JSON_TYPE}; charset=ebcdic-cp-us` });
    for (const more of [[], ["--json"]]) {
      const { code, stdout, stderr } = await run(script, ...args, ...more);
      expect({ stdout, failed: code !== 0 && code !== 1 }, stderr).toEqual({ stdout: "", failed: true });
      expect(stderr).toContain("ebcdic-cp-us");
      expect(stderr).not.toContain("\ufffd");
    }
  });

  it("is no error for bytes that need no decoding", async () => {
    const script: Script = (_, response) =>
      sendJson(response, 200, JSON.parse(LIST), { "content-type": `${JSON_TYPE}; charset=ebcdic-cp-us` });
    expect((await run(script, "api", "GET", "/v1/clients")).stdout).toBe(LIST);
  });
});
