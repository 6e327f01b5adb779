import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FaultEffect, Sandbox } from "../../sandbox/index.ts";
import { type CliResult, errorOf, fixture, runCli } from "../support/cli.ts";
import { submitArgs } from "../support/sandbox.ts";
import {
  readStoredIds,
  readStoredRows,
  startVariedService,
  variationsCovering,
} from "../support/variations.ts";

const PARTIAL = fixture("scenario_partial.csv");

/** Parses the error document, including the fields that programs can branch on. */
const documentOf = (result: CliResult) =>
  errorOf(result) as ReturnType<typeof errorOf> & { status: number | null; requestId: string | null };

/** The text of an error: of a page, only its title is shown. */
const textOf = ({ grease }: Sandbox, message: string): string =>
  grease.variants.includes("errorShape=html") ? "a web page with the title" : message;

describe.each(variationsCovering("errorShape"))("errors on %s", (_, variation) => {
  it("an error of each kind has its exit code and the status, request id and message of the service", async () => {
    const { sandbox, env, claims, idOf } = await startVariedService(variation, { maxUploadBytes: 5_000 });
    const expectRefusal = async (code: number, status: number, message: string, ...args: string[]) => {
      const result = await claims(...args, "--json");
      expect([result.code, result.stdout], result.stderr).toEqual([code, ""]);
      const [latest] = (await sandbox.requests.list({ limit: 1 })).slice(-1);
      expect(documentOf(result)).toMatchObject({
        ...{ exitCode: code, status, requestId: latest?.requestId },
        ...{ message: expect.stringContaining(textOf(sandbox, message)), hint: expect.stringMatching(/./) },
      });
      expect(documentOf(result).message, args.join(" ")).not.toMatch(/[<>{}\n]/);
    };
    const job = await idOf(...submitArgs(PARTIAL));
    await expectRefusal(3, 404, "no job 7d9c", "diligence", "status", "7d9c");
    await expectRefusal(
      3,
      404,
      "no job 7d9c",
      ...["notifications", "create", "--recipient", "a@b.example"],
      "--subject",
      "x",
      "--message",
      "x",
      "--job",
      "7d9c",
    );
    await expectRefusal(3, 404, "no claim none", "offers", "create", "--claim", "none");
    await expectRefusal(
      5,
      422,
      "contactEmail: must be an e-mail address",
      ...["api", "POST", "/v1/clients", "-f", "name=Acme", "-f", "contactEmail=nobody"],
    );
    await expectRefusal(5, 422, "limit", "clients", "list", "--limit", "500");
    await expectRefusal(5, 413, "", ...submitArgs(fixture("boundaries.csv"), "--check", "off"));
    await idOf("diligence", "resume", job, "--wait");
    await expectRefusal(5, 409, "completed", "diligence", "resume", job);
    const wrong = await runCli(["clients", "list", "--json"], {
      env: { ...env, CLAIMS_API_KEY: "sk_sandbox_wrong" },
    });
    expect(documentOf(wrong)).toMatchObject({ exitCode: 4, status: 401 });
    const production = { ...env, CLAIMS_API_KEY: sandbox.credentials.production.apiKey };
    const elsewhere = await runCli(["webhooks", "test", "partner.test", "--json"], { env: production });
    expect(documentOf(elsewhere)).toMatchObject({ exitCode: 4, status: 403 });
  });

  it("history records a refusal, even if its response is truncated", async () => {
    const { sandbox, claims } = await startVariedService(variation, { maxUploadBytes: 100 });
    const tooLarge = submitArgs(PARTIAL, "--json");
    expect(documentOf(await claims(...tooLarge))).toMatchObject({ status: 413, exitCode: 5 });
    sandbox.faults.add({ phase: "after", then: { truncate: true } });
    expect(documentOf(await claims(...tooLarge))).toMatchObject({
      code: "http_413",
      exitCode: 5,
      retryable: false,
    });
    expect(documentOf(await claims("diligence", "status", "nobody", "--json")).exitCode).toBe(3);
    const history = JSON.parse((await claims("history", "--submissions", "--json")).stdout);
    expect(history).toMatchObject([
      { outcome: "refused", status: 413, file: PARTIAL },
      { outcome: "refused", status: 413, file: PARTIAL },
    ]);
  });
});

