import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SandboxOptions } from "../../sandbox/index.ts";
import type { Mapping } from "../../src/contract/mapping/mapping.ts";
import { bareEnvironment, fixture, runCli, temporaryFile, temporaryFolder } from "../support/cli.ts";
import { describeEachFirst } from "../support/large.ts";
import { environmentOf, SELLER, sandboxForTest } from "../support/sandbox.ts";
import { call, post } from "../support/sandbox-requests.ts";

const saveMapping = (mapping: object) => temporaryFile("mapping.json", JSON.stringify(mapping));

/** Services as others build them: an envelope with tokens, objects by id with numbered pages, and bare lists without bodies. */
const SERVICES: Readonly<Record<string, Mapping>> = {
  envelope: {
    "submitted.id": "answer.ticketNo",
    "job.id": "answer.review.ticketNo",
    "job.state": "answer.review.step",
    "job.words": {
      new: "queued",
      busy: "processing",
      finished: "completed",
      half: "partial",
      broken: "failed",
    },
    report: "answer.findings",
    dataset: "answer",
    clients: "answer.importers",
    "clients.id": "no",
    claims: "answer.items",
    "claims.id": "claim.no",
    "claims.estimatedClaimCents": { path: "claim.worth", format: "decimal-comma" },
    endpoints: "answer.hooks",
    deliveries: "answer.calls",
    endpoint: "answer.hook",
    client: "answer.importer",
    "client.id": "answer.importer.no",
    paging: { next: "answer.more", parameter: "start" },
    "error.code": "problem.key",
    "error.message": "problem.text",
    "error.words": { "400 unknown_ticket": "not_found", "499 no_key": "unauthorized" },
    "query.clientId": "importer",
    "body.name": "importer.title",
  },
  "numbered pages": {
    "submitted.id": "header:X-Job",
    "submitted.body": "none",
    "job.id": "job.number",
    "job.words": { "0": "queued", "1": "processing", "2": "completed", "3": "partial", "4": "failed" },
    clients: "byId{}",
    "clients.id": "{}",
    claims: "byId{}",
    endpoints: "byId{}",
    deliveries: "byId{}",
    paging: { page: "p", first: 0, size: "n", total: "meta.rows" },
    "deliveries.paging": { next: "links.next.href" },
    "error.code": "errors[].code",
    "error.message": "errors[].detail",
    times: "epoch-ms",
  },
  "bare lists": {
    "submitted.id": "header:Location",
    "job.state": "phase",
    clients: "",
    claims: "",
    endpoints: "",
    deliveries: "",
    paging: { offset: "skip", total: "header:X-Total" },
    "clients.paging": "link",
    "error.message": "",
    "dataset.csv": { delimiter: ";" },
    times: "http-date",
  },
};

/** A sandbox with a mapping, and a command line that reads by it. */
async function startService(mapping: Mapping, options: SandboxOptions = {}) {
  const sandbox = await sandboxForTest({ mapping, ...options });
  const env: Record<string, string> = { ...environmentOf(sandbox), CLAIMS_MAPPING: saveMapping(mapping) };
  const run = async (...args: string[]) => runCli(args, { env, cwd: env.HOME ?? "" });
  const print = async (...args: string[]) => {
    const result = await run(...args);
    expect(result.code, `claims ${args.join(" ")}\n${result.stderr}`).toBe(0);
    return result.stdout;
  };
  return { sandbox, env, run, print };
}

const submit = (file: string) => ["diligence", "submit", fixture(file), "--seller-name", SELLER, "--wait"];

