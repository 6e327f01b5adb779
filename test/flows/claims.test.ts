import { describe, expect, it } from "vitest";
import { errorOf, runCli } from "../support/cli.ts";
import { startScenario } from "../support/scenario.ts";
import { createTerminalContext } from "../support/terminal.ts";

it("claims create creates a claim and shows its value by grade", async () => {
  const { env, client, job } = await startScenario();
  const terminal = createTerminalContext({ env });
  const line = ["claims", "create", "--client", client, "--job", await job(), "--no-color"];
  expect(await terminal.run(...line)).toBe(0);
  const { text } = terminal.stdout;
  expect(text).toMatch(/^Claim [0-9a-f-]{36}\n/);
  expect(text).toMatch(/^ {2}reviewOutcome +clear with conditions$/m);
  expect(text).toMatch(/^ {2}estimated claim +\$2,108,831\.19$/m);
  expect(text).toMatch(/^ {2}grade +entries +claim$/m);
  expect(text).toMatch(/^ {2}A +73 +\$821,437\.92$/m);
  expect(text).toMatch(/^ {2}X +12 +\$0\.00$/m);
  expect(await terminal.run(...line)).toBe(5);
  expect(terminal.stderr.text).toContain("The job already has a claim");
});

describe("claims list and status", () => {
  it("filter by client and status", async () => {
    const { claims, idOf, client, job, env } = await startScenario();
    const id = await idOf("claims", "create", "--client", client, "--job", await job());
    expect(await idOf("claim", "list", "--client", client, "--status", "open")).toBe(id);
    expect(await idOf("claims", "list", "--status", "financed")).toBe("");
    expect(await idOf("claims", "list")).toBe(id);
    const cells = (await claims("claims", "list")).stdout.trimEnd().split("\t");
    expect(cells.slice(0, 5)).toEqual([id, "open", "210883119", "Harbor & Pine", "200"]);
    const status = await claims("claims", "status", id, "--json");
    expect(JSON.parse(status.stdout)).toMatchObject({ claimId: id, status: "open" });
    const terminal = createTerminalContext({ env });
    await terminal.run("claims", "status", id, "--no-color");
    expect(terminal.stdout.text).toMatch(/History\n {2}open +2026-11-20 00:00 UTC/);
    const none = await claims("claims", "status", "none", "--json");
    expect(errorOf(none)).toMatchObject({ code: "claim_not_found", exitCode: 3 });
  });
});

it("offers create shows the offer by grade and creates it once", async () => {
  const { env, claims, claim, idOf } = await startScenario();
  const id = await claim();
  const terminal = createTerminalContext({ env });
  expect(await terminal.run("offers", "create", "--claim", id, "--no-color")).toBe(0);
  const { text } = terminal.stdout;
  expect(text).toMatch(/^Offer [0-9a-f-]{36}\n/);
  expect(text).toMatch(/^ {2}status +accepted$/m);
  expect(text).toMatch(/^ {2}payout +\$1,315,484\.95$/m);
  expect(text).toMatch(/^ {2}A +\$821,437\.92 +80 % +\$657,150\.33$/m);
  const repeated = await claims("offers", "create", "--claim", id, "--json");
  expect(errorOf(repeated)).toMatchObject({ code: "claim_not_open", exitCode: 5 });
  expect(errorOf(repeated).message).toContain("The claim is financed");
  expect(await idOf("claims", "list", "--status", "financed")).toBe(id);
});

it("offers list filters by claim and status", async () => {
  const { claims, claim, idOf } = await startScenario();
  const [one, other] = [await claim(), await claim()];
  const first = await idOf("offers", "create", "--claim", one);
  const second = await idOf("offer", "create", "--claim", other);
  expect(await idOf("offers", "list")).toBe(`${second}\n${first}`);
  expect(await idOf("offers", "list", "--claim", one, "--status", "accepted")).toBe(first);
  expect(await idOf("offers", "list", "--status", "declined")).toBe("");
  const cells = (await claims("offers", "list", "--limit", "1")).stdout.trimEnd().split("\t");
  expect(cells.slice(0, 5)).toEqual([second, "accepted", "134233158", "131548495", "2684663"]);
  const none = await claims("offers", "create", "--claim", "none", "--json");
  expect(errorOf(none)).toMatchObject({ code: "claim_not_found", exitCode: 3 });
});

