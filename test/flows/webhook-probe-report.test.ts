import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DOMParser } from "@xmldom/xmldom";
import { describe, expect, it } from "vitest";
import { listCaseIds } from "../../src/domain/webhooks/probe/cases.ts";
import { errorOf, runCli } from "../support/cli.ts";
import { AGES, setUpProbe as setUp } from "../support/probe.ts";
import { isGenuine } from "../support/receivers/correct.ts";
import { listenForDeliveries, SECRET, startReceiver } from "../support/receivers/listen.ts";
import { startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

describe("webhooks probe --report", () => {
  it("writes JUnit, Markdown and JSON, where only documented rules fail", async () => {
    const { cwd, probe } = setUp();
    const url = await startReceiver(() => 200);
    const files = ["r.xml", "r.md", "r.json"].flatMap((name) => ["--report", name]);
    const { cases, rules } = await probe(url, "--only", "forged", "--only", "advice", ...files);
    const read = (name: string) => readFileSync(join(cwd, name), "utf8");
    expect(JSON.parse(read("r.json")).rules).toEqual(rules);
    const failed = cases.filter(({ basis, met }) => basis === "documented" && met === false);
    expect(failed.length).toBeGreaterThan(0);
    const tests = [
      ...new DOMParser().parseFromString(read("r.xml"), "text/xml").getElementsByTagName("testcase"),
    ];
    const failures = tests.filter((test) => test.getElementsByTagName("failure").length > 0);
    expect(failures.map((test) => test.getAttribute("name")?.split(":")[0])).toEqual(
      failed.map(({ id }) => id),
    );
    expect(read("r.md")).toContain(`| **fails** | \`${failed[0]?.id}\` |`);
  });

  it("does not go with --dry-run", async () => {
    const result = await setUp().run("http://127.0.0.1:9/hook", "--dry-run", "--json", "--report", "r.md");
    expect([result.code, errorOf(result).code]).toEqual([2, "option_conflict"]);
  });
});

describe("the deliveries of webhooks probe", () => {
  it("have the documented headers, fresh timestamps and new ids, and go only to the receiver", async () => {
    const deliveries: { raw: string[]; body: string; url: string | undefined }[] = [];
    const redirectTarget = await startScriptedService((_, response) => response.end());
    const url = await listenForDeliveries((request, response) => {
      request.toArray().then((chunks) => {
        deliveries.push({
          raw: request.rawHeaders,
          body: Buffer.concat(chunks as Buffer[]).toString(),
          url: request.url,
        });
        response.writeHead(307, { location: `${redirectTarget.url}/hook` }).end("x".repeat(1_000_000));
      });
    });
    const { cwd, probe } = setUp({ "headers.txt": "Authorization: Bearer made-up-token\nX-Also: 1\n" });
    expect(cwd).not.toBe("");
    await probe(
      `${url}?tenant=7#part`,
      "--header",
      "X-Tenant: 7",
      "--header",
      "@headers.txt",
      "--event",
      "partner.x",
    );
    expect(redirectTarget.requests).toEqual([]);
    const [{ raw, body, url: path } = { raw: [], body: "", url: "" }] = deliveries;
    expect(path).toBe("/hook?tenant=7");
    const names = raw.filter((_, index) => index % 2 === 0);
    for (const name of [
      "X-Service-Event",
      "X-Service-Timestamp",
      "X-Service-Signature",
      "X-Tenant",
      "X-Also",
    ])
      expect(names).toContain(name);
    expect(raw[raw.indexOf("Authorization") + 1]).toBe("Bearer made-up-token");
    expect(JSON.parse(body)).toMatchObject({ type: "partner.x", environment: "sandbox" });
    const ids = deliveries.map((each) => /"id":"([^"]+)"/.exec(each.body)?.[1]);
    expect(new Set(ids).size).toBeGreaterThan(listCaseIds().length / 2);
    const [timestamp] = raw.slice(raw.indexOf("X-Service-Timestamp") + 1);
    expect(Math.abs(Number(timestamp) * 1000 - Date.now())).toBeLessThan(60_000);
  });

  it("are the selected cases, in the order of the table", async () => {
    const { probe } = setUp();
    const url = await startReceiver(() => 200);
    const { cases } = await probe(url, "--only", "forged.no_dot", "--only", "header", "--only", "raw.crlf");
    expect(cases.map(({ id }) => id)).toEqual([
      "raw.compact",
      "raw.crlf",
      ...listCaseIds("header"),
      "forged.no_dot",
    ]);
  });

  it("are listed and not sent with --dry-run, which needs no secret", async () => {
    const { url, requests } = await startScriptedService((_, response) => response.end());
    const { code, stdout } = await runCli(["webhooks", "probe", url, "--dry-run", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).cases.map(({ id }: { id: string }) => id)).toEqual(listCaseIds());
    expect(requests).toEqual([]);
  });
});

