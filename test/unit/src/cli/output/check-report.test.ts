import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { marked } from "marked";
import { expect, it } from "vitest";
import { writeCheckReports } from "../../../../../src/cli/output/check-report.ts";
import { temporaryFolder } from "../../../../support/cli.ts";
import { IS_EXHAUSTIVE } from "../../../../support/exhaustive.ts";
import { outlineMarkup } from "../../../../support/markup.ts";
import { createTerminalContext } from "../../../../support/terminal.ts";

const outlineMarkdown = (text: string) => outlineMarkup(String(marked.parse(text, { async: false })));

/** A report with this text wherever a program or a service chooses one. */
async function writeMarkdown(text: string): Promise<string> {
  const cwd = temporaryFolder();
  const { context } = createTerminalContext({ cwd });
  const check = { id: "a", group: "documented", title: text, verdict: "fail", label: "fails" } as const;
  const report = { title: text, notes: [text], checks: [{ ...check, details: [text, text] }], json: {} };
  await writeCheckReports(context, report, ["report.md"]);
  return readFileSync(join(cwd, "report.md"), "utf8");
}

it("a Markdown report shows text of others as text", async () => {
  const harmless = outlineMarkdown(await writeMarkdown("x"));
  const unit = fc.constantFrom(
    ...'<>[]()*_`~#|\\&;:!/-+=.1"',
    " ",
    "\n",
    "    ",
    "a",
    "b",
    "http://a",
    "www.a.b",
    "&lt;",
    "<b id=x>",
  );
  await fc.assert(
    fc.asyncProperty(fc.string({ unit, minLength: 1 }), async (text) => {
      const markdown = await writeMarkdown(`${text}a`);
      expect([markdown, outlineMarkdown(markdown)]).toEqual([markdown, harmless]);
    }),
    { numRuns: IS_EXHAUSTIVE ? 1_000 : 100 },
  );
});
