import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { INSPECTOR_ROUTES } from "../../sandbox/inspector/inspector.tsx";
import { findViolations } from "../support/accessibility.ts";
import { bareEnvironment, fixture, ROOT, runCli, runProcess, temporaryFolder } from "../support/cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import {
  call,
  entriesCsv,
  post,
  readFixture,
  scriptedEntryNumber,
  submissionForm,
  submit,
  submitAndSettle,
} from "../support/sandbox-requests.ts";

/**
 * The path of Chromium: .ci/run sets it. A browser takes longer than a fifth of `npm test`. The pictures of the guides go to
 * the folder of CLAIMS_TEST_SCREENSHOTS: `npm run screenshots` replaces those of docs/images.
 */
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
  const client = { name: "Blue Door <b>Imports</b>" };
  for (const key of ["k-1", "k-1"])
    await post(sandbox, "/v1/clients", client, { headers: { "idempotency-key": key } });
  await post(sandbox, "/v1/clients", {});
  await submit(sandbox, submissionForm({ type: "text/plain" }));
  const { body: partial } = await submit(
    sandbox,
    submissionForm({ file: readFixture("scenario_partial.csv") }),
  );
  await sandbox.clock.advance("40s");
  await call(sandbox, "/broker/v1/clients");
  const url = `${sandbox.url}/_sandbox/sink/staging?status=503`;
  const { body: endpoint } = await post(sandbox, "/v1/webhooks/endpoints", {
    ...{ label: "Staging receiver", url, environmentScope: "all" },
    subscribedEvents: ["partner.test"],
  });
  const { deliveries } = await sandbox.webhooks.emit({ type: "partner.test" });
  sandbox.faults.add("ghost-commit");
  await post(sandbox, "/v1/clients", { name: "Lost" }).catch(() => undefined);
  await sandbox.snapshots.save("before");
  await sandbox.clock.advance("1h");
  const rejected = await submitAndSettle(sandbox, {
    ...{ file: readFixture("bad_entries.csv"), name: "bad_entries.csv", seller_name: "Cinder Lane" },
  });
  const running = await submitAndSettle(sandbox, { file: entriesCsv([scriptedEntryNumber("4")]) });
  const [retrying] = await sandbox.webhooks.deliveries({ status: "retrying" });
  return {
    job: String(job.jobId),
    partial: String(partial.jobId),
    rejected,
    running,
    endpoint: String(endpoint.id),
    delivery: retrying?.id ?? deliveries[0]?.deliveryId,
  };
}

/** Each view by its path, with an action of every kind. */
const viewsOf = ({
  delivery,
  endpoint,
  job,
  partial,
  rejected,
  running,
}: Awaited<ReturnType<typeof fill>>) => ({
  timeline: "",
  filtered: "?show=failed&q=clients&fold=no",
  nothing: "?q=nothing-has-this",
  request: "/requests/4",
  jobs: "/jobs",
  job: `/jobs/${job}`,
  accepted: `/jobs/${job}?rows=accepted&route=cape&grade=A&after=100`,
  partial: `/jobs/${partial}`,
  rejected: `/jobs/${rejected}`,
  running: `/jobs/${running}`,
  deliveries: "/deliveries",
  delivery: `/deliveries/${delivery}`,
  endpoints: "/endpoints",
  endpoint: `/endpoints/${endpoint}`,
  records: "/records",
  faults: "/faults",
  state: "/state",
});

const toPattern = (route: string) => new RegExp(`^(?:/_sandbox/ui)?${route.replace(/\{\w+\}/g, "[^/]+")}$`);

/** The route of a path, of those with this method. */
const routeOf = (method: string, path: string): string =>
  INSPECTOR_ROUTES.find((route) => {
    const [own, pattern = ""] = route.split(" ");
    return own === method && toPattern(pattern).test(path.split("?")[0] ?? "");
  }) ?? `no route ${method} ${path}`;

