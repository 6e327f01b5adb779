import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { explain } from "../../src/signature.ts";
import { bareEnvironment, errorOf, fixture, runCli, temporaryFile, temporaryFolder } from "../support/cli.ts";
import { createLog, SECRET, toLines } from "../support/incidents.ts";
import { show } from "../support/terminal.ts";

/** Written by someone who does not know the program, with real programs of eight languages. */
interface Fault {
  readonly id: string;
  readonly secrets: readonly string[];
  readonly delivery: { readonly headers: Readonly<Record<string, string>>; readonly bodyBase64: string };
  readonly computed?: string;
  readonly truth: {
    readonly actor: string | null;
    readonly actorAlso?: readonly string[];
    readonly undoable: boolean | null;
  };
}

const readFaults = (name: string): readonly Fault[] =>
  readFileSync(fixture(`support/${name}.ndjson`), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Fault);

const ACTORS: Readonly<Record<string, string>> = {
  ...{ receiver: "receiver", between: "between", sender: "sender" },
  ...{ "secret store": "secret_store", "log maker": "log" },
};

function explainFault({ secrets, delivery, computed }: Fault) {
  const body = Buffer.from(delivery.bodyBase64, "base64");
  return explain({ secrets, headers: delivery.headers, body, computed });
}

describe("explain of faults that other programs made", () => {
  const faults = [...readFaults("faults"), ...readFaults("computed")];
  const results = faults.map((fault) => ({ fault, ...explainFault(fault) }));

  it("is never valid", () => {
    expect(results.filter(({ verdict }) => verdict === "valid").map(({ fault }) => fault.id)).toEqual([]);
  });

  it("names a cause of at least 95 %", () => {
    const named = results.filter(({ causes }) => causes.length > 0);
    expect(named.length / results.length).toBeGreaterThanOrEqual(0.95);
  });

  it("names who must act in at least 95 %", () => {
    const right = results.filter(({ fault: { truth }, causes }) =>
      [truth.actor, ...(truth.actorAlso ?? [])].some((actor) =>
        causes.some((cause) => cause.actor === ACTORS[actor ?? ""]),
      ),
    );
    expect(right.length / results.length).toBeGreaterThanOrEqual(0.95);
  });

  it("is valid for deliveries that are only unusual", () => {
    const controls = readFaults("controls");
    expect(
      controls.filter((control) => explainFault(control).verdict !== "valid").map(({ id }) => id),
    ).toEqual([]);
  });
});

interface LogExpectation {
  readonly file: string;
  readonly readable: string;
  readonly secrets: readonly string[];
  readonly deliveries: number;
  readonly valid: number;
  readonly refused: number | null;
  readonly otherFailures: Readonly<Record<string, number>> | null;
}

const LOGS = JSON.parse(
  readFileSync(fixture("support/logs/expected.json"), "utf8"),
) as readonly LogExpectation[];

/** Runs `triage --json` on a file with these secrets. */
async function triageFile(file: string, secrets: readonly string[]) {
  const cwd = temporaryFolder();
  const args = secrets.flatMap((secret, index) => {
    writeFileSync(join(cwd, `secret${index}`), secret, { mode: 0o600 });
    return ["--secret-file", `secret${index}`];
  });
  const result = await runCli(["webhooks", "triage", file, ...args, "--json"], {
    cwd,
    env: bareEnvironment(),
  });
  return { ...result, report: result.stdout === "" ? null : JSON.parse(result.stdout) };
}

describe("webhooks triage reads logs as other programs write them", () => {
  it.each(LOGS.filter(({ readable }) => readable === "yes").map((log) => [log.file, log] as const))(
    "%s",
    { tags: "large" },
    async (_, log) => {
      const { report, stderr } = await triageFile(fixture(`support/logs/${log.file}`), log.secrets);
      expect(report, stderr).toMatchObject({ total: log.deliveries, valid: log.valid });
      if (log.refused !== null) expect(report.refused?.count ?? 0).toBe(log.refused);
      if (log.otherFailures !== null) expect(report.otherResponses).toEqual(log.otherFailures);
    },
  );

  it.each(LOGS.filter(({ readable }) => readable !== "yes").map((log) => [log.file, log] as const))(
    "or says what is missing in %s",
    async (_, log) => {
      const result = await triageFile(fixture(`support/logs/${log.file}`), log.secrets);
      const { message, hint } = errorOf(result);
      expect(`${message} ${hint}`).toMatch(/no body|after parsing|CSV|--field/);
    },
  );
});

it.each<[string, () => Buffer, string]>([
  ["gzip of 400 MB", () => gzipSync(Buffer.alloc(400 << 20)), "input_too_large"],
  ["a record of 100 MB", () => Buffer.from(`{"headers":"${"x".repeat(100_000_000)}"}`), "invalid_input"],
  ["damaged gzip", () => Buffer.from("1f8b0800000000", "hex"), "invalid_input"],
])("webhooks triage ends with a clear error for %s", { tags: "large" }, async (_, create, code) => {
  const file = temporaryFile("in", create());
  expect(errorOf(await triageFile(file, [SECRET]))).toMatchObject({ code, exitCode: 2 });
});

describe("a receiver that refuses right deliveries", () => {
  const log = createLog(40, () => ({})).map((line, index) => ({
    ...line,
    host: index % 2 === 0 ? "h1" : "h2",
    res: { statusCode: index % 2 === 0 ? 200 : 401 },
  }));

  /** The commands of a support person who has a log and knows only `--help`. */
  async function solveFromHelp(lines: readonly object[]) {
    const file = temporaryFile("app.log", toLines(lines));
    expect((await show({}, "--help")).text).toMatch(/webhooks\S* .*explain failed verification/);
    expect((await show({}, "webhooks", "--help")).text).toMatch(
      /triage <files...> verify many logged deliveries/,
    );
    return show({ CLAIMS_WEBHOOK_SECRET: SECRET }, "webhooks", "triage", file);
  }

  it("is named with its host when every second delivery fails, and exits 7", async () => {
    const { code, text } = await solveFromHelp(log);
    expect(code).toBe(7);
    expect(text).toContain("20 the receiver refused the receiver's program all on host h2");
  });

  it("is not blamed for a status in the body or of a queue", async () => {
    const file = temporaryFile(
      "app.log",
      toLines(createLog(8, () => ({})).map((line) => ({ ...line, status: "failed" }))),
    );
    expect((await triageFile(file, [SECRET])).report).toMatchObject({ valid: 8, refused: null });
  });
});

it("a delivery that verifies comes with the next step, unless -q leaves it out", async () => {
  const cwd = temporaryFolder();
  const [line] = createLog(1, () => ({}));
  writeFileSync(join(cwd, "record.json"), JSON.stringify(line));
  writeFileSync(join(cwd, "secret.txt"), SECRET, { mode: 0o600 });
  const args = ["webhooks", "verify", "record.json", "--secret-file", "secret.txt"];
  const { code, stderr } = await runCli(args, { cwd, env: bareEnvironment() });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("claims webhooks probe URL") });
  expect((await runCli([...args, "-q"], { cwd, env: bareEnvironment() })).stderr).toBe("");
});
