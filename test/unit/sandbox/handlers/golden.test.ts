import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../../sandbox/index.ts";
import { getContract } from "../../../../src/contract/openapi.ts";
import { fixture } from "../../../support/cli.ts";
import { openSandbox } from "../../../support/sandbox.ts";
import {
  call,
  entriesCsv,
  entryNumber,
  readFixture,
  readJob,
  resume,
  submissionForm,
  submit,
  submitAndSettle,
} from "../../../support/sandbox-requests.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

type Json = Record<string, unknown>;

/** Expects the response to contain every expected value; it may have more fields. */
function expectToContain(response: unknown, expected: unknown, at: string): void {
  if (Array.isArray(expected)) {
    expect(response, at).toHaveLength(expected.length);
    for (const [index, value] of expected.entries()) {
      expectToContain((response as unknown[])[index], value, `${at}[${index}]`);
    }
  } else if (typeof expected === "object" && expected !== null) {
    for (const [key, value] of Object.entries(expected)) {
      expectToContain((response as Json | undefined)?.[key], value, `${at}.${key}`);
    }
  } else expect(response, at).toEqual(expected);
}

const NAMES = [
  "sample_entries",
  "sample_es003",
  "boundaries",
  "es003_mixed",
  "bad_entries",
  "bad_files/repairable_warnings",
];

describe.each(NAMES)("%s over HTTP", (name) => {
  test("has the expected report and dataset", async () => {
    const expected = JSON.parse(readFileSync(fixture(`${name}.expected.json`), "utf8")) as Json;
    const id = await submitAndSettle(sandbox, { file: readFixture(`${name}.csv`) });
    const report = (await readJob(sandbox, "report", id)).body;
    const dataset = (await readJob(sandbox, "dataset", id)).body;
    const { state, entries, rejections, ...rest } = expected;
    expect((await readJob(sandbox, "status", id)).body.state).toBe(state);
    const rejectionCodes = (report.rejections as { errors: { code: string }[] }[]).map(
      ({ errors, ...rejection }) => ({
        ...rejection,
        codes: errors.map(({ code }) => code),
      }),
    );
    expectToContain(report, rest, "report");
    if (rejections) expectToContain(rejectionCodes, rejections, "rejections");
    if (entries) expectToContain(dataset.rows, entries, "rows");
  });
});

test("a dataset has the same content as JSON, NDJSON and CSV", async () => {
  const id = await submitAndSettle(sandbox, { file: readFixture("boundaries.csv") });
  const readAs = (accept: string) => readJob(sandbox, "dataset", id, { headers: { accept } });
  const json = await readAs("*/*");
  const lines = await readAs("application/x-ndjson");
  const csv = await readAs("text/csv;q=0.9, text/html");
  const rows = json.body.rows as Json[];
  expect(
    lines.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual(rows);
  const [header = "", ...records] = csv.text.trimEnd().split("\r\n");
  const column = (name: string) => header.split(",").indexOf(name);
  expect(records).toHaveLength(rows.length);
  const [line, number] = [column("line"), column("entryNumber")];
  expect(records.map((record) => [record.split(",")[line], record.split(",")[number]])).toEqual(
    rows.map((row) => [String(row.line), row.entryNumber]),
  );
  expect(lines.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
  expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  const versions = [json, lines, csv].map(({ headers }) => headers.get("contract-version"));
  expect(new Set(versions)).toEqual(new Set([json.body.contractVersion]));
  const refused = await readAs("application/xml");
  expect([refused.status, refused.body.code]).toEqual([406, "not_acceptable"]);
});

test("a dataset of many store pages is complete", async () => {
  const numbers = Array.from({ length: 1_250 }, (_, serial) => entryNumber("ZZ9", serial));
  const id = await submitAndSettle(sandbox, { file: entriesCsv(numbers) });
  const { rows } = (await readJob(sandbox, "dataset", id)).body as { rows: { entryNumber: string }[] };
  expect(rows.map(({ entryNumber: number }) => number)).toEqual(numbers);
});

test("a dataset can have no rows", async () => {
  const id = await submitAndSettle(sandbox, { file: entriesCsv(["ZZ9-0000000-0"]) });
  expect((await readJob(sandbox, "dataset", id)).body.rows).toEqual([]);
});

test.each([
  ["header_only", "NO_DATA_ROWS"],
  ["missing_required_column", "REQUIRED_COLUMN_MISSING"],
  ["utf16", "FILE_ENCODING"],
  ["windows1252", "FILE_ENCODING"],
  ["ragged_row", "ROW_WIDTH"],
  ["semicolon_delimited", "DELIMITER_UNSUPPORTED"],
  ["unclosed_quote", "CSV_MALFORMED"],
  ["duplicate_header", "HEADER_DUPLICATE"],
])("a job with the file %s fails with %s, also after a resume", async (name, code) => {
  const id = await submitAndSettle(sandbox, { file: readFixture(`bad_files/${name}.csv`) });
  const first = (await readJob(sandbox, "status", id)).body;
  expect(first).toMatchObject({ state: "failed", failure: { code, detail: expect.stringMatching(/\w/) } });
  for (const resource of ["report", "dataset"]) {
    expect((await readJob(sandbox, resource, id)).body.code).toBe("job_failed");
  }
  await resume(sandbox, id);
  await sandbox.idle();
  expect((await readJob(sandbox, "status", id)).body).toMatchObject({
    state: "failed",
    failure: first.failure,
  });
});

test("an empty file is refused with file_empty", async () => {
  const response = await submit(sandbox, submissionForm({ file: readFixture("bad_files/empty.csv") }));
  expect(response.body.code).toBe("file_empty");
});

test("GET /v1/docs/openapi returns the contract with its hash as the ETag", async () => {
  const response = await call(sandbox, "/v1/docs/openapi");
  expect(response.text).toBe(getContract().canonicalJson);
  expect(response.headers.get("etag")).toBe(`"${getContract().hash}"`);
});
