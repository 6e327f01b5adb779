import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { OpenPoint } from "../../src/contract/service-form/service-form.ts";
import { errorOf, runCli } from "../support/cli.ts";
import {
  canStart,
  FOREIGN_SERVICES,
  type ForeignService,
  runForeign,
  startForeign,
  writeForeignFiles,
} from "../support/foreign-service.ts";

type Env = Awaited<ReturnType<typeof startForeign>>["env"];

const SUBMIT_AGAIN = "--seller-name Beta --check off --on-duplicate submit --wait --timeout 60s".split(" ");

/** Learns from reads and from a job that is completed, one that is partial and one that fails. */
async function learn(env: Env, ...args: string[]) {
  const { folder, completed, partial, failed } = writeForeignFiles();
  const file = join(folder, "service.json");
  const submitted = [completed, partial, failed].flatMap((path) => ["--submit", path]);
  const options = ["--seller-name", "Acme Imports", "--check", "off", "--out", file];
  const timeout = args.length > 0 ? args : ["--timeout", "60s"];
  const result = await runCli(["contract", "learn", ...submitted, ...options, ...timeout], { env });
  expect(result.code, result.stderr).toBe(0);
  return { file, form: JSON.parse(readFileSync(file, "utf8")), stderr: result.stderr };
}

const lastJob = async (env: Env): Promise<string> => {
  const { stdout } = await runCli(["history", "--submissions", "-q"], { env });
  return stdout.trim().split("\n")[0] ?? "";
};

const NAMES = Object.keys(FOREIGN_SERVICES) as ForeignService[];

/** The word of the service for a completed job. */
const endWordOf = (name: ForeignService): string => {
  const drive = readFileSync(new URL(`../foreign/${name}/drive.json`, import.meta.url), "utf8");
  return JSON.parse(drive).end.find((word: string) => word !== "partial" && word !== "failed");
};

describe.each(NAMES)("the foreign service %s", (name) => {
  const isMissing = !canStart(name);

  it.runIf(isMissing)(`is NOT tested: ${FOREIGN_SERVICES[name][0]} is missing`, () => {});

  it.skipIf(isMissing)(
    "is learned without a false finding, and nothing of the form is silently wrong",
    { tags: "large" },
    async () => {
      const { env } = await startForeign(name);
      const { file, form, stderr } = await learn(env);
      expect(form.records.Job.fields.state.words).toMatchObject({ completed: endWordOf(name) });
      expect(form.open.filter(({ subject }: OpenPoint) => subject.startsWith("Job.state"))).toEqual([]);
      expect(stderr).not.toContain("is still");
      expect(form.evidence.findings).toEqual([]);
      expect(stderr).not.toContain("contradicts");
      const checked = await runCli(["contract", "form", "check", file], { env });
      expect(checked.code, checked.stdout).toBe(0);
      const compared = await runCli(
        ["contract", "form", "compare", file, "--job", await lastJob(env), "--json"],
        { env },
      );
      const leaves: { result: string; operation: string; place: string }[] = JSON.parse(compared.stdout);
      expect(leaves.filter(({ result }) => result === "silently wrong")).toEqual([]);
      expect(compared.code, compared.stderr).toBe(0);
      expect(leaves.filter(({ result }) => result === "right").length).toBeGreaterThan(20);
    },
  );

  it.skipIf(isMissing)(
    "ends a wait by its word with the form, and without it by the report",
    { tags: "large" },
    async () => {
      const { env } = await startForeign(name);
      const { file } = await learn(env);
      const { completed, partial, failed } = writeForeignFiles();
      const submit = (path: string, ...args: string[]) =>
        runCli(["diligence", "submit", path, ...SUBMIT_AGAIN, ...args], { env });
      const done = await submit(completed, "--like", file);
      expect(done.code, done.stderr).toBe(0);
      const partly = await submit(partial, "--like", file);
      expect(partly.code, partly.stderr).toBe(9);
      expect(partly.stderr).toContain("partial");
      const bare = await submit(completed);
      expect([0, 9], bare.stderr).toContain(bare.code);
      if (bare.code === 9) expect(bare.stderr).toContain("the job has ended, and its state is not known");
      const stopped = await submit(failed);
      expect(stopped.code, stopped.stderr).toBe(9);
      expect(stopped.stderr).toContain("failed");
    },
  );
});

it("most choices of a service come back right in its imitation, by a partner's recording and a few jobs", {
  tags: "large",
}, () => {
  const { stdout, stderr } = runForeign(["count.mjs", "harborline"]);
  expect(Number(/(\d+) %/.exec(stdout)?.[1]), stderr).toBeGreaterThanOrEqual(80);
});

