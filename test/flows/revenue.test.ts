import { expect, it } from "vitest";
import { runCli } from "../support/cli.ts";
import { startScenario } from "../support/scenario.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

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

it("revenue ledger shows the balance and filters by claim, also over the alias", async () => {
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
  const filtered = await jsonOf("revenue", "ledger", "--claim", id, "--via-alias");
  expect(filtered.data).toMatchObject([{ type: "litigation_fee" }, { type: "origination_fee", claimId: id }]);
  expect((await jsonOf("revenue", "dashboard", "--via-alias")).revenue.totalCents).toBe(4_828_012);
});

it.each([
  ["claims", "list", "$2,108,831.19"],
  ["offers", "list", "$1,315,484.95"],
  ["revenue", "ledger", "$26,846.63"],
])("%s %s does not truncate amounts on a terminal of 80 columns", async (noun, verb, amount) => {
  const { env, claim, idOf } = await startScenario();
  await idOf("offers", "create", "--claim", await claim());
  const terminal = createTerminalContext({ env });
  Object.assign(terminal.context.stdout, { columns: 80 });
  expect(await terminal.run(noun, verb, "--no-color")).toBe(0);
  expect(terminal.stdout.text).toContain(amount);
});

it("revenue dashboard prints the fields of another service", async () => {
  const { env } = await startScriptedService((_, response) =>
    sendJson(response, 200, { month: "2026-11", totals: { earnedCents: 123456, deals: 3, note: null } }),
  );
  const terminal = createTerminalContext({ env });
  expect(await terminal.run("revenue", "dashboard", "--no-color")).toBe(0);
  expect(terminal.stdout.text).toMatch(/^ {2}totals +earned +\$1,234\.56$/m);
  expect(terminal.stdout.text).toMatch(/^ {2}month +2026-11$/m);
  expect((await runCli(["revenue", "dashboard", "--json"], { env })).stdout).toContain('"deals":3');
});
