import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli } from "../support/cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

type Row = Readonly<Record<string, unknown>> & {
  readonly entryNumber: string;
  readonly route: string;
  readonly nextDeadline: string | null;
  readonly ieepaDutyCents: number;
};

async function setUp() {
  const env = environmentOf(await sandboxForTest());
  const claims = (...args: string[]) => runCli(args, { env });
  const { stdout } = await claims(...submitArgs(fixture("sample_entries.csv"), "--json"));
  const { jobId } = JSON.parse(stdout) as { jobId: string };
  const dataset = (...args: string[]) => claims("diligence", "dataset", jobId, ...args);
  const whole = JSON.parse((await dataset("--json")).stdout) as { jobId: string; rows: Row[] };
  return { claims, dataset, jobId, whole, rows: whole.rows };
}

const parseLines = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);

describe("diligence dataset", () => {
  it("selects rows by route and deadline, and prints them as the service sent them", async () => {
    const { dataset, whole, rows } = await setUp();
    const selection = ["--route", "cape", "--route", "protest", "--due-before", "2026-12-20"];
    const expected = rows.filter(
      ({ route, nextDeadline }) =>
        (route === "cape" || route === "protest") && nextDeadline !== null && nextDeadline < "2026-12-20",
    );
    expect(expected.length).toBeGreaterThan(1);
    expect(expected.length).toBeLessThan(rows.length);

    expect(JSON.parse((await dataset(...selection, "--json")).stdout)).toEqual({ ...whole, rows: expected });
    const { stdout: ndjson } = await dataset(...selection, "--ndjson");
    expect(parseLines(ndjson)).toEqual(expected);
    const allLines = (await dataset("--ndjson")).stdout.split("\n");
    expect(allLines).toEqual(expect.arrayContaining(ndjson.split("\n")));

    const isSelected = (line: string) => expected.some(({ entryNumber }) => line.includes(entryNumber));
    const [header, ...records] = (await dataset("--csv")).stdout.split("\r\n");
    expect((await dataset(...selection, "--csv")).stdout).toBe(
      [header, ...records.filter(isSelected), ""].join("\r\n"),
    );
    const { stdout: ids } = await dataset(...selection, "-q");
    expect(ids.trimEnd().split("\n")).toEqual(expected.map(({ entryNumber }) => entryNumber));
    const { stdout: fields } = await dataset(...selection, "--fields", "entryNumber,route");
    expect(fields.trimEnd().split("\n")).toEqual(
      expected.map(({ entryNumber, route }) => `${entryNumber}\t${route}`),
    );
  });

  it("selects before a date what deadlines lists for the days until then", async () => {
    const { claims, dataset, jobId } = await setUp();
    const days = ["--as-of", "2026-11-20", "--within", "14d"];
    const groups = JSON.parse((await claims("diligence", "deadlines", jobId, ...days, "--json")).stdout);
    const due = parseLines((await dataset("--due-before", "2026-12-05", "--ndjson")).stdout);
    expect(due.length).toBe(
      groups.reduce((sum: number, { entries }: { entries: number }) => sum + entries, 0),
    );
  });

  it.each([["asc"], ["desc"]] as const)("sorts by a field, %s, rows without a value last", async (order) => {
    const { dataset, rows } = await setUp();
    const sign = order === "asc" ? 1 : -1;
    const byDuty = [...rows].sort((one, other) => sign * (one.ieepaDutyCents - other.ieepaDutyCents));
    const options = ["--order", order, "--limit", "7"];
    const { stdout } = await dataset("--sort", "ieepaDutyCents", ...options, "--ndjson");
    expect(parseLines(stdout)).toEqual(byDuty.slice(0, 7));
    const csv = await dataset("--sort", "ieepaDutyCents", ...options, "--csv");
    expect(
      csv.stdout
        .split("\r\n")
        .slice(1, -1)
        .map((record) => record.split(",")[1]),
    ).toEqual(byDuty.slice(0, 7).map(({ entryNumber }) => entryNumber));
    const byDeadline = parseLines(
      (await dataset("--sort", "nextDeadline", "--order", order, "--ndjson")).stdout,
    );
    const days = byDeadline.map(({ nextDeadline }) => nextDeadline);
    const known = days.filter((day) => day !== null);
    expect(days).toEqual([
      ...known.toSorted((one, other) => sign * one.localeCompare(other)),
      ...days.filter((day) => day === null),
    ]);
  });

  it("stops reading after --limit rows", async () => {
    let isClosed = false;
    const service = await startScriptedService((_, response) => {
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      response.on("close", () => {
        isClosed = true;
      });
      response.write('{"entryNumber":"1"}\n{"entryNumber":"2"}\n{"entryNumber":"3"}\n');
      // The response never ends.
    });
    const { code, stdout } = await runCli(
      ["diligence", "dataset", "j-1", "--limit", "2", "--ndjson"],
      service,
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"entryNumber":"1"}\n{"entryNumber":"2"}\n' });
    await expect.poll(() => isClosed).toBe(true);
  });

  it("reads records of CSV with line breaks and quotes, and leaves them as they are", async () => {
    const records = [
      "entryNumber,route,importerName",
      '1,cape,"Harbor,\r\n ""Pine"" & Co"',
      '2,"cape","x"',
      "3,none,",
    ];
    const service = await startScriptedService((_, response) => {
      response.writeHead(200, { "content-type": "text/csv" });
      for (const piece of `${records.join("\r\n")}\r\n`.match(/.{1,7}/gs) ?? []) response.write(piece);
      response.end();
    });
    const run = (...args: string[]) => runCli(["diligence", "dataset", "j-1", "--csv", ...args], service);
    expect((await run("--route", "cape")).stdout).toBe(`${records.slice(0, 3).join("\r\n")}\r\n`);
    expect((await run("--sort", "entryNumber", "--order", "desc", "--limit", "1")).stdout).toBe(
      `${records[0]}\r\n${records[3]}\r\n`,
    );
    const unknown = await run("--due-before", "14d");
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect(unknown.stderr).toContain("no field nextDeadline");
    expect(await run("--route", "none", "--limit", "1")).toMatchObject({ code: 0 });
  });

  it("names the routes of the dataset if no row has the route", async () => {
    const { dataset } = await setUp();
    const { code, stdout, stderr } = await dataset("--route", "capes", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout).rows).toEqual([]);
    expect(stderr).toMatch(/no row has the route .*capes.*; the routes are .*cape, .*protest/);
  });

  it("sorts more than 100,000 rows only with --limit", { tags: "large" }, async () => {
    const lines = Array.from({ length: 100_001 }, (_, index) => `{"n":${(index * 7_919) % 100_001}}\n`).join(
      "",
    );
    const service = await startScriptedService((_, response) => {
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      response.end(lines);
    });
    const sort = (...args: string[]) =>
      runCli(["diligence", "dataset", "j-1", "--sort", "n", "--ndjson", ...args], service);
    const refused = await sort();
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(errorOf(refused)).toMatchObject({ code: "option_conflict" });
    expect((await sort("--limit", "3")).stdout).toBe('{"n":0}\n{"n":1}\n{"n":2}\n');
    expect(errorOf(await sort("--limit", "100001"))).toMatchObject({ code: "option_conflict" });
  });

  it.each([
    [["--order", "desc"], "missing_option"],
    [["--sort", "dutyPaid"], "unknown_field"],
    [["--due-before", "soon"], "option_invalid"],
    [["--limit", "0"], "option_invalid"],
  ])("refuses %j", async (options, code) => {
    const service = await startScriptedService((_, response) =>
      sendJson(response, 200, { rows: [{ n: 1 }] }),
    );
    const result = await runCli(["diligence", "dataset", "j-1", "--json", ...options], service);
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(errorOf(result).code).toBe(code);
  });
});
