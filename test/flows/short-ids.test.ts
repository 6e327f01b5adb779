import { describe, expect, it } from "vitest";
import { fixture, runCli } from "../support/cli.ts";
import { environmentOf, sandboxForTest } from "../support/sandbox.ts";
import { sendJson, startScriptedService } from "../support/scripted-service.ts";

/** A service that knows one job, and accepts whatever is sent. */
async function startService(jobIds: string[]) {
  const service = await startScriptedService((request, response) => {
    const [jobId] = jobIds;
    if (request.method === "POST") return sendJson(response, 202, { jobId: jobIds.shift() });
    sendJson(response, 404, { code: "not_found", jobId });
  });
  const env = {
    CLAIMS_BASE_URL: service.url,
    CLAIMS_API_KEY: "sk_sandbox_invented",
    CLAIMS_ENVIRONMENT: "sandbox",
  };
  return { env, requests: service.requests };
}

const submit = (env: Record<string, string>, ...more: string[]) =>
  runCli(["diligence", "submit", fixture("sample_es003.csv"), "--seller-name", "Acme", "-q", ...more], {
    env,
  });

describe("the start of an id", () => {
  it("stands for the only record of the sandbox that has it, in commands that read", async () => {
    const sandbox = await sandboxForTest();
    const env = environmentOf(sandbox);
    const control = {
      CLAIMS_CONTROL_URL: `${sandbox.url}/_sandbox`,
      CLAIMS_CONTROL_TOKEN: sandbox.controlToken,
    };
    const run = (...args: string[]) => runCli(args, { env: { ...env, ...control } });
    const id = (await submit(env)).stdout.trim();
    const [endpoint] = await sandbox.webhooks.endpoints();
    const { deliveries } = await sandbox.webhooks.emit({ type: "partner.test" });
    const delivery = deliveries[0]?.deliveryId ?? "";
    for (const [args, whole] of [
      [["diligence", "status", id.slice(0, 8)], id],
      [["diligence", "report", id.slice(0, 12).toUpperCase()], id],
      [["diligence", "deadlines", id.slice(0, 35)], id],
      [["webhooks", "deliveries", "show", delivery.slice(0, 9)], delivery],
      [["webhooks", "deliveries", "--endpoint", (endpoint?.id ?? "").slice(0, 8)], endpoint?.id],
    ] as const) {
      const { code, stderr } = await run(...args);
      expect([code, stderr.split("\n")[0]], args.join(" ")).toEqual([0, expect.stringMatching(`${whole}$`)]);
    }
    for (const args of [
      ["diligence", "resume", id.slice(0, 8)],
      ["webhooks", "deliveries", "resend", delivery.slice(0, 8)],
      ["diligence", "status", id.slice(0, 7)],
      ["diligence", "status", `${id.slice(0, 8)}g`],
    ])
      expect(await run(...args), args.join(" ")).toMatchObject({ code: 3 });
  });

  it("stands for a job in the log of the service alone, and names two jobs that it may be", async () => {
    const [one, two] = ["7d9c5a0e-1111-4111-8111-111111111111", "7d9c5a0e-2222-4222-8222-222222222222"];
    const { env, requests } = await startService([one, two]);
    const other = await startService([]);
    expect((await submit(env)).code).toBe(0);
    const status = (start: string, of = env) => runCli(["diligence", "status", start], { env: of });
    const read = await status("7d9c5a0e");
    expect(read.stderr).toContain(`job ${one}\n`);
    expect(requests.at(-1)?.url).toContain(one);
    await status("7d9c5a0e", other.env);
    expect(other.requests.at(-1)?.url).toMatch(/7d9c5a0e$/);
    expect((await submit(env, "--on-duplicate", "submit")).code).toBe(0);
    const ambiguous = await status("7d9c5a0e-");
    expect(ambiguous.code).toBe(2);
    expect(ambiguous.stderr).toContain(`7d9c5a0e- is the start of ${one} and of ${two}`);
    await status("7d9c5a0e-2");
    expect(requests.at(-1)?.url).toContain(two);
  });
});
