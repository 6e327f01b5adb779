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

/** Every value of the expectation stands in the answer; the answer may say more. */
function expectToContain(answer: unknown, expected: unknown, at: string): void {
  if (Array.isArray(expected)) {
    expect(answer, at).toHaveLength(expected.length);
    for (const [index, value] of expected.entries()) {
      expectToContain((answer as unknown[])[index], value, `${at}[${index}]`);
    }
  } else if (typeof expected === "object" && expected !== null) {
    for (const [key, value] of Object.entries(expected)) {
      expectToContain((answer as Json | undefined)?.[key], value, `${at}.${key}`);
    }
  } else expect(answer, at).toEqual(expected);
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
  test("gives the expected report and dataset", async () => {
    const expected = JSON.parse(readFileSync(fixture(`${name}.expected.json`), "utf8")) as Json;
    const id = await submitAndSettle(sandbox, { file: readFixture(`${name}.csv`) });
    const report = (await readJob(sandbox, "report", id)).body;
    const dataset = (await readJob(sandbox, "dataset", id)).body;
    const { state, entries, rejections, ...rest } = expected;
    expect((await readJob(sandbox, "status", id)).body.state).toBe(state);
    const given = (report.rejections as { errors: { code: string }[] }[]).map(({ errors, ...rejection }) => ({
      ...rejection,
      codes: errors.map(({ code }) => code),
    }));
    expectToContain(report, rest, "report");
    if (rejections) expectToContain(given, rejections, "rejections");
    if (entries) expectToContain(dataset.rows, entries, "rows");
  });
});

test("the three representations of a dataset are equal", async () => {
  const id = await submitAndSettle(sandbox, { file: readFixture("boundaries.csv") });
  const as = (accept: string) => readJob(sandbox, "dataset", id, { headers: { accept } });
  const json = await as("*/*");
  const lines = await as("application/x-ndjson");
  const csv = await as("text/csv;q=0.9, text/html");
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
  const none = await as("application/xml");
  expect([none.status, none.body.code]).toEqual([406, "not_acceptable"]);
});

test("a dataset of many pages is complete", async () => {
  const numbers = Array.from({ length: 1_250 }, (_, serial) => entryNumber("ZZ9", serial));
  const id = await submitAndSettle(sandbox, { file: entriesCsv(numbers) });
  const { rows } = (await readJob(sandbox, "dataset", id)).body as { rows: { entryNumber: string }[] };
  expect(rows.map(({ entryNumber: number }) => number)).toEqual(numbers);
});

test("a dataset may have no rows", async () => {
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
])("%s fails with %s, and so does every resume", async (name, code) => {
  const id = await submitAndSettle(sandbox, { file: readFixture(`bad_files/${name}.csv`) });
  const first = (await readJob(sandbox, "status", id)).body;
  expect(first).toMatchObject({ state: "failed", failure: { code, detail: expect.stringMatching(/\w/) } });
  for (const what of ["report", "dataset"]) {
    expect((await readJob(sandbox, what, id)).body.code).toBe("job_failed");
  }
  await resume(sandbox, id);
  await sandbox.idle();
  expect((await readJob(sandbox, "status", id)).body).toMatchObject({
    state: "failed",
    failure: first.failure,
  });
});

test("an empty file is refused at once", async () => {
  const answer = await submit(sandbox, submissionForm({ file: readFixture("bad_files/empty.csv") }));
  expect(answer.body.code).toBe("file_empty");
});

test("the served contract matches its hash", async () => {
  const answer = await call(sandbox, "/v1/docs/openapi");
  expect(answer.text).toBe(getContract().canonicalJson);
  expect(answer.headers.get("etag")).toBe(`"${getContract().hash}"`);
});
