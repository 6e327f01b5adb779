import { parse } from "papaparse";
import { describe, expect, it } from "vitest";
import { checkForm } from "../../../../../src/contract/service-form/check-form.ts";
import { type CsvForm, createCsvWriter } from "../../../../../src/contract/service-form/dataset-form.ts";
import { createLearner } from "../../../../../src/contract/service-form/learn/learner.ts";
import { DATASET_COLUMNS, toDatasetRow } from "../../../../../src/domain/diligence/dataset.ts";
import { createFileWithRow, readEntryFile } from "../../../../support/read-entry-file.ts";

const ENTRIES =
  "entry_number,importer_name\r\nSBX-5000001-4,Larch Textiles Inc\r\nSBX-5000002-2,Mica Hand Tools\r\n";

/** What is learned of the datasets of a service, each with its type. */
function learn(...bodies: (readonly [type: string, body: string])[]) {
  const learner = createLearner();
  const add = (method: string, path: string, type: string, body: string, requestBody?: string) =>
    learner.add({
      ...{ method, path, status: 200, headers: [["content-type", type]], body, at: 0 },
      ...(requestBody !== undefined && { requestBody }),
    });
  add("POST", "/v1/diligence/submit", "application/json", "{}", ENTRIES);
  for (const [type, body] of bodies) add("GET", "/v1/diligence/dataset/1", type, body);
  const { operations, records, open } = learner.finish("0".repeat(64));
  return { own: operations?.["diligence.dataset"], records, open };
}

const ROWS = "1;SBX-5000001-4;990,50;0;2025-11-01\n2;SBX-5000002-2;992,25;1;2025-11-02\n";
const SEMICOLONS = `line;entry;duty;eligible;day\n${ROWS}`;
const COLUMNS = {
  columns: ["line", "entry", "duty", "eligible", "day"],
  fields: { line: { as: "text" }, entryNumber: "entry" },
  extras: { duty: "decimal comma text", eligible: "integer text", day: "date" },
};

describe("the columns of a dataset", () => {
  it("are learned by their names and by values that were sent, the others as kinds", () => {
    const { own } = learn(["text/csv", SEMICOLONS], ["text/csv; charset=utf-8", SEMICOLONS]);
    expect(own).toEqual({ csv: { only: true, delimiter: ";", eol: "lf", ...COLUMNS } });
  });

  it("are learned with quotes, a byte order mark and CRLF, beside JSON", () => {
    const table = SEMICOLONS.replaceAll(";", "|").replaceAll("\n", "\r\n");
    const quoted = `\uFEFF${table.replace(/\w+/g, (name) => (/^[a-z]/.test(name) ? `"${name}"` : name))}`;
    const json = JSON.stringify({ jobId: "1", rows: [] });
    const { own } = learn(["application/vnd.api+json", json], ["text/csv", quoted]);
    expect(own?.csv).toEqual({ delimiter: "|", bom: true, ...COLUMNS });
    expect(own?.contentType).toBe("application/vnd.api+json");
  });

  it("that have the name of another field of the contract are not that field", () => {
    const table = "nextDeadline,line\nSBX-5000001-4,2026-11-01\nSBX-5000002-2,2026-11-02\n";
    const { own } = learn(["text/csv", table]);
    expect(own?.csv).toMatchObject({
      columns: ["nextDeadline", "line"],
      fields: { entryNumber: "nextDeadline", nextDeadline: null, line: null },
      extras: { line: "date" },
    });
    expect(checkForm({ serviceForm: 1, operations: { "diligence.dataset": own ?? {} } })).toEqual([]);
  });

  it.each([
    ["no header", ROWS],
    ["names of importers in place of a header", "Larch;Zurich\nMica;Lyon\nPine;Oslo\n"],
    ["one row", SEMICOLONS.split("\n").slice(0, 2).join("\n")],
    ["a name that could be a value", SEMICOLONS.replace("duty", "Larch Textiles")],
    ["a column twice", SEMICOLONS.replace("duty", "line")],
    ["a row with fewer cells", `${SEMICOLONS}3;SBX\n`],
  ])("are not learned of a table with %s", (_, table) => {
    const { own, open } = learn(["text/csv", table]);
    expect(own?.csv).toEqual({ only: true, delimiter: ";", eol: "lf" });
    const seen = expect.stringMatching(/^\d columns whose names are not kept$/);
    expect(open).toContainEqual(expect.objectContaining({ subject: "diligence.dataset", seen }));
  });

  it("are not learned of tables with different ones, nor those of the contract", () => {
    const other = SEMICOLONS.replace("duty", "larch");
    expect(learn(["text/csv", SEMICOLONS], ["text/csv", other]).own?.csv).not.toHaveProperty("columns");
    const line = `${DATASET_COLUMNS.map((_, index) => index).join()}\r\n`;
    const { own, open } = learn(["text/csv", `${DATASET_COLUMNS.join()}\r\n${line}${line}`]);
    expect([own?.csv, open]).toEqual([{ only: true }, expect.not.arrayContaining([{ seen: /columns/ }])]);
  });

  it("are fields of lines of JSON", () => {
    const line = (number: string, no: number) =>
      JSON.stringify({ no: `${no}`, entry: number, refundable: "no" });
    const body = `${line("SBX-5000001-4", 1)}\n${line("SBX-5000002-2", 2)}\n`;
    const { own, records } = learn(["application/x-ndjson", body]);
    expect(own).toEqual({
      contentType: "application/x-ndjson",
      extras: { "rows.*.no": "integer text", "rows.*.refundable": { word: "no" } },
    });
    expect(records?.["Dataset.rows[]"]?.fields).toMatchObject({ entryNumber: "entry" });
  });

  it("are not learned of a page", () => {
    expect(learn(["text/html", "<p>line;entry</p>\n"]).own).toBeUndefined();
  });
});

