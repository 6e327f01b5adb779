import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { findViolations } from "../support/accessibility.ts";
import { fixture, runCli } from "../support/cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { call, post, readFixture, submissionForm, submit } from "../support/sandbox-requests.ts";

/** The path of Chromium: .ci/run sets it. A browser takes longer than a fifth of `npm test`. */
const { CLAIMS_TEST_CHROMIUM = "", CLAIMS_TEST_SCREENSHOTS } = process.env;
const hasBrowser = existsSync(CLAIMS_TEST_CHROMIUM);

let browser: Browser;
beforeAll(async () => {
  if (!hasBrowser) return;
  const { chromium } = await import("playwright-core");
  browser = await chromium.launch({ executablePath: CLAIMS_TEST_CHROMIUM, chromiumSandbox: false });
});
afterAll(() => browser?.close());

/** A sandbox that things happened to, and its inspector in a browser. */
async function openPage(options: BrowserContextOptions = {}) {
  const sandbox = await sandboxForTest();
  const { body } = await call(sandbox, "/_sandbox/inspect", { method: "POST", token: sandbox.controlToken });
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(String(body.url));
  const open = (path: string) => page.goto(`${sandbox.url}/_sandbox/ui${path}`);
  return { sandbox, page, errors, open };
}

async function fill(sandbox: Sandbox) {
  const { body: job } = await submit(sandbox, submissionForm({ file: readFixture("sample_es003.csv") }), {
    headers: { "idempotency-key": "submit-1" },
  });
  await post(
    sandbox,
    "/v1/clients",
    { name: "Blue Door <b>Imports</b>" },
    { headers: { "idempotency-key": "k-1" } },
  );
  await post(
    sandbox,
    "/v1/clients",
    { name: "Blue Door <b>Imports</b>" },
    { headers: { "idempotency-key": "k-1" } },
  );
  await post(sandbox, "/v1/clients", {});
  await submit(sandbox, submissionForm({ type: "text/plain" }));
  const { body: partial } = await submit(
    sandbox,
    submissionForm({ file: readFixture("scenario_partial.csv") }),
  );
  await sandbox.clock.advance("40s");
  await call(sandbox, "/broker/v1/clients");
  const url = `${sandbox.url}/_sandbox/sink/staging?fail=1&status=503`;
  await post(sandbox, "/v1/webhooks/endpoints", {
    ...{ label: "Staging receiver", url, environmentScope: "all" },
    subscribedEvents: ["partner.test"],
  });
  const { deliveries } = await sandbox.webhooks.emit({ type: "partner.test" });
  sandbox.faults.add("ghost-commit");
  await post(sandbox, "/v1/clients", { name: "Lost" }).catch(() => undefined);
  await sandbox.snapshots.save("before");
  await sandbox.clock.advance("1h");
  const all = await sandbox.webhooks.deliveries({ status: "retrying" });
  return {
    job: String(job.jobId),
    partial: String(partial.jobId),
    delivery: all[0]?.id ?? deliveries[0]?.deliveryId,
  };
}

describe.skipIf(hasBrowser)("the inspector", () => {
  it.skip("the pages were NOT opened in a browser: set CLAIMS_TEST_CHROMIUM=/usr/bin/chromium", () => {});
});

