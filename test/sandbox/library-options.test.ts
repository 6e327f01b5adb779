import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  type FaultSpec,
  type GreaseDimension,
  type OperationId,
  type SandboxOptions,
  startSandbox,
} from "../../sandbox/index.ts";
import { sandboxForTest } from "../support/sandbox.ts";
import { call } from "../support/sandbox-requests.ts";

describe("options of the library", () => {
  it.each([
    [{ frozenat: "2026-11-20T00:00:00Z" }, "did you mean frozenAt?"],
    [{ retries: "none" }, expect.stringMatching(/^its options are port, host, allowHosts, seed,/)],
  ])("startSandbox refuses %o", async (options, hint) => {
    await expect(startSandbox(options as SandboxOptions)).rejects.toMatchObject({
      kind: "usage",
      code: "unknown_option",
      hint,
    });
  });

  it("waitFor refuses an unknown option", async () => {
    const sandbox = await sandboxForTest();
    const wait = sandbox.waitFor({ delivery: {} }, { timeout: 5 } as never);
    await expect(wait).rejects.toMatchObject({ code: "unknown_option", hint: "did you mean timeoutMs?" });
  });

  it.each([new AbortController(), null, {}])("waitFor and activity refuse the signal %o", async (signal) => {
    const sandbox = await sandboxForTest();
    const refusal = expect.objectContaining({
      kind: "usage",
      code: "option_invalid",
      message: `signal cannot be ${JSON.stringify(signal)}`,
      hint: "give an AbortSignal, such as controller.signal",
    });
    const given = signal as AbortSignal;
    await expect(sandbox.waitFor({ job: {} }, { signal: given })).rejects.toEqual(refusal);
    expect(() => sandbox.activity(given)).toThrow(refusal);
  });

  it('grease: "all" varies every dimension', async () => {
    await using sandbox = await startSandbox({ grease: "all" });
    const dimensions = sandbox.grease.variants.map((variant) => variant.split("=")[0]);
    expect(new Set(dimensions).size).toBeGreaterThan(8);
  });

  it("names the option of the library in the error and the hint", async () => {
    await expect(startSandbox({ requestLogSize: -1 })).rejects.toThrow("requestLogSize cannot be -1");
    await using sandbox = await startSandbox();
    await expect(startSandbox({ port: sandbox.port })).rejects.toMatchObject({
      code: "port_in_use",
      hint: "choose another port; port 0 takes a free one",
    });
  });

  it("exports operation ids and dimensions of grease as unions", () => {
    expectTypeOf<"diligence.submit">().toExtend<OperationId>();
    expectTypeOf<"diligence.sumbit">().not.toExtend<OperationId>();
    expectTypeOf<"listOrder">().toExtend<GreaseDimension>();
    expectTypeOf<FaultSpec["match"] & {}>().toHaveProperty("operation");
  });
});

describe("waitFor", () => {
  it("resolves with a request once it has ended", async () => {
    const sandbox = await sandboxForTest();
    const wait = sandbox.waitFor({ request: { operation: "clients.list" } });
    await sleep(50);
    await call(sandbox, "/v1/clients");
    expect(await wait).toMatchObject({ number: 1, status: 200 });
  });

  it.each(["request", "delivery", "job", "sink"])("refuses an undefined %s", async (kind) => {
    const sandbox = await sandboxForTest();
    await expect(sandbox.waitFor({ [kind]: undefined } as never)).rejects.toMatchObject({
      kind: "usage",
      code: "validation_failed",
      message: "a wait needs exactly one condition",
    });
  });

  it("does not blame a frozen clock for a missing request", async () => {
    const sandbox = await sandboxForTest();
    await expect(sandbox.waitFor({ request: {} }, { timeoutMs: 1 })).rejects.toMatchObject({
      code: "wait_timed_out",
      hint: "wait longer, or look at the request log",
    });
  });

  it("resolves with a request to a sink, and refuses an unknown sink", async () => {
    const sandbox = await sandboxForTest();
    const wait = sandbox.waitFor({ sink: { verdict: "valid" } });
    await sandbox.webhooks.emit({ type: "partner.test" });
    expect(await wait).toMatchObject({ sink: "default", number: 1, verdict: "valid" });
    const unknown = { code: "sink_not_found", message: expect.stringContaining('"defualt"') };
    await expect(sandbox.waitFor({ sink: { name: "defualt" } })).rejects.toMatchObject(unknown);
    await expect(sandbox.webhooks.sink("defualt")).rejects.toMatchObject(unknown);
  });
});
