import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bareEnvironment, runCli, temporaryFolder } from "../support/cli.ts";
import { controlEnvironmentOf, openSandbox, sandboxForTest } from "../support/sandbox.ts";
import { post, submissionForm, submit } from "../support/sandbox-requests.ts";

describe("sandbox inspect", () => {
  it("prints a URL without the control token, which opens the pages once", async () => {
    const sandbox = await sandboxForTest();
    const { stdout } = await runCli(["sandbox", "inspect"], { env: controlEnvironmentOf(sandbox) });
    const url = stdout.trim();
    expect(url).toMatch(new RegExp(`^${sandbox.url}/_sandbox/ui/tickets/[0-9a-f]{48}$`));
    expect(url).not.toContain(sandbox.controlToken);
    expect((await fetch(url, { redirect: "manual" })).status).toBe(303);
    expect((await fetch(url, { redirect: "manual" })).status).toBe(403);
  });

  it("warns when --open finds no browser, and prints the URL", async () => {
    const sandbox = await sandboxForTest();
    const env = { ...controlEnvironmentOf(sandbox), PATH: temporaryFolder() };
    const { code, stdout, stderr } = await runCli(["sandbox", "inspect", "--open"], { env });
    expect([code, stdout.includes("/_sandbox/ui/tickets/")]).toEqual([0, true]);
    expect(stderr).toContain("warning: no browser was opened");
  });

  it("--out writes one file with every view, without a script, a form, a network or a secret", async () => {
    const sandbox = await sandboxForTest();
    const { body } = await submit(sandbox, submissionForm());
    await post(sandbox, "/v1/clients", {});
    const { deliveries } = await sandbox.webhooks.emit({ type: "partner.test" });
    const file = join(temporaryFolder(), "run.html");
    const result = await runCli(["sandbox", "inspect", "--out", file], {
      env: controlEnvironmentOf(sandbox),
    });
    expect(result.code).toBe(0);
    const html = readFileSync(file, "utf8");
    for (const id of [
      "timeline",
      "state",
      "request-1",
      "request-2",
      `job-${body.jobId}`,
      `delivery-${deliveries[0]?.deliveryId}`,
    ])
      expect(html).toContain(`<section id="${id}"`);
    expect(html).toContain("name: is missing.");
    for (const [, target] of html.matchAll(/href="#([^"]+)"/g)) expect(html).toContain(` id="${target}"`);
    expect(html).not.toMatch(/<script|<form|<link|<img|\ssrc=|href="(?!#)|@import|url\(/);
    const [, hash] = /style-src '([^']+)'/.exec(html.replaceAll("&#39;", "'")) ?? [];
    const [, style = ""] = /<style>(.*?)<\/style>/s.exec(html) ?? [];
    expect(hash).toBe(`sha256-${createHash("sha256").update(style).digest("base64")}`);
    const { credentials, controlToken } = sandbox;
    for (const secret of [controlToken, credentials.sandbox.apiKey, credentials.webhook.signingSecret])
      expect(html).not.toContain(secret);
  });

  it("the file is the same from run to run, except durations and port", async () => {
    const run = async () => {
      await using sandbox = await openSandbox();
      const { text } = await submit(sandbox, submissionForm(), { headers: { "user-agent": "test" } });
      expect(text).toContain("jobId");
      await sandbox.webhooks.emit({ type: "partner.test" });
      const html = await sandbox.report();
      const boundary = /boundary=([\w-]+)/.exec(html)?.[1] ?? "none";
      return html
        .replaceAll(boundary, "BOUNDARY")
        .replaceAll(String(sandbox.port), "PORT")
        .replace(/[\d.]+ ms/g, "MS")
        .replace(/(Took<\/dt><dd>)[^<]+/g, "$1");
    };
    expect(await run()).toBe(await run());
  });

  it("exec --report writes the file when the command fails", { tags: "large" }, async () => {
    const env = bareEnvironment();
    const file = join(temporaryFolder(), "run.html");
    const run = (...args: string[]) => runCli(["sandbox", "exec", "--report", file, ...args], { env });
    const succeeded = await run("--", "true");
    expect([succeeded.code, existsSync(file)]).toEqual([0, false]);
    const failed = await run("--", "sh", "-c", "claims clients create --name '' -q; exit 9");
    expect([failed.code, failed.stderr.includes(`wrote ${file}`)]).toEqual([9, true]);
    expect(readFileSync(file, "utf8")).toContain('<section id="timeline" class="view home">');
  });

  it("exec --report writes the format of each suffix, and names the suffixes for another one", async () => {
    const env = bareEnvironment();
    const folder = temporaryFolder();
    const read = (name: string) => readFileSync(join(folder, name), "utf8");
    const names = ["run.html", "run.md", "run.json"];
    const files = names.flatMap((name) => ["--report", join(folder, name)]);
    const script = 'curl -s "$CLAIMS_BASE_URL/v1/clients"; exit 4';
    const result = await runCli(["sandbox", "exec", ...files, "--", "sh", "-c", script], { env });
    expect(result.code).toBe(4);
    expect(read("run.html")).toContain("/v1/clients");
    expect(read("run.md")).toMatch(/^# What the sandbox saw\n\n~~~~text\n.*GET \/v1\/clients.*~~~~\n$/s);
    const requests = JSON.parse(read("run.json"));
    expect(requests).toEqual([expect.objectContaining({ target: "/v1/clients", status: 401 })]);
    const args = ["sandbox", "exec", "--report", "run.pdf", "--", "true"];
    const refused = await runCli(args, { env });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(".html, .md, .json or .xml")]);
  });
});
