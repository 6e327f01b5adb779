import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../../sandbox/index.ts";
import { openSandbox, SELLER } from "../../../support/sandbox.ts";
import {
  bearer,
  call,
  entriesCsv,
  rawRequest,
  readJob,
  submissionForm,
  submit,
  waitUntil,
} from "../../../support/sandbox-requests.ts";

let tempDir: string;
let sandbox: Sandbox;
beforeEach(async () => {
  tempDir = mkdtempSync(join(tmpdir(), "claims-test-"));
  sandbox = await openSandbox({ tempDir, maxUploadBytes: 2_000_000 });
});
afterEach(async () => {
  await sandbox.close();
  expect(readdirSync(tempDir)).toEqual([]);
  rmSync(tempDir, { recursive: true });
});

const filesLeft = () =>
  readdirSync(tempDir, { recursive: true }).filter((name) => String(name).includes("/"));

const problem = ({ status, body }: Awaited<ReturnType<typeof call>>) => [
  status,
  body.code,
  ...((body.errors as { parameter?: string; code: string }[] | undefined) ?? []).map(
    ({ parameter, code }) => `${parameter} ${code}`,
  ),
];

test("a submission returns the queued job", async () => {
  const file = entriesCsv();
  const answer = await submit(sandbox, submissionForm({ file, name: "C:\\exports\\june.csv" }));
  expect(answer.status).toBe(202);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(answer.headers.get("retry-after")).toBe("1");
  expect(answer.headers.get("location")).toBe(`/v1/diligence/status/${answer.body.jobId}`);
  expect(answer.body).toMatchObject({
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
  expect(filesLeft()).toEqual([]);
  expect((await readJob(sandbox, "status", String(answer.body.jobId))).body).toMatchObject({
    state: "completed",
    runCount: 1,
    progress: { rowsTotal: 1, rowsProcessed: 1, entriesAccepted: 1, entriesRejected: 0 },
  });
});

test("only the owner can read uploads", async () => {
  await using waiting = await startSandbox({ tempDir, jobSpeed: "real" });
  await submit(waiting, submissionForm());
  const [directory = ""] = readdirSync(tempDir);
  expect(statSync(join(tempDir, directory)).mode & 0o777).toBe(0o700);
  const [file = ""] = readdirSync(join(tempDir, directory));
  expect(statSync(join(tempDir, directory, file)).mode & 0o777).toBe(0o600);
});

describe("invalid forms", () => {
  const extra = (name: string, value: string | Blob) => {
    const form = submissionForm();
    form.append(name, value);
    return form;
  };
  const csv = () => new Blob([entriesCsv()], { type: "text/csv" });
  const cases: [string, () => FormData, unknown[]][] = [
    ["no seller", () => submissionForm({ seller_name: null }), ["seller_name required"]],
    ["a blank seller", () => submissionForm({ seller_name: " " }), ["seller_name blank"]],
    ["a long seller", () => submissionForm({ seller_name: "é".repeat(201) }), ["seller_name too_long"]],
    ["two sellers", () => extra("seller_name", "Other"), ["seller_name duplicate"]],
    [
      "no flag",
      () => submissionForm({ requires_protest_documentation: null }),
      ["requires_protest_documentation required"],
    ],
    [
      "a flag that is no boolean",
      () => submissionForm({ requires_protest_documentation: "True" }),
      ["requires_protest_documentation not_boolean"],
    ],
    ["no file", () => submissionForm({ file: null }), ["file required"]],
    ["two files", () => extra("file", csv()), ["file duplicate"]],
    [
      "text for a file",
      () => {
        const form = submissionForm({ file: null });
        form.append("file", "a,b");
        return form;
      },
      ["file not_a_file"],
    ],
    ["an unknown field", () => extra("sellerName", "x"), ["sellerName unknown_field"]],
    ["an unknown file", () => extra("second", csv()), ["second unknown_field"]],
    [
      "everything",
      () => submissionForm({ seller_name: null, requires_protest_documentation: "1", file: null }),
      ["seller_name required", "requires_protest_documentation not_boolean", "file required"],
    ],
  ];

  test.each(cases)("%s → 422", async (_name, form, errors) => {
    expect(problem(await submit(sandbox, form()))).toEqual([422, "validation_failed", ...errors]);
    expect(filesLeft()).toEqual([]);
  });

  test("an empty file → 422 file_empty", async () => {
    expect(problem(await submit(sandbox, submissionForm({ file: "" })))).toEqual([422, "file_empty"]);
  });

  test("another type of file → 415 with the curl option", async () => {
    const answer = await submit(sandbox, submissionForm({ type: "application/octet-stream" }));
    expect(problem(answer)).toEqual([415, "unsupported_media_type"]);
    expect(answer.body.detail).toContain("-F 'file=@entries.csv;type=text/csv'");
  });

  test("another type of body → 415 naming the right one", async () => {
    const init = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
    const answer = await call(sandbox, "/v1/diligence/submit", init);
    expect(problem(answer)).toEqual([415, "unsupported_media_type"]);
    expect(answer.body.detail).toContain("multipart/form-data");
    expect((await call(sandbox, "/v1/diligence/submit", { method: "POST" })).status).toBe(400);
  });

  test("a broken multipart body → 400", async () => {
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    for (const body of ["nonsense", "--x\r\nContent-Disposition: form-data; name=seller_name\r\n\r\nA"]) {
      const answer = await call(sandbox, "/v1/diligence/submit", { method: "POST", body, headers });
      expect(problem(answer)).toEqual([400, "malformed_request"]);
    }
    const noBoundary = { "content-type": "multipart/form-data" };
    const answer = await call(sandbox, "/v1/diligence/submit", {
      method: "POST",
      body: "x",
      headers: noBoundary,
    });
    expect(problem(answer)).toEqual([400, "malformed_request"]);
  });

  test("a long field → 413", async () => {
    const answer = await submit(sandbox, submissionForm({ seller_name: "x".repeat(70_000) }));
    expect(problem(answer)).toEqual([413, "body_too_large"]);
    expect(filesLeft()).toEqual([]);
  });

  test("a text field with a media type, as some clients send it, is a field", async () => {
    const body = [
      '--b\r\nContent-Disposition: form-data; name="seller_name"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nA\r\n',
      '--b\r\nContent-Disposition: form-data; name="requires_protest_documentation"\r\n\r\nfalse\r\n',
      '--b\r\nContent-Disposition: form-data; name="file"\r\nContent-Type: text/csv; charset=utf-8\r\n\r\n',
      `${entriesCsv()}\r\n--b--\r\n`,
    ].join("");
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    const answer = await call(sandbox, "/v1/diligence/submit", { method: "POST", body, headers });
    expect([answer.status, answer.body.sellerName, answer.body.fileName]).toEqual([202, "A", null]);
  });
});

describe("a body that is not read to its end", () => {
  const start = (headers: Record<string, string>) =>
    rawRequest(sandbox, {
      method: "POST",
      path: "/v1/diligence/submit",
      headers: { "content-type": "multipart/form-data; boundary=b", ...headers },
    });
  const part =
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n';

  const answerOf = async (request: ReturnType<typeof start>) => {
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk);
    return { answer, body: JSON.parse(Buffer.concat(chunks).toString()) };
  };

  test("too large and announced: refused before it arrives", async () => {
    const request = start({ ...bearer(sandbox.credentials.sandbox.apiKey), "content-length": "4000000" });
    request.write(part);
    const { answer, body } = await answerOf(request);
    expect([answer.statusCode, body.code, answer.headers.connection]).toEqual([
      413,
      "body_too_large",
      "close",
    ]);
    request.destroy();
  });

  test("too large and not announced: the answer reaches a client that is still sending", async () => {
    const request = start(bearer(sandbox.credentials.sandbox.apiKey));
    // The server closes the connection behind its answer.
    request.on("error", () => undefined);
    const answered = answerOf(request);
    request.write(part);
    for (let sent = 0; sent < 6; sent += 1) {
      if (!request.write(Buffer.alloc(1_000_000, "x")))
        await Promise.race([once(request, "drain"), answered]);
    }
    request.end("\r\n--b--\r\n");
    const { answer, body } = await answered;
    expect([answer.statusCode, body.code]).toEqual([413, "body_too_large"]);
    expect(filesLeft()).toEqual([]);
  });

  test("without a credential nothing is read", async () => {
    const request = start({ "content-length": "1500000" });
    request.write(part);
    const { answer } = await answerOf(request);
    expect(answer.statusCode).toBe(401);
    request.destroy();
  });

  test("a client that hangs up leaves nothing behind", async () => {
    const request = start({ ...bearer(sandbox.credentials.sandbox.apiKey), "content-length": "1500000" });
    request.on("error", () => undefined);
    request.write(part + entriesCsv().repeat(500));
    await waitUntil(() => filesLeft().length === 1);
    request.destroy();
    await waitUntil(() => filesLeft().length === 0);
  });

  test("close() in the middle of an upload leaves nothing behind", async () => {
    const request = start({ ...bearer(sandbox.credentials.sandbox.apiKey), "content-length": "1500000" });
    request.on("error", () => undefined);
    request.write(part + entriesCsv().repeat(500));
    await waitUntil(() => filesLeft().length === 1);
    await sandbox.close();
    expect(readdirSync(tempDir)).toEqual([]);
  });
});
