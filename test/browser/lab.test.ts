import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { sign } from "../../src/signature.ts";
import { findViolations } from "../support/accessibility.ts";
import { runCli, temporaryFolder } from "../support/cli.ts";
import { sandboxForTest } from "../support/sandbox.ts";
import { call } from "../support/sandbox-requests.ts";

const { CLAIMS_TEST_CHROMIUM = "", CLAIMS_TEST_SCREENSHOTS } = process.env;
const hasBrowser = existsSync(CLAIMS_TEST_CHROMIUM);

const SECRET = "whsec_bWFkZS11cC1mb3ItdGVzdHMtb25seS0wMDAwMDAwMDE";
const TIMESTAMP = "1795132800";
const BODY = '{"id":"3f0c9a","type":"partner.test","data":{"note":"caf\u00e9","amount":1.0}}';
const HEAD = `X-Service-Timestamp: ${TIMESTAMP}\nX-Service-Signature: ${sign({ secret: SECRET, timestamp: TIMESTAMP, body: BODY })}\n`;
const PRINTED = BODY.replaceAll(",", ", ").replaceAll(":", ": ").replaceAll("\u00e9", "\\u00e9");

let browser: Browser;
beforeAll(async () => {
  if (!hasBrowser) return;
  const { chromium } = await import("playwright-core");
  browser = await chromium.launch({ executablePath: CLAIMS_TEST_CHROMIUM, chromiumSandbox: false });
});
afterAll(() => browser?.close());

async function newPage(options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())));
  return { context, page, errors };
}

/** The file that the command writes, opened from its folder in a browser without a network. */
async function openFile(options: BrowserContextOptions = {}) {
  const cwd = temporaryFolder();
  expect((await runCli(["webhooks", "lab", "--out", "lab.html"], { cwd })).code).toBe(0);
  const { context, page, errors } = await newPage(options);
  await context.setOffline(true);
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  const url = pathToFileURL(join(cwd, "lab.html")).href;
  await page.goto(url);
  return { cwd, url, page, errors, requests };
}

const verify = async (page: Page, fields: Readonly<Record<string, string>>) => {
  for (const [label, text] of Object.entries(fields))
    await page.getByLabel(label, { exact: true }).fill(text);
  await page.getByRole("button", { name: "Verify" }).click();
  await page.locator("#result .verdict, #result .message").first().waitFor();
  return (await page.locator("#result").textContent()) ?? "";
};

describe.skipIf(hasBrowser)("the lab", () => {
  it.skip("the page was NOT opened in a browser: set CLAIMS_TEST_CHROMIUM=/usr/bin/chromium", () => {});
});

describe.skipIf(!hasBrowser)("the lab in a browser", () => {
  it("verifies and explains from a file, without any request", async () => {
    const { url, page, errors, requests } = await openFile();
    const genuine = { Request: `${HEAD}\n${BODY}`, "Signing secret": SECRET };
    expect(await verify(page, genuine)).toMatch(/^Resultvalid the signature matches.*Signed \d+ /s);

    const changed = await verify(page, { ...genuine, Request: `${HEAD}\n${PRINTED}` });
    expect(changed).toContain("body.reserialized");
    expect(changed).toContain("the first difference is at offset");
    expect(changed).not.toContain(SECRET);

    expect(await verify(page, { Request: "hello" })).toMatch(/^line 1 of the request is not a header/);
    expect([errors, requests]).toEqual([[], [url]]);
  });

  it("takes files byte for byte, until somebody types", async () => {
    const { cwd, page } = await openFile();
    const body = '{\r\n"id": 1}\r\n';
    const signature = sign({ secret: `${SECRET}\n`, timestamp: TIMESTAMP, body });
    writeFileSync(
      join(cwd, "request"),
      `X-Service-Timestamp: ${TIMESTAMP}\nX-Service-Signature: ${signature}\n\n${body}`,
    );
    writeFileSync(join(cwd, "secret"), `${SECRET}\n`);
    await page.locator("#request-file").setInputFiles(join(cwd, "request"));
    await page.locator("#secret-file").setInputFiles(join(cwd, "secret"));
    expect(await page.locator("#secret-size").textContent()).toBe(`${SECRET.length + 1} bytes`);
    expect(await verify(page, {})).toMatch(/^Resultvalid/);
    expect(await verify(page, { "Signing secret": SECRET })).toContain("secret.whitespace");
    expect(await page.locator("#secret-size").textContent()).toBe("");
  });

  it("cannot connect, and hides the secret until it is to be shown", async () => {
    const { page } = await openFile();
    const blocked = await page.evaluate(
      `new Promise((resolve) => {
        document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => resolve(effectiveDirective));
        fetch("http://127.0.0.1:9/").catch(() => {});
      })`,
    );
    expect(blocked).toBe("connect-src");
    const masking = () =>
      page.evaluate("getComputedStyle(document.querySelector('#secret')).webkitTextSecurity");
    expect(await masking()).toBe("disc");
    await page.getByLabel("Show the secret").check();
    expect(await masking()).toBe("none");
  });

  it("can be used with the keyboard alone, in both themes, wide and narrow", async () => {
    if (CLAIMS_TEST_SCREENSHOTS) mkdirSync(CLAIMS_TEST_SCREENSHOTS, { recursive: true });
    const { page } = await openFile();
    await page.keyboard.press("Tab");
    await page.keyboard.insertText(`${HEAD}Via: 1.1 proxy\n\n${PRINTED}`);
    for (const _ of [1, 2]) await page.keyboard.press("Tab");
    await page.keyboard.insertText(SECRET);
    for (const _ of [1, 2, 3]) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.insertText(`${HEAD}\n${BODY}`);
    for (const _ of [1, 2]) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator("#result .verdict").waitFor();
    for (const [colorScheme, width] of [
      ["light", 1280],
      ["dark", 390],
      ["dark", 1280],
      ["light", 390],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 860 });
      const overflow = await page.evaluate("Math.max(0, document.documentElement.scrollWidth - innerWidth)");
      expect([width, overflow]).toEqual([width, 0]);
      if (CLAIMS_TEST_SCREENSHOTS)
        await page.screenshot({
          path: join(CLAIMS_TEST_SCREENSHOTS, `lab-${colorScheme}-${width}.png`),
          fullPage: true,
        });
      expect(await findViolations(page)).toEqual([]);
    }
  });

  it("is a page of the inspector too, which connects to nothing", async () => {
    const sandbox = await sandboxForTest();
    const { body } = await call(sandbox, "/_sandbox/inspect", {
      method: "POST",
      token: sandbox.controlToken,
    });
    const { page, errors } = await newPage();
    await page.goto(String(body.url));
    await page.getByRole("link", { name: "Lab" }).click();
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    const text = await verify(page, { Request: `${HEAD}\n${PRINTED}`, "Signing secret": SECRET });
    expect(text).toContain("body.reserialized");
    expect(await findViolations(page)).toEqual([]);
    if (CLAIMS_TEST_SCREENSHOTS)
      await page.screenshot({ path: join(CLAIMS_TEST_SCREENSHOTS, "lab-inspector.png"), fullPage: true });
    expect([errors, requests]).toEqual([[], []]);
  });
});
