import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { choicesOf } from "../../sandbox/engine/grease/choices.ts";
import { seededRandom } from "../../sandbox/engine/random.ts";
import { NOUNS } from "../../src/cli/commands/index.ts";
import { GREASE_DIMENSIONS, GREASE_HEADER } from "../../src/contract/grease.ts";
import { contract } from "../../src/contract/openapi.ts";
import {
  bareEnvironment,
  errorOf,
  fixture,
  ROOT,
  runCli,
  runProcess,
  temporaryFolder,
} from "../support/cli.ts";
import {
  environmentOf,
  GOLDEN_TIME,
  type Ready,
  SELLER,
  sandboxProcess,
  submitArgs,
} from "../support/sandbox.ts";
import { terminal } from "../support/terminal.ts";

// In processes of their own: the tap on the sandboxes of this process knows the ungreased contract only.
const PARTIAL = fixture("scenario_partial.csv");
const FAILING = fixture("bad_files/missing_required_column.csv");
const FROZEN = ["--frozen", "--at", GOLDEN_TIME];

interface Raw {
  readonly text: string;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

const ask = async ({ url, credentials }: Ready, path: string, init: RequestInit = {}): Promise<Raw> => {
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${credentials.sandbox.apiKey}`);
  const answer = await fetch(url + path, { ...init, headers });
  const text = await answer.text();
  const json = answer.headers.get("content-type")?.startsWith("application/json");
  return { text, headers: answer.headers, body: json ? JSON.parse(text) : {} };
};

function submission(): FormData {
  const form = new FormData();
  form.set("seller_name", SELLER);
  form.set("requires_protest_documentation", "false");
  form.set("file", new Blob([readFileSync(PARTIAL)], { type: "text/csv" }), "entries.csv");
  return form;
}

const submitted = (ready: Ready, headers: Record<string, string> = {}) =>
  ask(ready, "/v1/diligence/submit", { method: "POST", body: submission(), headers });

/** Where an answer has its job id. */
function placeOf({ body, headers }: Raw): string | undefined {
  const id = headers.get("location")?.split("/").at(-1);
  if ((body.job as { id?: unknown } | undefined)?.id === id) return "job.id";
  return ["jobId", "job_id", "id"].find((name) => body[name] === id) ?? "Location";
}

/** What a client does with a job, from its submission to its files, on a service of another mind. */
async function story(grease: string, seed: number) {
  const { ready } = await sandboxProcess(
    bareEnvironment(),
    ...FROZEN,
    "--grease",
    grease,
    "--seed",
    String(seed),
  );
  const env = environmentOf(ready);
  const claims = async (code: number, ...args: string[]) => {
    const result = await runCli(args, { env });
    expect(result.code, `${args.join(" ")}\n${result.stderr}`).toBe(code);
    return result;
  };
  const raw = async (what: string, accept = "application/json") =>
    (await ask(ready, `/v1/diligence/${what}/${id}`, { headers: { accept } })).text;

  const partial = await claims(9, ...submitArgs(PARTIAL, "--wait", "--json"));
  expect(JSON.parse(partial.stdout)).toMatchObject({ complete: false });
  const [, id = ""] = /^job (\S+)$/m.exec(partial.stderr) ?? [];
  expect(errorOf(partial)).toMatchObject({
    code: "job_partial",
    hint: `claims diligence resume ${id} --wait`,
  });

  const resumed = await claims(0, "diligence", "resume", id, "--wait", "--json");
  expect(JSON.parse(resumed.stdout)).toMatchObject({ complete: true, totals: { entriesAccepted: 6 } });
  const folder = temporaryFolder();
  const [status, viaApi, report, json, ndjson, csv, rows, , refused, failed, quiet] = await Promise.all([
    claims(0, "diligence", "status", id, "--json"),
    claims(0, "api", "GET", `/v1/diligence/status/${id}`),
    claims(0, "diligence", "report", id),
    claims(0, "diligence", "dataset", id, "--json"),
    claims(0, "diligence", "dataset", id, "--ndjson"),
    claims(0, "diligence", "dataset", id, "--csv"),
    claims(0, "diligence", "dataset", id),
    claims(0, "diligence", "pull", id, "-d", folder),
    claims(5, "diligence", "resume", id, "--json"),
    claims(9, ...submitArgs(FAILING, "--wait", "--json")),
    claims(0, ...submitArgs(PARTIAL, "-q")),
  ]);
  expect(resumed.stdout).toBe(`${await raw("report")}\n`);
  expect(status.stdout).toBe(`${await raw("status")}\n`);
  expect(viaApi.stdout).toBe(await raw("status"));
  expect(report.stdout).toContain("estimated claim\t$");
  const person = terminal({ env });
  await person.run("diligence", "report", id);
  expect(person.stdout.text).toContain(`claims diligence dataset ${id} `);
  expect(json.stdout).toBe(await raw("dataset"));
  expect(ndjson.stdout).toBe(await raw("dataset", "application/x-ndjson"));
  expect(csv.stdout).toBe(await raw("dataset", "text/csv"));
  expect(rows.stdout.trimEnd().split("\n")).toHaveLength(6);
  expect(readFileSync(join(folder, "dataset.json"), "utf8")).toBe(await raw("dataset"));
  expect(readFileSync(join(folder, "report.json"), "utf8")).toBe(await raw("report"));
  expect(quiet.stdout).toBe(`${/^job (\S+)$/m.exec(quiet.stderr)?.[1]}\n`);
  expect(JSON.parse(refused.stderr).error).toMatchObject({
    status: 409,
    message: expect.stringMatching(/^[^<]+$/),
  });
  expect(errorOf(failed)).toMatchObject({
    code: "job_failed",
    message: expect.stringContaining("(REQUIRED_COLUMN_MISSING: "),
  });

  const record = JSON.parse(status.stdout) as Record<string, unknown>;
  return { ready, record, place: placeOf(await submitted(ready)) };
}

/** Clients by name, made one after the other and read back page by page. */
async function listStory(ready: Ready): Promise<void> {
  const env = environmentOf(ready);
  const made = await runCli(["clients", "create", "--name", "Third", "-q"], { env });
  expect(made.code, made.stderr).toBe(0);
  const all = await runCli(["clients", "list", "--limit", "1", "--all", "-q"], { env });
  expect(all.stdout.split("\n")).toContain(made.stdout.trim());
  expect(new Set(all.stdout.trim().split("\n")).size).toBe(3);
}

const stateIn = ({ job, ...record }: Record<string, unknown>): unknown =>
  ({ ...record, ...(job as object | undefined) }).state;

/** Between them they have every variant of every dimension. */
const SEEDS = [0, 2, 3, 5, 8, 12, 14, 16, 21, 28];

const choicesAt = (seed: number) => choicesOf(GREASE_DIMENSIONS, seededRandom(seed));

describe("the client's story on a service of another mind", () => {
  it.each(SEEDS)("seed %d", async (seed) => {
    const { jobIdField, stateName } = choicesAt(seed);
    const { ready, place, record } = await story("all", seed);
    expect([place, stateIn(record)]).toEqual([jobIdField, stateName]);
    await listStory(ready);
    expect((await ask(ready, "/v1/docs/openapi")).text).toBe(contract().canonical);
  });

  it("is told under every variant there is", () => {
    const told = (seeds: readonly number[]) =>
      new Set(seeds.flatMap((seed) => Object.entries(choicesAt(seed)).map((pair) => pair.join("="))));
    const many = told(Array.from({ length: 500 }, (_, seed) => seed));
    expect([...many].filter((each) => !told(SEEDS).has(each))).toEqual([]);
  });
});

describe("the flows under CLAIMS_TEST_GREASE_SEED", () => {
  const folder = join(ROOT, "test/flows");
  const tests = readdirSync(folder).flatMap((name) => {
    const text = readFileSync(join(folder, name), "utf8");
    return /sandboxForTest|storyTeller/.test(text) ? text.split(/^(?= {0,2}(?:it|test|it)\b)/m) : [];
  });

  it.each(NOUNS.map(({ name }) => name))("have some that are about any service, of %s", (noun) => {
    const about = tests.filter((text) => !text.trim().startsWith("it"));
    expect(about.some((text) => text.includes(`"${noun}"`))).toBe(true);
  });
});

describe("a greased sandbox", () => {
  const answers = async (seed: number) => {
    const { ready } = await sandboxProcess(
      bareEnvironment(),
      ...[...FROZEN, "--grease", "jobIdField,stateName", "--grease", "unknownFields", "--seed", String(seed)],
    );
    const { text, headers } = await submitted(ready);
    const id = headers.get("location")?.split("/").at(-1);
    const reads = ["status", "report", "dataset"].map((what) => `/v1/diligence/${what}/${id}`);
    const texts = [text];
    for (const path of [...reads, "/v1/diligence/status/nothing"]) texts.push((await ask(ready, path)).text);
    return { ready, texts };
  };

  it("gives the same bytes for the same seed and calls, and others for another seed", async () => {
    const { texts } = await answers(1);
    expect((await answers(1)).texts).toEqual(texts);
    const others = await answers(3);
    for (const [index, text] of texts.entries()) expect(others.texts[index]).not.toBe(text);
  });

  it("replays the bytes of a stored answer", async () => {
    const { ready } = await sandboxProcess(bareEnvironment(), ...FROZEN, "--grease", "all");
    const first = await submitted(ready, { "idempotency-key": "one" });
    const again = await submitted(ready, { "idempotency-key": "one" });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.text).toBe(first.text);
    expect(again.headers.get(GREASE_HEADER)).toBe(first.headers.get(GREASE_HEADER));
  });

  it("is what --detach starts as well", async () => {
    const env = bareEnvironment();
    const up = ["sandbox", "up", "--port", "0", "--detach", "--json", ...FROZEN, "--grease", "jobIdField"];
    const ready = JSON.parse((await runCli([...up, "--seed", "12"], { env })).stdout) as Ready;
    const answer = await submitted(ready);
    await runCli(["sandbox", "down"], { env });
    expect(placeOf(answer)).toBe("job_id");
  });

  it("says what there is when asked for something else", async () => {
    const result = await runCli(["sandbox", "up", "--json", "--grease", "jobIdField,weather"]);
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(errorOf(result)).toMatchObject({
      code: "unknown_grease",
      message: expect.stringContaining("weather"),
      hint: `name ${GREASE_DIMENSIONS.join(", ")} or all`,
    });
  });
});

describe("sandbox exec --grease-each", () => {
  const NAIVE = join(ROOT, "test/support/assumption-client.js");

  const trials = async (...more: string[]) => {
    const result = await runProcess(["sandbox", "exec", "--grease-each", "--json", ...more], {
      env: bareEnvironment(),
    });
    return { ...result, rows: JSON.parse(result.stdout) as Record<string, unknown>[] };
  };

  it("says of a naive client what it relies on", { timeout: 120_000 }, async () => {
    const { code, rows, stderr } = await trials("--seed", "3", "--", process.execPath, NAIVE);
    expect(code).toBe(7);
    expect(rows.map(({ dimension, result }) => [dimension, result])).toEqual(
      GREASE_DIMENSIONS.map((dimension) => [dimension, "fail"]),
    );
    for (const { dimension, variant, assumption, standsInFor } of rows) {
      expect(stderr).toMatch(new RegExp(`: ${dimension}=${variant}\n(?:.*\n)*?${dimension}: `));
      expect([typeof assumption, typeof standsInFor]).toEqual(["string", "string"]);
    }
    expect(errorOf({ ...EMPTY, stderr })).toMatchObject({ code: "relies_on_assumptions", exitCode: 7 });
  });

  it("passes one that relies on nothing, and says what it had no chance to trip over", async () => {
    const script = "claims diligence submit $FILE --seller-name X --wait -q";
    const dimensions = ["--grease", "jobIdField,stateName,payloadForm"];
    const line = ["sh", "-c", script.replace("$FILE", fixture("sample_entries.csv"))];
    const { code, rows } = await trials(...dimensions, "--", ...line);
    expect(rows.map(({ dimension, result }) => [dimension, result])).toEqual([
      ["jobIdField", "pass"],
      ["stateName", "pass"],
      ["payloadForm", "untouched"],
    ]);
    expect(code).toBe(0);
  });

  it("tells nothing of a command that fails anyway", async () => {
    const result = await runProcess([
      "sandbox",
      "exec",
      "--grease-each",
      "--json",
      "--",
      "sh",
      "-c",
      "exit 3",
    ]);
    expect(result.code).toBe(7);
    expect(errorOf(result)).toMatchObject({
      code: "fails_ungreased",
      message: expect.stringContaining("(3)"),
    });
  });

  it("has no format without it", async () => {
    const result = await runProcess(["sandbox", "exec", "--csv", "--", "true"]);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain("formats of ours are for --grease-each");
  });
});

const EMPTY = { code: null, signal: null, stdout: "" };
