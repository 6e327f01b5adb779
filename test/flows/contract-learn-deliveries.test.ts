import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chooseVariants } from "../../sandbox/engine/played-service/grease/choices.ts";
import { seededRandom } from "../../sandbox/engine/random.ts";
import type { Sandbox } from "../../sandbox/index.ts";
import { GREASE_DIMENSIONS } from "../../src/contract/grease.ts";
import type { ServiceForm } from "../../src/contract/service-form/service-form.ts";
import { bareEnvironment, errorOf, runCli, startCli, temporaryFolder } from "../support/cli.ts";
import { environmentOf, sandboxForTest } from "../support/sandbox.ts";
import { SEEDS } from "../support/variations.ts";

const [, SEED = 0] = SEEDS;

const readService = (file: string): ServiceForm => JSON.parse(readFileSync(file, "utf8"));

async function listen(...args: string[]) {
  const started = startCli(["webhooks", "listen", "--port", "0", "--json", ...args]);
  const [, url = ""] = await started.waitForOutput(/"url":"(http[^"]+)"/);
  return { ...started, url };
}

async function createEndpoint({ url, credentials }: Sandbox, receiver: string): Promise<void> {
  const endpoint = { label: "one", url: receiver, environmentScope: "sandbox" };
  const response = await fetch(`${url}/v1/webhooks/endpoints`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${credentials.sandbox.apiKey}` },
    body: JSON.stringify({ ...endpoint, subscribedEvents: ["partner.test"] }),
  });
  expect(response.ok).toBe(true);
}

describe("claims contract learn --deliveries", () => {
  it("adds the form of recorded deliveries to what another command learns at the same time", async () => {
    const { payloadForm, headerCase, timestampFormat } = chooseVariants(
      GREASE_DIMENSIONS,
      seededRandom(SEED),
    );
    const sandbox = await sandboxForTest({ seed: SEED, grease: GREASE_DIMENSIONS });
    const folder = temporaryFolder();
    const [file, recorded] = [join(folder, "service.json"), join(folder, "deliveries")];
    const { url, completion } = await listen("--record", recorded, "--count", "3");
    await createEndpoint(sandbox, url);
    for (const name of ["Harbor", "Pine", "Acme"])
      await sandbox.webhooks.emit({ type: "partner.test", data: { [name]: name, amount: 9_876_543 } });
    expect((await completion).code).toBe(0);
    const [learned, other] = await Promise.all([
      runCli(["contract", "learn", "--deliveries", recorded, "--out", file]),
      runCli(["contract", "learn", "--out", file], { env: environmentOf(sandbox) }),
    ]);
    expect(learned.code, learned.stderr).toBe(0);
    expect(other.code, other.stderr).toBe(0);
    expect(learned.stderr).toContain("3 deliveries");
    const service = readService(file);
    const timestamp = timestampFormat === "seconds" ? undefined : timestampFormat;
    expect(service.deliveries).toEqual(
      Object.fromEntries(
        Object.entries({ payload: payloadForm, headerCase, timestamp }).filter(([, value]) => value),
      ),
    );
    expect(service.evidence?.deliveries).toBe(3);
    expect(service.evidence?.responses.map(({ operation }) => operation)).toContain("clients.list");
    expect(readFileSync(file, "utf8")).not.toMatch(/Harbor|Pine|Acme|9876543/);
  });

  it("leaves out a recorded delivery that did not verify", async () => {
    const folder = temporaryFolder();
    const [file = "", own = "", other = "", recorded = ""] = [
      "service.json",
      "own",
      "other",
      "deliveries",
    ].map((name) => join(folder, name));
    writeFileSync(own, `whsec_${"a".repeat(43)}`);
    writeFileSync(other, `whsec_${"b".repeat(43)}`);
    const { url, completion } = await listen("--secret-file", own, "--record", recorded, "--count", "2");
    for (const secret of [other, own])
      await runCli(["webhooks", "send", "--to", url, "--secret-file", secret, "--event", "partner.test"]);
    await completion;
    const { code } = await runCli(["contract", "learn", "--deliveries", recorded, "--out", file]);
    expect(code).toBe(0);
    expect(readService(file).evidence?.deliveries).toBe(1);
    expect(readService(file).deliveries).toBeUndefined();
  });

  it("refuses a folder without a delivery", async () => {
    const folder = join(temporaryFolder(), "empty");
    mkdirSync(folder);
    writeFileSync(join(folder, "notes.txt"), "no delivery\n");
    const result = await runCli(["contract", "learn", "--deliveries", folder, "--json"], {
      env: bareEnvironment(),
    });
    expect(errorOf(result)).toMatchObject({ code: "invalid_input" });
    expect(result.code).toBe(2);
  });
});