it("by a form that is edited by hand, each choice of a service is right, or listed as one that a form cannot express", {
  tags: "large",
}, () => {
  const { status, stdout, stderr } = runForeign(["count.mjs", "kontor", "--by-hand"]);
  expect(stdout + stderr).toMatch(/by hand: \d+ right, \d+ listed, 0 missed\n$/);
  expect(status).toBe(0);
});

describe("claims contract learn, of six services", () => {
  const OF_DUTYDESK = { ok: { word: false } };
  const OF_ZOLLFAX = { at: "Fault.Detail", isList: true, code: "Code", message: "Text" };

  it.each([
    ["dutydesk", { extras: OF_DUTYDESK, codes: { job_failed: 1461 }, statuses: { job_failed: 404 } }],
    ["zollfax", { ...OF_ZOLLFAX, codes: { job_failed: "ZF-211" } }],
    ["kontor", { contentType: "text/plain; charset=utf-8", statuses: { job_failed: 404 } }],
  ] as const)("finds how %s writes errors", { tags: "large" }, async (name, errors) => {
    if (!canStart(name)) return;
    const { form } = await learn((await startForeign(name)).env);
    expect(form.errors).toMatchObject(errors);
    const { ok } = form.operations["diligence.status"].extras;
    expect(ok).toEqual(name === "dutydesk" ? { word: true } : undefined);
    const delimiter = form.operations["diligence.dataset"]?.csv?.delimiter;
    expect(delimiter).toBe({ dutydesk: undefined, zollfax: "\t", kontor: ";" }[name]);
  });
});

it.each([
  ["harborline", 8],
  ["dutydesk", 8],
  ["tariffbridge", 9],
] as const)(
  "clients list --all is complete with what is learned of %s",
  { tags: "large" },
  async (name, clients) => {
    if (!canStart(name)) return;
    const { env } = await startForeign(name);
    const file = join(writeForeignFiles().folder, "service.json");
    const learned = await runCli(["contract", "learn", "--out", file], { env });
    expect(learned.code, learned.stderr).toBe(0);
    const ids = await runCli(["clients", "list", "--all", "-q", "--like", file], { env });
    expect(ids.code, ids.stderr).toBe(0);
    expect(new Set(ids.stdout.trim().split("\n")).size).toBe(clients);
  },
);

describe("claims contract learn, findings", () => {
  const list: { n: number; service: ForeignService; what: string }[] = JSON.parse(
    readFileSync(new URL("../foreign/contradictions/list.json", import.meta.url), "utf8"),
  );

  it.each(list.filter(({ n }) => n <= 10))(
    "finds contradiction $n: $what",
    { tags: "large" },
    async ({ n, service }) => {
      const { env } = await startForeign(service, n);
      const endpoint = ["--label", "x", "--event", "partner.test", "--scope", "sandbox", "--json"];
      const created = await runCli(["webhooks", "create", "http://127.0.0.1:9/", ...endpoint], { env });
      expect(created.code, created.stderr).toBe(0);
      const { form } = await learn(env, "--test-event", "--timeout", "3s");
      expect(form.evidence.findings.length).toBeGreaterThan(0);
      for (const finding of form.evidence.findings) expect(finding.statement).toMatch(/^§\d/);
    },
  );
});

/** The form of harborline as a person writes it from its documentation. */
const BY_HAND = {
  serviceForm: 1,
  times: "epoch-ms",
  money: "decimal",
  records: {
    Client: {
      fields: {
        id: "number",
        createdAt: "opened",
        importerNumber: "importerNo",
        contactEmail: null,
        reference: null,
      },
    },
    Job: {
      fields: {
        jobId: "number",
        state: {
          at: "progress.label",
          words: { queued: "accepted", processing: "analysing", completed: "settled" },
        },
        sellerName: "seller",
        createdAt: "opened",
        finishedAt: "closed",
        progress: null,
        "progress.rowsTotal": "rows.all",
      },
    },
  },
  operations: {
    "clients.list": {
      items: "payload.clients",
      map: true,
      paging: {
        kind: "page",
        parameter: "p",
        size: "n",
        rows: 3,
        pages: "payload.paging.pages",
        current: "payload.paging.p",
      },
    },
    "diligence.submit": { at: "payload.job" },
    "diligence.status": { at: "payload.job" },
    "diligence.report": { at: "payload.report" },
    "webhooks.endpoints": { items: "payload.hooks" },
    "webhooks.deliveries": { items: "payload.deliveries" },
    "claims.list": { items: "payload.claims", map: true },
    "offers.list": { items: "payload.offers", map: true },
    "revenue.ledger": { items: "payload.ledger" },
    "revenue.dashboard": { at: "payload.dashboard" },
  },
  errors: { at: "problem", code: "key", message: "text", codes: { job_not_found: "unknown-job" } },
};

