import { expect, it } from "vitest";
import { reportBlocks } from "../../../../../../src/cli/commands/diligence/report-card.ts";
import { fixture, runCli } from "../../../../../support/cli.ts";
import { createTerminalContext } from "../../../../../support/terminal.ts";

it("keeps the columns of a pipe in their order, whatever the order of the service's fields", async () => {
  const checked = await runCli(["diligence", "check", fixture("sample_es003.csv"), "--json"]);
  const report = JSON.parse(checked.stdout);
  const { context } = createTerminalContext();
  const reversed = Object.entries<object>(report.byRoute).map(([route, group]) => [
    route,
    { note: "of the service", ...Object.fromEntries(Object.entries(group).reverse()) },
  ]);
  const valuesOf = (byRoute: object) =>
    reportBlocks({ ...report, byRoute }, context, true).flatMap((block) =>
      block.kind === "table" && block.section === "byRoute" ? (block.values ?? []) : [],
    );
  expect(valuesOf(report.byRoute)).toContainEqual([
    "cape",
    report.byRoute.cape.entries,
    report.byRoute.cape.ieepaDutyCents,
    report.byRoute.cape.interestCents,
  ]);
  expect(valuesOf(Object.fromEntries(reversed))).toEqual(valuesOf(report.byRoute));
});

it("shows the entries whose summary date cannot be, and no warning about what was repaired", async () => {
  const checked = await runCli(["diligence", "check", fixture("sample_es003.csv"), "--json"]);
  const report = JSON.parse(checked.stdout);
  const { context } = createTerminalContext();
  const warningsOf = (warnings: object) =>
    [true, false].map((isVerbose) =>
      reportBlocks({ ...report, warnings }, context, isVerbose).flatMap((block) =>
        block.kind === "paragraph"
          ? []
          : block.rows.flatMap(([name, text]) => (name === "warning" ? [text] : [])),
      ),
    );
  expect(warningsOf({ HTS_NORMALISED: 4 })).toEqual([[], []]);
  const shown = [expect.stringMatching(/^2 entries: .*summary date.*\(SUMMARY_DATE_IMPLAUSIBLE\)$/)];
  expect(warningsOf({ HTS_NORMALISED: 4, SUMMARY_DATE_IMPLAUSIBLE: 2 })).toEqual([shown, shown]);
});
