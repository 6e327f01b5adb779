import { describe, expect, it } from "vitest";
import { runCli, temporaryFile } from "../support/cli.ts";

const LAYOUTS = ["entry", "es003"];

describe("diligence template", () => {
  it.each(LAYOUTS)(
    "prints a heading line and an example with --csv that diligence check accepts: %s",
    async (layout) => {
      const { code, stdout } = await runCli(["diligence", "template", "--layout", layout, "--csv"]);
      expect(code).toBe(0);
      const file = temporaryFile("entries.csv", stdout);
      const result = await runCli(["diligence", "check", file, "--json"]);
      expect(result.code).toBe(0);
      expect(JSON.parse(result.stdout)).toMatchObject({
        layout,
        totals: { entriesAccepted: 1, entriesRejected: 0 },
        rejections: [],
        warnings: layout === "entry" ? {} : expect.anything(),
      });
    },
  );

  it.each(LAYOUTS)("writes an example that diligence check finds among other entries: %s", async (layout) => {
    const template = await runCli(["diligence", "template", "--layout", layout, "--csv"]);
    const scenario = ["sandbox", "csv", "--scenario", "clean", "--rows", "8", "--layout", layout];
    const { stdout } = await runCli(scenario);
    const input = template.stdout + stdout.slice(stdout.indexOf("\n") + 1);
    const result = await runCli(["diligence", "check", "-", "--json"], { input });
    expect(result.code).toBe(5);
    expect(JSON.parse(result.stdout).fileWarnings).toMatchObject([
      { code: "TEMPLATE_ROW_LEFT", severity: "stop", entries: 1, lines: [2] },
    ]);
  });

  it.each(LAYOUTS)("lists the columns of the heading line with --json, all assumed: %s", async (layout) => {
    const template = await runCli(["diligence", "template", "--layout", layout, "--json"]);
    const columns = JSON.parse(template.stdout) as Record<string, unknown>[];
    const { stdout } = await runCli(["diligence", "template", "--layout", layout, "--csv"]);
    const headings = stdout.split("\n")[0]?.split(",");
    expect(columns.map((column) => column[layout === "entry" ? "column" : "es003Heading"])).toEqual(headings);
    for (const column of columns) {
      expect(column).toMatchObject({ basis: "assumed", source: expect.stringMatching(/^§4/) });
      expect(column.format).not.toBe("");
    }
  });

  it("marks exactly the columns as required without which diligence check fails", async () => {
    for (const layout of LAYOUTS) {
      const template = await runCli(["diligence", "template", "--layout", layout, "--json"]);
      const columns = JSON.parse(template.stdout) as { column: string | null; required: boolean }[];
      const { stdout } = await runCli(["diligence", "template", "--layout", layout, "--csv"]);
      for (const [index, { column, required }] of columns.entries()) {
        const [first = "", ...rows] = stdout.split("\n");
        const renamed = first.split(",").with(index, "other").join(",");
        const result = await runCli(["diligence", "check", "-", "--json"], {
          input: [renamed, ...rows].join("\n"),
        });
        const detectedLayout = result.code === 0 ? JSON.parse(result.stdout).layout : null;
        expect(detectedLayout !== layout, `${layout} ${column}`).toBe(required);
      }
    }
  });
});

it("help names the layouts that require each column for the topic entry-files", async () => {
  const { stdout } = await runCli(["help", "entry-files", "--json"]);
  const rows = JSON.parse(stdout) as { column: string; required: string }[];
  const required = Object.fromEntries(rows.map((row) => [row.column, row.required]));
  expect(required).toMatchObject({ entry_number: "entry, es003", hts_number: "es003", importer_name: "" });
});