describe.each(variationsCovering("headerCase"))("failures on %s", (_, variation) => {
  it("a read after 503 and a write after 429 are retried, and a long Retry-After is reported", async () => {
    const { sandbox, claims, exits, idOf } = await startVariedService(variation);
    sandbox.faults.add({ times: 1, then: { status: 503, retryAfter: 0 } });
    await exits(0, "clients", "list");
    sandbox.faults.add({ times: 1, then: { status: 429, retryAfter: 0 } });
    const id = await idOf("clients", "create", "--name", "Acme");
    expect(await readStoredIds(sandbox, "client")).toContain(id);
    sandbox.faults.clear();
    sandbox.faults.add({ then: { status: 429, retryAfter: 7200 } });
    for (const line of [["clients", "list"], submitArgs(PARTIAL)]) {
      const late = documentOf(await claims(...line, "--json"));
      expect(late).toMatchObject({ exitCode: 6, status: 429, hint: expect.stringContaining("7200") });
    }
  });

  it("a write whose response is lost has an unknown outcome, and a repeated write finds its job", async () => {
    const { sandbox, exits } = await startVariedService(variation);
    sandbox.faults.add("ghost-commit", { match: { operation: "diligence.submit" } });
    const lost = await exits(6, ...submitArgs(PARTIAL, "--json"));
    expect(documentOf(lost)).toMatchObject({
      code: "outcome_unknown",
      hint: expect.stringContaining("history --unknown"),
    });
    const unknown = async (code: number) =>
      JSON.parse((await exits(code, "history", "--unknown", "--json")).stdout);
    const [{ key, jobId }] = await unknown(6);
    expect(jobId).toBeNull();
    const [job] = await readStoredRows(sandbox, "job");
    const repeated = await exits(0, ...submitArgs(PARTIAL, "-q"));
    expect(repeated.stdout).toBe(`${job?.id}\n`);
    expect(repeated.stderr).toContain(`sending it again with key ${key}`);
    const [, replay] = await sandbox.requests.list({ operation: "diligence.submit" });
    expect(replay).toMatchObject({ idempotentReplay: true });
    expect(await unknown(0)).toEqual([]);
    expect(await readStoredIds(sandbox, "job")).toEqual([job?.id]);
  });

  it.each<[string, FaultEffect]>([["a truncated body", { truncate: true }]])(
    "%s makes a read fail without a file, and the outcome of a write unknown",
    async (_, then) => {
      const { sandbox, cwd, claims, exits } = await startVariedService(variation);
      const partial = await exits(9, ...submitArgs(PARTIAL, "--wait", "-q"));
      const job = partial.stdout.trim();
      sandbox.faults.add({ phase: "after", then });
      for (const read of [
        ["diligence", "status", job],
        ["diligence", "report", job, "--out", "report.json"],
        ["diligence", "pull", job, "-d", "pulled"],
        ["clients", "list", "--all", "--out", "clients.json"],
      ])
        expect(documentOf(await claims(...read, "--json"))).toMatchObject({
          code: expect.stringMatching(/^(unreachable|response_truncated)$/),
          exitCode: 6,
        });
      for (const write of [
        submitArgs(PARTIAL, "--on-duplicate", "submit"),
        ["clients", "create", "--name", "Acme"],
        ["diligence", "resume", job],
      ])
        expect(documentOf(await claims(...write, "--json")), write.join(" ")).toMatchObject({
          code: "outcome_unknown",
          exitCode: 6,
        });
      expect(await readStoredIds(sandbox, "job")).toHaveLength(2);
      expect(readdirSync(cwd).filter((name) => name.endsWith(".json"))).toEqual([]);
      expect(existsSync(join(cwd, "pulled", "report.json"))).toBe(false);
    },
  );
});