describe("webhooks probe", () => {
  it.each([
    ["an invalid URL", ["not a url"], "option_invalid"],
    ["an unknown case", ["http://127.0.0.1:9/", "--only", "raw.compakt"], "option_invalid"],
    [
      "a header that the probe sets",
      ["http://127.0.0.1:9/", "--header", "x-service-event: x"],
      "option_invalid",
    ],
    [
      "a secret in the command line",
      ["http://127.0.0.1:9/", "--header", "Authorization: Basic eA=="],
      "option_invalid",
    ],
    ["a missing file", ["http://127.0.0.1:9/", "--header", "@gone.txt"], "cannot_read"],
  ])("refuses %s", async (_, [url = "", ...more], code) => {
    const result = await setUp().run(url, ...more, "--json");
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(errorOf(result).code).toBe(code);
  });

  it("refuses a missing secret", async () => {
    const result = await runCli(["webhooks", "probe", "http://127.0.0.1:9/", "--json"]);
    expect(result).toMatchObject({ code: 4, stdout: "" });
    expect(errorOf(result).code).toBe("no_secret");
  });
});

it("webhooks probe prints rules, advice and diagnosis separately on a terminal", async () => {
  const { cwd } = setUp();
  const terminal = createTerminalContext({ cwd });
  const url = await startReceiver(() => 200);
  const args = ["webhooks", "probe", url, "--secret-file", "secret.txt", "--no-color", "-v"];
  expect(await terminal.run(...args)).toBe(7);
  const { text } = terminal.stdout;
  expect(text).toMatch(
    /^\u2717 The receiver accepts everything[\s\S]*^Documented: 9 pass, 10 fail, 0 untouched$[\s\S]*^Advice: /m,
  );
  expect(text).toMatch(/✓ +raw\.compact +pass +accepts compact JSON$/m);
  expect(text).toMatch(/✗ +forged\.wrong_secret +fails +rejects /m);
  expect(text).toMatch(
    /evidence +accepted raw\.compact; accepted raw\.spaced; accepted raw\.indented; and \d+ more cases$/m,
  );
  expect(text + terminal.stderr.text).not.toContain(SECRET);
});

it("webhooks probe --expected judges each basis, and fails when an expected failure passes", async () => {
  const url = await startReceiver((received) =>
    isGenuine(received) && received.raw.length < 100_000 ? 200 : 401,
  );
  const { probe } = setUp({ "none.txt": "", "known.txt": [...AGES, "advice.large_body"].join("\n") });
  expect((await probe(url)).code).toBe(0);
  expect((await probe(url, "--expected", "none.txt")).code).toBe(7);
  expect((await probe(url, "--expected", "known.txt")).code).toBe(0);
  expect((await probe(url, "--fail-on", "advice")).code).toBe(7);
  const good = await startReceiver((received) => (isGenuine(received) ? 200 : 401));
  const { code, stderr } = await probe(good, "--expected", "known.txt");
  expect([code, stderr]).toEqual([7, expect.stringContaining("advice.large_body")]);
});
