import { afterAll, expect, test } from "vitest";
import { openSandbox } from "../support/sandbox.ts";
import {
  entriesCsv,
  entryNumber,
  readFixture,
  readJob,
  submitAndSettle,
} from "../support/sandbox-requests.ts";

const sandbox = await openSandbox();
afterAll(() => sandbox.close());

type Json = Record<string, unknown>;

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