const [assessed] = readEntryFile(
  createFileWithRow({ importer_name: "A;B", liquidation_status: "Closed", liquidation_date: "2026-09-01" }),
).entries;
const row = toDatasetRow(assessed as NonNullable<typeof assessed>);

describe("createCsvWriter", () => {
  it("writes the columns of a service in its order, with an example of what the contract does not have", () => {
    const csv: CsvForm = {
      ...{
        delimiter: ";",
        eol: "lf",
        bom: true,
        columns: ["who", "band", "duty.paid", "deadlines.cape", "x\\.y"],
      },
      fields: { importerName: "who", ieepaDutyCents: { at: "duty.paid", as: "decimal-comma" } },
      extras: { band: { word: "low" }, "x\\.y": "decimal comma text" },
    };
    const { header, writeRow } = createCsvWriter(csv);
    expect(header).toBe("\uFEFFwho;band;duty.paid;deadlines.cape;x.y\n");
    const [cells] = parse<string[]>(writeRow(row).trimEnd()).data;
    const duty = (row.ieepaDutyCents / 100).toFixed(2).replace(".", ",");
    expect(cells).toEqual(["A;B", "low", duty, "2026-11-20", "1,50"]);
    expect(writeRow(row)).toMatch(/[^\r]\n$/);
  });

  it("writes the columns of the contract for a form without any", () => {
    const { header, writeRow } = createCsvWriter({ delimiter: "\t" });
    expect(header).toBe(`${DATASET_COLUMNS.join("\t")}\r\n`);
    expect(writeRow(row).split("\t")[4]).toBe("A;B");
  });
});

describe("checkForm, of a CSV", () => {
  it.each([
    [{ columns: ["entryNumber", "band"], extras: { band: "text" } }, []],
    [{ columns: ["entry"] }, ["/columns"]],
    [{ columns: ["duty"], fields: { duty: "duty" } }, ["/fields/duty", "/columns"]],
    [{ columns: ["a"], fields: { grade: "a", route: "a" } }, [""]],
    [{ columns: ["a"], fields: { grade: { at: "a", as: "epoch-ms" } } }, ["/fields/grade/as"]],
  ] satisfies [CsvForm, string[]][])("finds the mistakes of %j", (csv, places) => {
    const own = { csv };
    const mistakes = checkForm({ serviceForm: 1, operations: { "diligence.dataset": own } });
    expect(mistakes.map(({ at }) => at)).toEqual(
      places.map((place) => `/operations/diligence.dataset/csv${place}`),
    );
  });
});