describe.skipIf(!hasBrowser)("the inspector in a browser", () => {
  it("shows every view without an error, in both themes, wide and narrow", async () => {
    const { sandbox, page, errors, open } = await openPage();
    const { delivery, job, partial } = await fill(sandbox);
    const views = {
      ...{ timeline: "", request: "/requests/4", delivery: `/deliveries/${delivery}`, job: `/jobs/${job}` },
      ...{ partial: `/jobs/${partial}`, report: `/jobs/${job}/report`, state: "/state?from=before" },
    };
    if (CLAIMS_TEST_SCREENSHOTS) mkdirSync(CLAIMS_TEST_SCREENSHOTS, { recursive: true });
    for (const [name, path] of Object.entries(views))
      for (const [colorScheme, width] of [
        ["light", 1280],
        ["dark", 390],
        ["dark", 1280],
        ["light", 390],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 860 });
        expect((await open(path))?.status(), name).toBe(200);
        if (CLAIMS_TEST_SCREENSHOTS)
          await page.screenshot({
            path: join(CLAIMS_TEST_SCREENSHOTS, `${name}-${colorScheme}-${width}.png`),
          });
        const overflow = await page.evaluate(
          "Math.max(0, document.documentElement.scrollWidth - innerWidth)",
        );
        expect([name, width, overflow]).toEqual([name, width, 0]);
        // The colours of a theme and the layout of a width each once.
        if ((colorScheme === "light") === (width === 1280))
          expect([name, await findViolations(page)]).toEqual([name, []]);
      }
    expect(errors).toEqual([]);
  });

  it("shows a file that the command line submits, without a reload", async () => {
    const { sandbox, page } = await openPage();
    await page.getByText("Nothing has happened yet").waitFor();
    await page.evaluate("window.isSamePage = true");
    const result = await runCli(submitArgs(fixture("scenario_partial.csv")), { env: environmentOf(sandbox) });
    expect(result.code).toBe(0);
    await page.locator(".events .what", { hasText: "POST /v1/diligence/submit" }).waitFor();
    expect(await page.evaluate("window.isSamePage")).toBe(true);
  });

  it("plays a week of retries with one click", async () => {
    const { sandbox, page } = await openPage();
    await fill(sandbox);
    await page.reload();
    const attempts = page.locator(".events .what", { hasText: "partner.test to the sink staging" });
    expect(await attempts.count()).toBe(4);
    await page.getByRole("button", { name: "+1 week" }).click();
    await page.getByText("tasks ran").waitFor();
    expect(await attempts.count()).toBe(10);
    expect((await sandbox.webhooks.deliveries({ status: "failed" })).length).toBe(1);
  });

  it("works without a script", async () => {
    const { sandbox, page, open } = await openPage({ javaScriptEnabled: false });
    const { delivery, partial } = await fill(sandbox);
    const message = page.locator(".message");
    const press = async (path: string, name: string) => {
      await open(path);
      await page.getByRole("button", { name, exact: true }).first().click();
      return message.textContent();
    };
    expect(await press("/requests/2", "Replay")).toMatch(
      /^Sent request 2 again as request \d+, with the same response\.$/,
    );
    expect(await press("/requests/2", "Replay with a new key")).toMatch(/with another response\.$/);
    expect(await press("", "+1 hour")).toMatch(/^The clock is at 2026-11-20T02:00:40/);
    expect(await press("", "To idle")).toContain("tasks ran");
    expect(await press("", "Unfreeze")).toBe("The clock is running.");
    expect(await press("", "Freeze")).toBe("The clock is frozen.");
    expect(await press("/requests/2", "Add the fault")).toMatch(/^The next clients\.create fails/);
    expect(await press(`/deliveries/${delivery}`, "Let the receiver answer 503 three times")).toContain(
      "three requests",
    );
    expect(await press(`/deliveries/${delivery}`, "Resend")).toBe("Sent it again: 503.");
    expect(await press(`/jobs/${partial}`, "Resume the job")).toBe("The job is queued again.");
    expect(await press("/state", "outage")).toContain("every request gets a 503");
    expect(await press("/state", "Delete")).toBe("Deleted the fault.");
    expect(await press("/state", "Disable")).toContain("is disabled.");
    expect(await press("/state", "Emit")).toMatch(/^Emitted partner\.test to 1 endpoint/);

    sandbox.faults.clear();
    await open("/requests/4");
    await page.getByText("Edit and send").click();
    await page.getByLabel("Body").fill('{"name": "Edited"}');
    await page.getByRole("button", { name: "Send", exact: true }).click();
    expect(await message.textContent()).toMatch(/^Sent it as request/);
    expect(await page.locator("h1").textContent()).toContain("201 Created");

    await open("/state");
    await page.getByLabel("Name").fill("after");
    await page.getByRole("button", { name: "Save" }).click();
    expect(await message.textContent()).toMatch(/rows as after\.$/);
    await page.locator("select[name=from]").selectOption("before");
    await page.locator("select[name=to]").selectOption("after");
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByText("From before to after").waitFor();
    expect(await page.locator(".verdict tbody tr").count()).toBeGreaterThan(5);
    await page.getByRole("button", { name: "Load" }).first().click();
    expect(await message.textContent()).toBe("Restored before.");

    await open(`/deliveries/${delivery}`);
    const { body } = await sandbox.webhooks.delivery(delivery ?? "");
    await page.getByLabel("The body as the receiver read it").fill(`${body}\n`);
    await page.getByRole("button", { name: "Compare" }).click();
    expect(await page.locator(".verdict").textContent()).toContain("body.trailing_newline");

    await open("?kind=request&result=4xx");
    expect(await page.locator('[data-live="events"] .badge').allTextContents()).toEqual(
      (await sandbox.requests.list({ status: "4xx" })).map(({ status }) => String(status)).reverse(),
    );
  });
});