it("litigation enroll accepts ids as arguments and on stdin", async () => {
  const { env, claims, claim, idOf } = await startScenario();
  const [one, two, three] = [await claim(), await claim(), await claim()];
  const terminal = createTerminalContext({ env });
  expect(await terminal.run("litigation", "enroll", one, "--no-color")).toBe(0);
  expect(terminal.stdout.text).toMatch(/^Enrollment [0-9a-f-]{36}\n/);
  expect(terminal.stdout.text).toMatch(new RegExp(`${one}.* \\$428,669\\.87 .*\\$21,433\\.49`));
  const twice = await runCli(["litigation", "enroll", "-", "--input", "-", "--json"], { env, input: one });
  expect(errorOf(twice)).toMatchObject({ code: "option_conflict", exitCode: 2 });
  const open = await idOf("claims", "list", "--status", "open");
  const result = await runCli(["litigation", "enroll", "-", "--json"], { env, input: open });
  const enrolled = JSON.parse(result.stdout).claims as { claimId: string }[];
  expect(enrolled.map(({ claimId }) => claimId)).toEqual([three, two]);
  expect(await idOf("claims", "list", "--status", "open")).toBe("");
  const repeated = await claims("litigation", "enroll", two, "--json");
  expect(errorOf(repeated)).toMatchObject({ code: "claim_in_litigation", exitCode: 5 });
});

it("revenue dashboard prints all amounts with cents in one column", async () => {
  const { env, claim, idOf } = await startScenario();
  const id = await claim();
  await idOf("offers", "create", "--claim", id);
  await idOf("litigation", "enroll", id);
  const terminal = createTerminalContext({ env });
  expect(await terminal.run("revenue", "dashboard", "--no-color")).toBe(0);
  const [, table = ""] = terminal.stdout.text.split("\n\n");
  expect(table.trimEnd().split("\n")).toEqual([
    "  area        figure                                  value",
    "  claims      count                                       1",
    "  claims      estimated claim                 $2,108,831.19",
    "  claims      in litigation: count                        1",
    "  claims      in litigation: estimated claim  $2,108,831.19",
    "  offers      accepted                                    1",
    "  offers      declined                                    0",
    "  offers      advance                         $1,342,331.58",
    "  offers      fee                                $26,846.63",
    "  offers      payout                          $1,315,484.95",
    "  litigation  claims                                      1",
    "  litigation  litigation                        $428,669.87",
    "  litigation  fee                                $21,433.49",
    "  revenue     entries                                     2",
    "  revenue     origination fee                    $26,846.63",
    "  revenue     litigation fee                     $21,433.49",
    "  revenue     total                              $48,280.12",
  ]);
});

it("revenue ledger shows the balance and filters by claim", async () => {
  const { claims, claim, idOf, jsonOf } = await startScenario();
  const id = await claim();
  expect((await claims("revenue", "ledger")).stdout).toBe("");
  await idOf("offers", "create", "--claim", id);
  await idOf("litigation", "enroll", id);
  const rows = (await claims("revenue", "ledger", "--all")).stdout.trimEnd().split("\n");
  expect(rows.map((row) => row.split("\t").slice(1, 5))).toEqual([
    ["litigation_fee", "2143349", "4828012", id],
    ["origination_fee", "2684663", "2684663", id],
  ]);
  const filtered = await jsonOf("revenue", "ledger", "--claim", id);
  expect(filtered.data).toMatchObject([{ type: "litigation_fee" }, { type: "origination_fee", claimId: id }]);
});
