import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { openInspector, readPage } from "../support/inspector.ts";
import { environmentOf, SELLER, sandboxForTest } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

/** The report within a page. */
const reportIn = (html: string): string =>
  html.slice(html.indexOf('<div class="headline">'), html.lastIndexOf("illustrative model.</p>"));

describe("diligence report --html", () => {
  it("writes the page that the inspector shows, for its owner only, without a script or a network", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const file = join(temporaryFolder(), "report.html");
    const submitted = await runCli(
      ["diligence", "submit", fixture("sample_es003.csv"), "--seller-name", SELLER, "--wait", "-q"],
      { env },
    );
    const id = submitted.stdout.trim();
    const result = await runCli(["diligence", "report", id, "--html", file], { env });
    expect(result.code).toBe(0);
    expect(result.stdout).toContain("rf8Review");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const html = readFileSync(file, "utf8");
    expect(html).toContain("<h1>Harbor &amp; Pine Trading, LLC</h1>");
    expect(html).not.toMatch(/<script|<form|<link|<img|\ssrc=|href=|@import|url\(/);
    const inspected = await readPage(await openInspector(sandbox), `/jobs/${id}`);
    expect(reportIn(html)).toBe(reportIn(inspected.text));
    expect(html).toContain("<td>2026-11-23</td>");
  });

  it("shows the fields of another service as it sends them, and says that deadlines are missing", async () => {
    const { env } = await startScriptedService((request, response) =>
      request.url?.includes("/report/")
        ? sendJson(response, 200, {
            summary: "<b>fine</b>",
            rf8Review: {
              verdict: "ok",
              notes: ["one", "two"],
              findings: [{ code: "x", level: 2 }, { code: "y" }],
            },
          })
        : sendJson(response, 404, { code: "no_dataset", detail: "There is none." }),
    );
    const file = join(temporaryFolder(), "report.html");
    const result = await runCli(["diligence", "report", "job/7", "--html", file], { env });
    expect(result.code).toBe(0);
    expect(result.stderr).toContain("warning: the page does not list the deadlines");
    const html = readFileSync(file, "utf8");
    expect(html).toContain("&lt;b>fine&lt;/b>");
    expect(html).toContain("<dt>verdict</dt><dd>ok</dd>");
    expect(html).toContain("<p>one, two</p>");
    expect(html).toContain("<td>y</td><td>–</td>");
  });

  it("takes one job and a file", async () => {
    const env = environmentOf(await sandboxForTest());
    const two = await runCli(["diligence", "report", "a", "b", "--html", "x.html", "--json"], { env });
    expect([two.code, errorOf(two).code]).toEqual([2, "option_conflict"]);
    const stdout = await runCli(["diligence", "report", "a", "--html", "-", "--json"], { env });
    expect([stdout.code, errorOf(stdout).code]).toEqual([2, "option_conflict"]);
  });
});
