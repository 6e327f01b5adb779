import { expect, it } from "vitest";
import { startScenario } from "../support/scenario.ts";
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
