import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fixture } from "../support/cli.ts";
import { startMachine, submitArgs } from "../support/sandbox.ts";

const NOTIFICATION = {
  recipient: "desk@harborpine.example",
  subject: "Ready",
  message: "The report is there.\n",
};
const FLAGS = ["--recipient", NOTIFICATION.recipient, "--subject", NOTIFICATION.subject];

it("notifications create accepts options and a file", async () => {
  const { claims, cwd } = await startMachine();
  const diligenceJobId = (await claims(...submitArgs(fixture("scenario_partial.csv"), "-q"))).stdout.trim();
  writeFileSync(join(cwd, "message.json"), JSON.stringify({ message: NOTIFICATION.message }));
  writeFileSync(join(cwd, "whole.json"), JSON.stringify({ ...NOTIFICATION, diligenceJobId }));
  for (const flags of [
    [...FLAGS, "--message", NOTIFICATION.message, "--job", diligenceJobId],
    [...FLAGS, "--job", diligenceJobId, "--input", "message.json"],
    ["--input", "whole.json"],
  ]) {
    const result = await claims("notification", "create", ...flags, "--json");
    expect(result.code).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({ ...NOTIFICATION, diligenceJobId, status: "requested" });
  }
  expect((await claims("notifications", "create", "--input", "whole.json", "-q")).stdout).toMatch(
    /^[0-9a-f-]{36}\n$/,
  );
});
