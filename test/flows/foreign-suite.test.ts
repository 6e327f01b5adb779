import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runProcess, temporaryFolder } from "../support/cli.ts";
import { copyForeign, foreignFolder, runForeign, startForeign } from "../support/foreign-service.ts";

describe("a suite of 20 calls in the names of a service", () => {
  const suite = join(foreignFolder("harborline"), "suite.mjs");

  /** The results of the suite against a service, and against a sandbox like what is learned of it. */
  async function runSuite(folder: string) {
    const { env } = await startForeign("harborline", 0, folder);
    const file = join(temporaryFolder(), "service.json");
    const learned = runForeign(["learn.mjs", folder, file]);
    expect(learned.status, learned.stderr).toBe(0);
    const service = runForeign(["harborline/suite.mjs"], env);
    const exec = ["sandbox", "exec", "--like", file, "--", process.execPath, suite];
    return { service, imitation: await runProcess(exec) };
  }

  it("passes against the service and against its imitation", { tags: "large" }, async () => {
    const { service, imitation } = await runSuite(foreignFolder("harborline"));
    expect(service.stdout, service.stderr).toBe("20 calls passed\n");
    expect(imitation.stdout, imitation.stderr).toBe("20 calls passed\n");
    expect([service.status, imitation.code]).toEqual([0, 0]);
  });

  it.each([
    ["the name of a list", /(?<=payload\.|page\(clients, ')clients/g, "customers", "call 6, the clients: "],
    ["a field of a request and its response", /importerNo/g, "importerRef", "call 3, create a client: "],
    ["the word of a state", /settled/g, "finished", "call 12, the status until the job is settled: "],
  ])(
    "fails against both after a change of %s, at the same call",
    { tags: "large" },
    async (_, from, to, call) => {
      const { service, imitation } = await runSuite(copyForeign("harborline", from, to));
      expect([service.status, imitation.code]).toEqual([1, 1]);
      expect(service.stderr).toContain(call);
      expect(imitation.stderr).toContain(call);
    },
  );
});
