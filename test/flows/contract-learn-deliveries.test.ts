import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chooseVariants } from "../../sandbox/engine/grease/choices.ts";
import { seededRandom } from "../../sandbox/engine/random.ts";
import type { Sandbox } from "../../sandbox/index.ts";
import { GREASE_DIMENSIONS } from "../../src/contract/grease.ts";
import type { ObservedService } from "../../src/contract/observed/observed-service.ts";
import { bareEnvironment, errorOf, runCli, startCli, temporaryFolder } from "../support/cli.ts";
import { environmentOf, sandboxForTest } from "../support/sandbox.ts";
import { SEEDS } from "../support/variations.ts";

const [, SEED = 0] = SEEDS;

const readService = (file: string): ObservedService => JSON.parse(readFileSync(file, "utf8"));

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

describe("claims webhooks listen --observe", () => {
  it("adds the form of deliveries to what was learned, and recordings show the same", async () => {
    const { payloadForm, headerCase, timestampFormat } = chooseVariants(
      GREASE_DIMENSIONS,
      seededRandom(SEED),
    );
    const sandbox = await sandboxForTest({ seed: SEED, grease: GREASE_DIMENSIONS });
    const folder = temporaryFolder();
    const [file, recorded] = [join(folder, "service.json"), join(folder, "deliveries")];
    const { url, completion } = await listen("--observe", file, "--record", recorded, "--count", "3");
    await createEndpoint(sandbox, url);
    // Another command adds to the same file meanwhile.
    const learning = runCli(["contract", "learn", "--out", file], { env: environmentOf(sandbox) });
    for (const name of ["Harbor", "Pine", "Acme"])
      await sandbox.webhooks.emit({ type: "partner.test", data: { [name]: name, amount: 9_876_543 } });
    expect((await completion).code).toBe(0);
    expect((await learning).code).toBe(0);
    const service = readService(file);
    expect(service.deliveries).toEqual([
      { payload: payloadForm, headerCase, timestamp: timestampFormat, count: 3 },
    ]);
    expect(service.responses.map(({ operation }) => operation)).toContain("clients.list");
    expect(readFileSync(file, "utf8")).not.toMatch(/Harbor|Pine|Acme|9876543/);

    const other = join(folder, "recorded.json");
    const result = await runCli(["contract", "learn", "--deliveries", recorded, "--out", other]);
    expect(result.code, result.stderr).toBe(0);
    expect(result.stderr).toContain("3 deliveries");
    const ofRecording = readService(other);
    expect(ofRecording.deliveries).toEqual(service.deliveries);
    const fieldsOf = ({ fields }: ObservedService) =>
      fields.filter(({ operation }) => operation === "event").map(({ lastAt, ...field }) => field);
    expect(fieldsOf(ofRecording)).toEqual(fieldsOf(service));
  });

  it("leaves out a delivery that does not verify", async () => {
    const folder = temporaryFolder();
    const [file, own, other] = ["service.json", "own", "other"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(own, `whsec_${"a".repeat(43)}`);
    writeFileSync(other, `whsec_${"b".repeat(43)}`);
    const { url, completion } = await listen("--secret-file", own, "--observe", file, "--count", "2");
    for (const secret of [other, own])
      await runCli(["webhooks", "send", "--to", url, "--secret-file", secret, "--event", "partner.test"]);
    await completion;
    expect(readService(file).deliveries).toMatchObject([{ payload: "compact", count: 1 }]);
  });

  it("accepts deliveries when the file cannot be written, and fails at the end", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "gone", "service.json");
    const { url, completion } = await listen("--observe", file, "--count", "1");
    const secret = join(folder, "secret");
    writeFileSync(secret, `whsec_${"a".repeat(43)}`);
    const sent = await runCli(["webhooks", "send", "--to", url, "--secret-file", secret]);
    expect(sent.code).toBe(0);
    const result = await completion;
    expect(result.code).toBe(2);
    expect(errorOf(result)).toMatchObject({ code: "cannot_record" });
  });

  it("refuses a file that is not an observed service", async () => {
    const file = join(temporaryFolder(), "package.json");
    writeFileSync(file, '{"name": "app"}');
    const result = await runCli(["webhooks", "listen", "--port", "0", "--observe", file, "--json"]);
    expect(errorOf(result)).toMatchObject({ code: "invalid_observed_service" });
    expect(readFileSync(file, "utf8")).toBe('{"name": "app"}');
  });
});

describe("claims contract learn --deliveries", () => {
  it("refuses a folder without a delivery", async () => {
    const folder = join(temporaryFolder(), "empty");
    mkdirSync(folder);
    writeFileSync(join(folder, "notes.txt"), "no delivery\n");
    const result = await runCli(["contract", "learn", "--deliveries", folder, "--json"], {
      env: bareEnvironment(),
    });
    expect(errorOf(result)).toMatchObject({ code: "invalid_recording" });
    expect(result.code).toBe(2);
  });
});
