import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { errorOf, fixture, runCli, temporaryFolder } from "../support/cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "../support/sandbox.ts";

async function place() {
  const env = environmentOf(await sandboxForTest());
  const cwd = temporaryFolder();
  return { cwd, claims: (...args: string[]) => runCli(args, { env, cwd }) };
}

const WANTED = { recipient: "desk@harborpine.example", subject: "Ready", message: "The report is there.\n" };
const FLAGS = ["--recipient", WANTED.recipient, "--subject", WANTED.subject];

it("notifications create accepts flags, fields and a file", async () => {
  const { claims, cwd } = await place();
  const diligenceJobId = (await claims(...submitArgs(fixture("scenario_partial.csv"), "-q"))).stdout.trim();
  writeFileSync(join(cwd, "text.txt"), WANTED.message);
  writeFileSync(join(cwd, "whole.json"), JSON.stringify({ ...WANTED, diligenceJobId }));
  for (const how of [
    [...FLAGS, "--message", WANTED.message, "--job", diligenceJobId],
    [...FLAGS, "-F", "message=@text.txt", "-f", `diligenceJobId=${diligenceJobId}`],
    ["--input", "whole.json", "--via-alias"],
  ]) {
    const made = await claims("notification", "create", ...how, "--json");
    expect(made.code).toBe(0);
    expect(JSON.parse(made.stdout)).toMatchObject({ ...WANTED, diligenceJobId, status: "requested" });
  }
  expect((await claims("notifications", "create", "--input", "whole.json", "-q")).stdout).toMatch(
    /^[0-9a-f-]{36}\n$/,
  );
});

it("notifications create reports an unknown job", async () => {
  const { claims } = await place();
  const refused = await claims(
    ...["notifications", "create", ...FLAGS, "--message", "x", "--job", "7d9c", "--json"],
  );
  expect(errorOf(refused)).toMatchObject({ code: "job_not_found", exitCode: 3 });
  expect(errorOf(refused).message).toContain("There is no job 7d9c");
});