describe("a form that is written by hand", () => {
  const save = (form: object) => {
    const file = join(writeForeignFiles().folder, "form.json");
    writeFileSync(file, JSON.stringify(form));
    return file;
  };

  it("decides columns, ids, pages, states and errors of the client", async () => {
    const { env, url } = await startForeign("harborline");
    const file = save(BY_HAND);
    const ids = await runCli(["clients", "list", "--all", "-q", "--like", file], { env });
    expect(ids.code, ids.stderr).toBe(0);
    const found = new Set(ids.stdout.trim().split("\n"));
    const headers = { authorization: `Bearer ${env.CLAIMS_API_KEY}` };
    const all = await (await fetch(`${url}/v1/clients?p=1&n=100`, { headers })).json();
    expect(found).toEqual(new Set(Object.keys(all.payload.clients)));
    const fields = await runCli(["clients", "list", "--fields", "id,createdAt", "--ndjson"], {
      env: { ...env, CLAIMS_LIKE: file },
    });
    expect(JSON.parse(fields.stdout.split("\n")[0] ?? "")).toEqual({
      id: expect.any(String),
      createdAt: expect.stringMatching(/Z$/),
    });
    const missing = await runCli(
      ["diligence", "status", "00000000-0000-4000-8000-000000000000", "--like", file, "--json"],
      { env },
    );
    expect(errorOf(missing)).toMatchObject({ code: "job_not_found", exitCode: 3 });
    const curl = await runCli(["clients", "list", "--limit", "2", "--like", file, "--curl"], {
      env,
    });
    expect(curl.stdout).toContain("?n=2");
  });

  it("is checked for mistakes with their places, and against live reads", async () => {
    const { env } = await startForeign("harborline");
    const good = await runCli(
      ["contract", "form", "check", save(BY_HAND), "--base-url", env.CLAIMS_BASE_URL ?? ""],
      { env },
    );
    expect(good.code, good.stderr).toBe(0);
    const records = { ...BY_HAND.records, Client: { fields: { id: "uid", title: "name", name: "uid" } } };
    const bad = await runCli(["contract", "form", "check", save({ ...BY_HAND, records })], { env });
    expect(bad.code).toBe(5);
    expect(bad.stdout).toContain("/records/Client/fields/title");
    expect(bad.stdout).toMatch(/id and name are both at uid/);
    const elsewhere = { ...BY_HAND, records: { Client: { fields: { id: "uid" } } } };
    const differs = await runCli(
      ["contract", "form", "check", save(elsewhere), "--base-url", env.CLAIMS_BASE_URL ?? ""],
      { env },
    );
    expect(differs.code).toBe(7);
    expect(differs.stdout).toContain("id at uid");
  });

  it.each([
    ["{", "is not JSON"],
    [JSON.stringify({ serviceForm: 2 }), "version 2"],
    [JSON.stringify({ serviceForm: 1, recrods: {} }), "recrods"],
    [JSON.stringify({ serviceForm: 1, description: "x".repeat(1 << 20) }), "1 MiB"],
  ])("is refused if it is %.30s", async (text, message) => {
    const { folder } = writeForeignFiles();
    writeFileSync(join(folder, "bad.json"), text);
    const result = await runCli(["clients", "list", "--like", join(folder, "bad.json"), "--sandbox"], {});
    expect([result.code, result.stderr]).toEqual([2, expect.stringContaining(message)]);
    const checked = await runCli(["contract", "form", "check", join(folder, "bad.json")]);
    expect(checked.code, checked.stdout + checked.stderr).toBe(5);
  });

  it("starts from `form new`, which has no mistake", async () => {
    const file = join(writeForeignFiles().folder, "new.json");
    expect((await runCli(["contract", "form", "new", "--out", file])).code).toBe(0);
    expect((await runCli(["contract", "form", "check", file])).code).toBe(0);
    const form = JSON.parse(readFileSync(file, "utf8"));
    expect(JSON.parse((await runCli(["contract", "form", "new"])).stdout)).toEqual(form);
    const { operations } = form;
    expect(operations["clients.list"].description).toContain("GET /v1/clients");
  });
});
