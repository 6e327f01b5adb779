import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { startHostedSandbox } from "../../sandbox/start.ts";
import { openSandbox, SELLER } from "../support/sandbox.ts";
import {
  bearer,
  call,
  entriesCsv,
  type FormParts,
  largeEntriesCsv,
  rawRequest,
  readJob,
  readResponse,
  submissionForm,
  submit,
  waitUntil,
} from "../support/sandbox-requests.ts";

let tempDir: string;
let sandbox: Sandbox;
beforeEach(async () => {
  tempDir = mkdtempSync(join(tmpdir(), "claims-test-"));
  sandbox = await openSandbox({ maxUploadBytes: 2_000_000 }, { tempDir });
});
afterEach(async () => {
  await sandbox.close();
  expect(readdirSync(tempDir)).toEqual([]);
  rmSync(tempDir, { recursive: true });
});

const listUploads = () =>
  readdirSync(tempDir, { recursive: true }).filter((name) => String(name).includes("/"));

const problem = ({ status, body }: Awaited<ReturnType<typeof call>>) => [
  status,
  body.code,
  ...((body.errors as { parameter?: string; code: string }[] | undefined) ?? []).map(
    ({ parameter, code }) => `${parameter} ${code}`,
  ),
];

test("POST /v1/diligence/submit returns the queued job", async () => {
  const file = entriesCsv();
  const response = await submit(sandbox, submissionForm({ file, name: "C:\\exports\\june.csv" }));
  expect(response.status).toBe(202);
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(response.headers.get("retry-after")).toBe("1");
  expect(response.headers.get("location")).toBe(`/v1/diligence/status/${response.body.jobId}`);
  expect(response.body).toMatchObject({
    state: "queued",
    sellerName: SELLER,
    requiresProtestDocumentation: true,
    fileName: "june.csv",
    fileBytes: file.length,
    asOf: "2026-11-20",
    runCount: 0,
    createdAt: "2026-11-20T00:00:00.000Z",
    startedAt: null,
  });
  await sandbox.idle();
  expect(listUploads()).toEqual([]);
  expect((await readJob(sandbox, "status", String(response.body.jobId))).body).toMatchObject({
    state: "completed",
    runCount: 1,
    progress: { rowsTotal: 1, rowsProcessed: 1, entriesAccepted: 1, entriesRejected: 0 },
  });
});

test("uploads are readable only by their owner", async () => {
  await using unread = await startHostedSandbox({ jobSpeed: "real" }, { tempDir });
  await submit(unread, submissionForm({ file: largeEntriesCsv() }));
  const [directory = ""] = readdirSync(tempDir);
  expect(statSync(join(tempDir, directory)).mode & 0o777).toBe(0o700);
  const [file = ""] = readdirSync(join(tempDir, directory));
  expect(statSync(join(tempDir, directory, file)).mode & 0o777).toBe(0o600);
});