/** The buttons of a page that change something: each sends its own route and value. */
async function listButtons(page: Page) {
  const buttons = page.locator('form[method="post"] button');
  const texts = await buttons.evaluateAll((elements) =>
    (
      elements as unknown as { name: string; value: string; form: { getAttribute(name: string): string } }[]
    ).map(({ form, name, value }) => [form.getAttribute("action"), `${name}=${value}`] as const),
  );
  return texts.map(([action, value], index) => {
    const route = routeOf("POST", action);
    return { route, key: `${route} ${value}`, button: buttons.nth(index) };
  });
}

/** Elements whose text is wider than they are: on a narrow page it would be cut, or hidden until somebody scrolls. */
const findCutText = (page: Page): Promise<string[]> =>
  page
    .locator("td, th, dd, li, p, h1, h2, .scroll, .picture text")
    .evaluateAll((elements) =>
      (elements as unknown as { clientWidth: number; scrollWidth: number; textContent: string }[])
        .filter(({ clientWidth, scrollWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
        .map(({ textContent }) => textContent.slice(0, 60)),
    );

const PICTURES = [
  "delivery-dark.png",
  "delivery.png",
  "endpoint-dark.png",
  "endpoint.png",
  "failed-run.png",
  "job-dark.png",
  "job.png",
  "request-dark.png",
  "request.png",
  "timeline-dark.png",
  "timeline.png",
];

/** The picture of a page, wide enough for a guide. */
async function takePicture(page: Page, name: string, height: number): Promise<void> {
  const folder = CLAIMS_TEST_SCREENSHOTS ?? temporaryFolder();
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  await page.setViewportSize({ width: 1280, height });
  await page.screenshot({ path });
  expect([name, statSync(path).size < 150_000]).toEqual([name, true]);
}

/** A suite whose only test fails, because it does not send the name of the client. */
const FAILING_SUITE = `
import assert from "node:assert";
import test from "node:test";
test("creates a client", async () => {
  const { CLAIMS_BASE_URL, CLAIMS_API_KEY } = process.env;
  const headers = { authorization: "Bearer " + CLAIMS_API_KEY, "content-type": "application/json" };
  const response = await fetch(CLAIMS_BASE_URL + "/v1/clients", { method: "POST", headers, body: '{"reference":"C-1"}' });
  assert.equal(response.status, 201);
});
`;

describe.skipIf(hasBrowser)("the inspector", () => {
  it.skip("the pages were NOT opened in a browser: set CLAIMS_TEST_CHROMIUM=/usr/bin/chromium", () => {});
});

describe.skipIf(!hasBrowser)("the inspector in a browser", () => {
  it("shows every view without an error, in both themes, wide and narrow", async () => {
    const { sandbox, page, errors, open } = await openPage();
    const views = viewsOf(await fill(sandbox));
    const pages = INSPECTOR_ROUTES.filter((route) => /^GET (?!\/assets|\/tickets)/.test(route));
    expect([...new Set(Object.values(views).map((path) => routeOf("GET", path)))].sort()).toEqual(
      pages.sort(),
    );
    for (const [name, path] of Object.entries(views)) {
      await page.emulateMedia({ colorScheme: "light" });
      expect((await open(path))?.status(), name).toBe(200);
      for (const [width, colorScheme] of [
        [1280, "light"],
        [1280, "dark"],
        [390, "dark"],
        [390, "light"],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 860 });
        const overflow = await page.evaluate(
          "Math.max(0, document.documentElement.scrollWidth - innerWidth)",
        );
        expect([name, width, overflow, await findCutText(page)]).toEqual([name, width, 0, []]);
        // The colours of a theme and the layout of a width each once.
        if ((colorScheme === "light") === (width === 1280))
          expect([name, await findViolations(page)]).toEqual([name, []]);
      }
    }
    expect(errors).toEqual([]);
  }, 240_000);

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
    const attempts = page.locator('[data-live="events"] .what', { hasText: "/_sandbox/sink/staging" });
    expect(await attempts.count()).toBe(4);
    await page.getByRole("button", { name: "+1 week" }).click();
    await page.getByText("tasks ran").waitFor();
    expect(await attempts.count()).toBe(10);
    expect((await sandbox.webhooks.deliveries({ status: "failed" })).length).toBe(1);
  });

  it("moves the clock to what is due with a click in the picture", async () => {
    const { sandbox, page } = await openPage();
    await fill(sandbox);
    await page.reload();
    const next = page.locator("button.due").first();
    const dueAt = await next.getAttribute("value");
    await next.click();
    await page.getByText("ran.").waitFor();
    expect(sandbox.clock.now()).toBe(dueAt);
  });

  it("logs nothing that a browser asks for by itself", async () => {
    const { sandbox, page, open } = await openPage();
    for (const path of ["/state", "/records"]) await open(path);
    await page.goto(`${sandbox.url}/favicon.ico`);
    await page.goto(`${sandbox.url}/.well-known/appspecific/com.chrome.devtools.json`);
    expect(await sandbox.requests.list()).toEqual([]);
    await open("");
    await page.getByText("Nothing has happened yet").waitFor();
  });

  it("answers five questions with at most three clicks each", async () => {
    const { sandbox, page, errors, open } = await openPage();
    await fill(sandbox);
    const main = page.locator("main");
    const ask = async (clicks: readonly string[], answer: RegExp) => {
      await open("");
      expect(clicks.length).toBeLessThanOrEqual(3);
      for (const name of clicks) await page.getByRole("link", { name }).first().click();
      expect(await main.innerText()).toMatch(answer);
    };
    // Why did my webhook fail?
    await ask(["Deliveries", "retrying"], /retrying[\s\S]*partner\.test[\s\S]*Staging receiver[\s\S]*503/);
    // Which rows were rejected, and why?
    await ask(["Jobs", "Cinder Lane"], /ENTRY_NUMBER_CHECK_DIGIT/);
    // What happens next, and when?
    await ask([], /Due\s+2026-11-20 \d\d:\d\d UTC in [\w ]+ job of .+ ends/);
    // Which endpoint fails most?
    await ask(["Endpoints"], /Staging receiver[\s\S]*4 of 4 \(100 %\)/);
    // Which request made this job?
    await ask(["Jobs", "Cinder Lane", "POST /v1/diligence/submit"], /Request \d+ 202 Accepted/);
    expect(errors).toEqual([]);
  });

  it("reaches every link and button with the keyboard alone", async () => {
    const { sandbox, page, open } = await openPage();
    const views = viewsOf(await fill(sandbox));
    for (const path of [views.timeline, views.jobs, views.job]) {
      await open(path);
      // A refresh replaces elements.
      await page.evaluate("for (let id = 0; id < 100; id += 1) clearTimeout(id)");
      const controls = page.locator(
        "main :is(a[href], button, input:not([type=hidden]), summary):not([tabindex='-1'])",
      );
      const count = await controls.count();
      await page.locator("main").focus();
      let reached = 0;
      for (let pressed = 0; pressed < count + 20; pressed += 1) {
        await page.keyboard.press("Tab");
        const isControl = "document.activeElement.matches('main :is(a, button, input, summary)')";
        if (await page.evaluate(isControl)) reached += 1;
        else if (await page.evaluate("document.activeElement === document.body")) break;
      }
      expect([path, reached]).toEqual([path, count]);
    }
  });

  it("runs every action of every view", async () => {
    const { sandbox, page, errors, open } = await openPage();
    const filled = await fill(sandbox);
    const pressed = new Set<string>();
    const routes = new Set<string>();
    const paths = Object.values(viewsOf(filled)).filter((path) => path !== "");
    // State is the last of the paths: it restores an earlier state. After it the clock, which disables a failing endpoint.
    for (const path of [...paths, ""])
      for (;;) {
        await open(path);
        const next = (await listButtons(page)).find(
          ({ key, route }) => !pressed.has(key) && (path === "" || route !== "POST /clock"),
        );
        if (!next) break;
        const { button, key, route } = next;
        pressed.add(key);
        routes.add(route);
        const name = page.locator("form:has(button:text-is('Save')) input[name=name]");
        if (route === "POST /snapshots") await name.fill(`snapshot-${pressed.size}`);
        await button.click();
        const shown = await page.locator(".message").first().getAttribute("class");
        expect([key, shown]).toEqual([key, "message success"]);
        if (route.endsWith("/load")) sandbox.faults.clear();
      }
    expect([...routes].sort()).toEqual(INSPECTOR_ROUTES.filter((route) => route.startsWith("POST ")).sort());
    expect(pressed.size).toBeGreaterThan(10);
    expect(errors).toEqual([]);
  });

  it("shows a running clock that goes on between two refreshes", async () => {
    const { sandbox, page } = await openPage();
    sandbox.clock.unfreeze();
    await page.reload();
    const time = page.locator(".clock time");
    const before = await time.textContent();
    await expect.poll(() => time.textContent()).not.toBe(before);
    expect(await time.textContent()).toMatch(/^2026-11-20 00:0\d:\d\d UTC$/);
  });

  it("has no serious fault on the pages without a session", async () => {
    const { page, open } = await openPage();
    await page.context().clearCookies();
    for (const path of ["", "/tickets/0"]) {
      await open(path);
      expect(await findViolations(page)).toEqual([]);
    }
  });

  it("opens the file of a failed suite offline, which shows why it failed", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "package.json"), '{"scripts":{"test":"node --test client.test.mjs"}}');
    writeFileSync(join(folder, "client.test.mjs"), FAILING_SUITE);
    const args = ["sandbox", "exec", "--frozen", "--at", "2026-11-20T00:00:00Z", "--report", "run.html"];
    const result = await runProcess([...args, "--", "npm", "test"], { env: bareEnvironment(), cwd: folder });
    expect(result.code).toBe(1);
    const context = await browser.newContext({ offline: true });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(folder, "run.html")).href);
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("link", { name: "POST /v1/clients #1" }).click();
    await page.getByText("name: is missing.").last().waitFor();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain("422 Unprocessable");
    expect(await findViolations(page)).toEqual([]);
    await takePicture(page, "failed-run.png", 640);
  });

  it("takes the pictures of the guides", async () => {
    const { sandbox, page, open } = await openPage();
    const { timeline, request, delivery, job, endpoint } = viewsOf(await fill(sandbox));
    for (const [name, path, height] of [
      ["timeline", timeline, 760],
      ["request", request, 760],
      ["delivery", delivery, 800],
      ["job", job, 860],
      ["endpoint", endpoint, 760],
    ] as const)
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await open(path);
        await takePicture(page, `${name}${colorScheme === "dark" ? "-dark" : ""}.png`, height);
      }
    expect(readdirSync(join(ROOT, "docs/images")).sort()).toEqual(PICTURES);
  });

  it("works without a script", async () => {
    const { sandbox, page, open } = await openPage({ javaScriptEnabled: false });
    const { delivery, endpoint } = await fill(sandbox);
    const message = page.locator(".message");
    const press = async (path: string, name: string) => {
      await open(path);
      await page.getByRole("button", { name, exact: true }).first().click();
      return message.textContent();
    };
    expect(await press("", "+1 hour")).toMatch(/^The clock is at 2026-11-20T02:00:40/);
    expect(await press("", "To idle")).toContain("tasks ran");
    expect(await press("", "Unfreeze")).toBe("The clock is running.");
    expect(await press("", "Freeze")).toBe("The clock is frozen.");
    expect(await press(`/deliveries/${delivery}`, "Resend")).toBe("Sent it again: 503.");
    expect(await press("/faults", "Delete")).toBe("Deleted the fault.");
    expect(await press(`/endpoints/${endpoint}`, "Send test event")).toMatch(/^Sent the event partner.test/);
    await open("/jobs");
    await page.getByRole("searchbox").fill("bad_entries");
    await page.getByRole("button", { name: "Search" }).click();
    expect(new URL(page.url()).search).toBe("?q=bad_entries");
    await page.getByRole("link", { name: "completed" }).click();
    expect(new URL(page.url()).search).toBe("?q=bad_entries&state=completed");

    await open("/state");
    await page.getByLabel("Name").fill("after");
    await page.getByRole("button", { name: "Save" }).click();
    expect(await message.textContent()).toMatch(/rows as after\.$/);
    await page.getByRole("button", { name: "Load" }).first().click();
    expect(await message.textContent()).toBe("Restored before.");
  });
});