describeEachFirst(Object.entries(SERVICES))("a service with a mapping: %s", (_, mapping) => {
  it("is used by every command as the sandbox's own", async () => {
    const { sandbox, env, run, print } = await startService(mapping);
    const job = (await print(...submit("sample_entries.csv"), "-q")).trim();
    expect((await run(...submit("scenario_partial.csv"))).code).toBe(9);
    expect(await print("diligence", "status", job, "--fields", "jobId,state")).toBe(`${job}\tcompleted\n`);
    expect(await print("diligence", "report", job)).toContain("outcome");
    expect(await print("diligence", "dataset", job, "--csv")).toMatch(/^line[,;]entryNumber/);
    expect(await print("diligence", "dataset", job, "--fields", "entryNumber,ieepaDutyCents")).toMatch(
      /^[\w-]+\t\d+\n/,
    );
    await print("diligence", "pull", job, "-d", join(temporaryFolder(), "pulled"));

    for (let count = 0; count < 3; count += 1) await print("clients", "create", "--name", `Pier ${count}`);
    const ids = (await print("clients", "list", "--all", "-q")).trim().split("\n");
    const known = new Set(ids);
    expect([known.size, ids.length]).toEqual([ids.length, ids.length]);
    expect(await print("clients", "list", "--all", "--fields", "name")).toContain("Pier 2\n");
    const claim = (await print("claims", "create", "--client", ids[0] ?? "", "--job", job, "-q")).trim();
    expect(await print("claims", "list", "--all", "--fields", "id,estimatedClaimCents")).toMatch(
      new RegExp(`${claim}\\t\\d+\\n`),
    );
    const secret = join(temporaryFolder(), "secret");
    await print(
      ...["webhooks", "create", "http://127.0.0.1:9/x", "--label", "x", "--event", "partner.test"],
      ...["--scope", "sandbox", "--secret-file", secret],
    );
    await print("webhooks", "test", "partner.test");
    await sandbox.idle();
    expect((await print("webhooks", "list", "--all", "-q")).trim().split("\n").length).toBeGreaterThan(1);
    expect(await print("webhooks", "deliveries", "--all", "--fields", "id,status")).toMatch(/\t\w+\n/);

    expect((await run("diligence", "status", "00000000-0000-4000-8000-000000000000")).code).toBe(3);
    const wrong = await runCli(["clients", "list"], { env: { ...env, CLAIMS_API_KEY: "sk_sandbox_wrong" } });
    expect(wrong.code, wrong.stderr).toBe(4);
  });

  it("has every row of a list with many pages, each once", { tags: "large" }, async () => {
    const { sandbox, print } = await startService(mapping);
    const write = async (number: number) => {
      const json = mapping["body.name"] ? { importer: { title: `C ${number}` } } : { name: `C ${number}` };
      await post(sandbox, "/v1/clients", json);
    };
    for (let number = 0; number < 120; number += 1) await write(number);
    const names = (await print("clients", "list", "--all", "--fields", "name")).trim().split("\n");
    const own = names.filter((name) => name.startsWith("C "));
    expect([own.length, new Set(own).size]).toEqual([120, 120]);
    const all = JSON.parse(await print("clients", "list", "--all", "--json"));
    expect(JSON.stringify(all).match(/"C \d+"/g)).toHaveLength(120);
  });
});

describe("startSandbox({ mapping })", () => {
  it("responds in the form of the mapping, and says so", async () => {
    const { sandbox } = await startService(SERVICES.envelope ?? {});
    const { body, headers } = await call(sandbox, "/v1/clients");
    expect(body).toMatchObject({
      answer: {
        importers: expect.arrayContaining([expect.objectContaining({ no: expect.any(String) })]),
        more: null,
      },
    });
    expect(headers.get("x-sandbox-mapping")).toBe("22 lines");
    const missing = await call(sandbox, "/v1/diligence/status/0");
    expect([missing.status, missing.body]).toEqual([
      400,
      { problem: { key: "unknown_ticket", text: expect.any(String) } },
    ]);
    expect(sandbox.mapping).toEqual(SERVICES.envelope);
  });

  it("refuses a mapping with a mistake, and grease", async () => {
    for (const [options, code] of [
      [{ mapping: { reprot: "x" } }, "invalid_input"],
      [{ mapping: { "job.id": "a", "job.state": "a" } }, "invalid_input"],
      [{ mapping: { report: "x" }, grease: "all" }, "option_conflict"],
    ] as const)
      await expect(sandboxForTest(options as object)).rejects.toMatchObject({ code });
  });

  it.each(["p=-1", "p=x"])("refuses the page %s, which no list has", async (query) => {
    const { sandbox } = await startService(SERVICES["numbered pages"] ?? {});
    const { status, body } = await call(sandbox, `/v1/clients?${query}`);
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining("not a page of this list")]);
  });
});

it("claims sandbox gives the mapping of exec to the program, and no other one", {
  tags: "large",
}, async () => {
  const file = saveMapping({ clients: "rows" });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: of the shell
  const script = "claims clients list --fields name | head -1; echo mapping=${CLAIMS_MAPPING:-none}";
  const env = { ...bareEnvironment(), CLAIMS_MAPPING: saveMapping({ clients: "elsewhere" }) };
  const args = (...options: string[]) => ["sandbox", "exec", ...options, "--", "sh", "-c", script];
  const mapped = await runCli(args("--mapping", file), { env });
  expect([mapped.code, mapped.stderr]).toEqual([0, expect.stringContaining("a mapping of 1 line")]);
  expect(mapped.stdout).toBe(`Harbor & Pine Trading, LLC\nmapping=${file}\n`);
  expect((await runCli(args(), { env })).stdout).toContain("mapping=none\n");
});