describe("POST /v1/diligence/submit with an invalid form", () => {
  const createFormWith = (name: string, value: string | Blob, parts: FormParts = {}) => {
    const form = submissionForm(parts);
    form.append(name, value);
    return form;
  };
  const csv = () => new Blob([entriesCsv()], { type: "text/csv" });
  const cases: [string, FormParts | (() => FormData), unknown[]][] = [
    ["a missing seller_name", { seller_name: null }, ["seller_name required"]],
    ["a blank seller_name", { seller_name: " " }, ["seller_name blank"]],
    ["a seller_name that is too long", { seller_name: "é".repeat(201) }, ["seller_name too_long"]],
    ["two seller_names", () => createFormWith("seller_name", "Other"), ["seller_name duplicate"]],
    ["a missing flag", { requires_protest_documentation: null }, ["requires_protest_documentation required"]],
    [
      "a flag that is not a boolean",
      { requires_protest_documentation: "True" },
      ["requires_protest_documentation not_boolean"],
    ],
    ["a missing file", { file: null }, ["file required"]],
    ["two files", () => createFormWith("file", csv()), ["file duplicate"]],
    [
      "a text part in place of the file",
      () => createFormWith("file", "a,b", { file: null }),
      ["file not_a_file"],
    ],
    [
      "a file in place of a text part",
      () => createFormWith("seller_name", csv(), { seller_name: null }),
      ["seller_name required"],
    ],
    [
      "a text part that is also a file",
      () => createFormWith("seller_name", csv()),
      ["seller_name duplicate"],
    ],
    ["an unknown field", () => createFormWith("sellerName", "x"), ["sellerName unknown_field"]],
    ["an unknown file", () => createFormWith("second", csv()), ["second unknown_field"]],
    [
      "several errors at once",
      { seller_name: null, requires_protest_documentation: "1", file: null },
      ["seller_name required", "requires_protest_documentation not_boolean", "file required"],
    ],
  ];

  test.each(cases)("refuses %s with 422", async (_name, given, errors) => {
    const form = typeof given === "function" ? given() : submissionForm(given);
    expect(problem(await submit(sandbox, form))).toEqual([422, "validation_failed", ...errors]);
    expect(listUploads()).toEqual([]);
  });

  test("refuses an empty file with 422 file_empty", async () => {
    expect(problem(await submit(sandbox, submissionForm({ file: "" })))).toEqual([422, "file_empty"]);
  });

  test("refuses another media type of the file with 415 and the curl option", async () => {
    const response = await submit(sandbox, submissionForm({ type: "application/octet-stream" }));
    expect(problem(response)).toEqual([415, "unsupported_media_type"]);
    expect(response.body.detail).toContain("-F 'file=@entries.csv;type=text/csv'");
  });

  test("refuses another media type of the body with 415 and the right type", async () => {
    const init = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
    const response = await call(sandbox, "/v1/diligence/submit", init);
    expect(problem(response)).toEqual([415, "unsupported_media_type"]);
    expect(response.body.detail).toContain("multipart/form-data");
    expect((await call(sandbox, "/v1/diligence/submit", { method: "POST" })).status).toBe(400);
  });

  test("accepts a text field with a media type", async () => {
    const body = [
      '--b\r\nContent-Disposition: form-data; name="seller_name"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nA\r\n',
      '--b\r\nContent-Disposition: form-data; name="requires_protest_documentation"\r\n\r\nfalse\r\n',
      '--b\r\nContent-Disposition: form-data; name="file"\r\nContent-Type: text/csv; charset=utf-8\r\n\r\n',
      `${entriesCsv()}\r\n--b--\r\n`,
    ].join("");
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    const response = await call(sandbox, "/v1/diligence/submit", { method: "POST", body, headers });
    expect([response.status, response.body.sellerName, response.body.fileName]).toEqual([202, "A", null]);
  });
});

describe("a submission that is not read completely", () => {
  /** Announces a body of this size. */
  const startRequest = (size: number, credential: object = bearer(sandbox.credentials.sandbox.apiKey)) =>
    rawRequest(sandbox, "POST /v1/diligence/submit", {
      "content-type": "multipart/form-data; boundary=b",
      "content-length": String(size),
      ...credential,
    });
  const part =
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n';

  test("is refused by its Content-Length before the body arrives", async () => {
    const request = startRequest(4_000_000);
    request.write(part);
    const { status, headers, text } = await readResponse(request);
    expect([status, JSON.parse(text).code, headers.connection]).toEqual([413, "body_too_large", "close"]);
    request.destroy();
  });

  test("is refused without a credential before the body arrives", async () => {
    const request = startRequest(1_500_000, {});
    request.write(part);
    expect((await readResponse(request)).status).toBe(401);
    request.destroy();
  });

  test("leaves no file after the client disconnects", async () => {
    const request = startRequest(1_500_000);
    request.on("error", () => undefined);
    request.write(part + largeEntriesCsv());
    await waitUntil(() => listUploads().length === 1);
    request.destroy();
    await waitUntil(() => listUploads().length === 0);
  });
});
