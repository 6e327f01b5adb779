import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fixture, temporaryFolder } from "../support/cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";
import { createTerminalContext } from "../support/terminal.ts";

const ID = /^ *[0-9a-f]{8}-[0-9a-f-]{4,27}…?$/;

/** A machine with three submissions, and a service with a record of each noun. */
async function prepareMachine() {
  const cwd = temporaryFolder();
  const env = environmentOf(await sandboxForTest());
  for (const name of ["sample_es003.csv", "scenario_partial.csv"])
    copyFileSync(fixture(name), join(cwd, name));
  const show = async (columns: number, ...args: string[]) => {
    const terminal = createTerminalContext({ env, cwd });
    Object.assign(terminal.context.stdout, { columns });
    Object.assign(terminal.context.stderr, { columns });
    await terminal.run(...args, "--no-color");
    return terminal.stdout.text.split("\n").filter((line) => line !== "");
  };
  await show(80, ...submitArgs("sample_es003.csv", "--wait"));
  await show(80, ...submitArgs("scenario_partial.csv", "--wait"));
  return { cwd, show };
}

const LISTS: readonly (readonly string[])[] = [
  ["history"],
  ["history", "--submissions"],
  ["clients", "list"],
  ["claims", "list"],
  ["webhooks", "list"],
  ["webhooks", "deliveries"],
  ["diligence", "deadlines", "--within", "400d"],
];

it("a terminal of 40 columns shows more than ids in every list", async () => {
  const { show } = await prepareMachine();
  const [client = ""] = await show(80, "clients", "create", "--name", "Acme", "-q");
  const [job = ""] = await show(80, "history", "--submissions", "--state", "completed", "-q");
  await show(80, "claims", "create", "--client", client, "--job", job);
  await show(80, "webhooks", "test", "partner.test");
  for (const list of LISTS) {
    const lines = await show(40, ...list);
    const ids = lines.filter((line) => ID.test(line));
    const others = lines.filter((line) => !ID.test(line));
    // A heading, and a line for each row.
    expect(others.length, `${list.join(" ")}\n${lines.join("\n")}`).toBeGreaterThan(
      Math.max(1, ids.length / 2),
    );
    expect(Math.max(...lines.map(({ length }) => length)), lines.join("\n")).toBeLessThanOrEqual(40);
  }
});
