import { expect, it } from "vitest";
import { errorOf } from "../support/cli.ts";
import { startScenario } from "../support/scenario.ts";
import { createTerminalContext } from "../support/terminal.ts";

it("offers create shows the offer by grade and creates it once", async () => {
  const { env, claims, claim, idOf } = await startScenario();
  const id = await claim();
  const terminal = createTerminalContext({ env });
  expect(await terminal.run("offers", "create", "--claim", id, "--no-color")).toBe(0);
  const { text } = terminal.stdout;
  expect(text).toMatch(/^Offer [0-9a-f-]{36}\n/);
  expect(text).toMatch(/^ {2}status +accepted$/m);
  expect(text).toMatch(/^ {2}payout +\$1,315,484\.95$/m);
  expect(text).toMatch(/^ {2}A +\$821,437\.92 +8000 +\$657,150\.33$/m);
  const repeated = await claims("offers", "create", "--claim", id, "--json");
  expect(errorOf(repeated)).toMatchObject({ code: "claim_not_open", exitCode: 5 });
  expect(errorOf(repeated).message).toContain("The claim is financed");
  expect(await idOf("claims", "list", "--status", "financed")).toBe(id);
});

it("offers list filters by claim and status, also over the alias", async () => {
  const { claims, claim, idOf } = await startScenario();
  const [one, other] = [await claim(), await claim()];
  const first = await idOf("offers", "create", "--claim", one);
  const second = await idOf("offer", "create", "-f", `claimId=${other}`, "--via-alias");
  expect(await idOf("offers", "list")).toBe(`${second}\n${first}`);
  expect(await idOf("offers", "list", "--claim", one, "--status", "accepted", "--via-alias")).toBe(first);
  expect(await idOf("offers", "list", "--status", "declined")).toBe("");
  const cells = (await claims("offers", "list", "--limit", "1")).stdout.trimEnd().split("\t");
  expect(cells.slice(0, 5)).toEqual([second, "accepted", "134233158", "131548495", "2684663"]);
  const none = await claims("offers", "create", "--claim", "none", "--json");
  expect(errorOf(none)).toMatchObject({ code: "claim_not_found", exitCode: 3 });
});
