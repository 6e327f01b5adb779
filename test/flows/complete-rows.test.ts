import { describe, expect, it } from "vitest";
import { errorOf, fixture, runCli } from "../support/cli.ts";
import { controlEnvironmentOf, sandboxForTest, startMachine, submitArgs } from "../support/sandbox.ts";

/** A service with a record in each list. */
async function fillService() {
  const { claims: run } = await startMachine();
  const id = async (...args: string[]) => (await run(...args, "-q")).stdout.trim();
  const job = await id(...submitArgs(fixture("sample_entries.csv"), "--wait"));
  const client = await id("clients", "create", "--name", "Acme");
  const claim = await id("claims", "create", "--client", client, "--job", job);
  await id("offers", "create", "--claim", claim);
  await id("webhooks", "test", "partner.test");
  return { claim, run };
}

/** The leaves of a JSON document as texts, without empty ones. */
function leavesOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return value === null ? [] : [String(value)];
  return Object.values(value).flatMap(leavesOf);
}

describe("the rows of a command", () => {
  it("have every field of the JSON in CSV", async () => {
    const { run } = await fillService();
    const lists = [
      "clients list",
      "claims list",
      "offers list",
      "revenue ledger",
      "webhooks list",
      "webhooks deliveries",
    ];
    for (const list of lists) {
      const [item] = JSON.parse((await run(...list.split(" "), "--json")).stdout).data;
      const [heading = ""] = (await run(...list.split(" "), "--csv")).stdout.split("\r\n");
      expect(heading.split(",").sort(), list).toEqual(Object.keys(item).sort());
    }
  });

  it("have every value of the JSON in a pipe, for a claim and the dashboard too", async () => {
    const { claim, run } = await fillService();
    for (const args of [
      ["claims", "status", claim],
      ["revenue", "dashboard"],
    ]) {
      const document = JSON.parse((await run(...args, "--json")).stdout);
      const cells = (await run(...args)).stdout.split(/[\t\n]/);
      // The time of the dashboard is that of its request.
      const { asOf: _, ...rest } = document;
      expect(cells).toEqual(expect.arrayContaining(leavesOf(rest)));
    }
  });

  it("name --all for a --limit above the maximum", async () => {
    const { run } = await fillService();
    for (const limit of ["500", "20000"])
      expect(errorOf(await run("clients", "list", "--limit", limit, "--json")).hint).toContain("--all");
  });
});

it("-q of a command of the sandbox prints an id or nothing", async () => {
  const sandbox = await sandboxForTest();
  const env = controlEnvironmentOf(sandbox);
  const run = (...args: string[]) => runCli(["sandbox", ...args, "-q"], { env });
  const { stdout: id } = await run("faults", "add", "flaky");
  expect(JSON.parse((await runCli(["sandbox", "faults", "list", "--json"], { env })).stdout)).toMatchObject([
    { id: Number(id) },
  ]);
  expect(await run("reset")).toMatchObject({ code: 0, stdout: "" });
});
