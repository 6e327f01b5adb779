import { expect, it } from "vitest";
import { errorOf, fixture } from "../support/cli.ts";
import { SELLER, startMachine, submitArgs } from "../support/sandbox.ts";

const FILE = fixture("scenario_partial.csv");

interface Write {
  readonly key: string;
  readonly operation: string;
  readonly jobId: string | null;
}

it("history lists every write, and with --submissions only those, whose job ids -q prints", async () => {
  const { claims } = await startMachine();
  const submit = (...more: string[]) => claims(...submitArgs(FILE, "--json", ...more));
  const list = async (...args: string[]) =>
    JSON.parse((await claims("history", "--json", ...args)).stdout) as Write[];
  await submit("--wait");
  await claims("diligence", "resume", "--last", "--wait");
  await claims("clients", "create", "--name", "Acme", "--importer-number", "00-4519380AA");
  await submit("--seller-name", "North Pier", "--on-duplicate", "submit");
  const operations = ["diligence.submit", "clients.create", "diligence.resume", "diligence.submit"];
  expect((await list()).map(({ operation }) => operation)).toEqual(operations);
  const submissions = await list("--submissions");
  expect(submissions).toMatchObject([
    { operation: "diligence.submit", outcome: "accepted", state: null },
    { operation: "diligence.submit", outcome: "accepted", state: "completed" },
  ]);
  const ids = await claims("history", "--submissions", "-q");
  expect(ids.stdout).toBe(submissions.map(({ jobId }) => `${jobId}\n`).join(""));
  expect((await list("--seller", "north")).map(({ jobId }) => jobId)).toEqual([(await list())[0]?.jobId]);
  expect(await list("--seller", SELLER)).toHaveLength(1);
  expect(await list("--state", "Accepted")).toHaveLength(4);
  expect(await list("--state", "Completed")).toHaveLength(2);
  expect(await list("--state", "refused")).toEqual([]);
  const misspelled = await claims("history", "--state", "complted", "--json");
  expect(errorOf(misspelled)).toMatchObject({
    code: "option_invalid",
    hint: expect.stringContaining("refused, not sent, forgotten, unknown, in flight, queued"),
    exitCode: 2,
  });
  expect(await list("--since", "1h", "--limit", "2")).toHaveLength(2);
  expect(await list("--since", "2999-01-01")).toEqual([]);
  expect((await claims("history", "-q")).stdout).toBe((await list()).map(({ key }) => `${key}\n`).join(""));
});
