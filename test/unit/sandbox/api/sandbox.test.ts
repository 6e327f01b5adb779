import { describe, expect, test } from "vitest";
import { type SandboxOptions, startSandbox } from "../../../../sandbox/index.ts";

const startRefused = (options: object) =>
  startSandbox(options as SandboxOptions).then(
    async (sandbox) => {
      await sandbox.close();
      return "started";
    },
    ({ name, kind, code, hint }) => ({ name, kind, code, hint }),
  );

test.each([
  { seed: 1.5 },
  { jobSpeed: "fast" },
  { webhookRetries: [0, 5_000] },
  { maxUploadBytes: 0 },
  { port: 65_536 },
  { grease: ["everything"] },
  { webhookTimeoutMs: 0 },
  { allowPublicWebhooks: "no" },
  { host: "" },
  { onError: "ignore" },
])("startSandbox refuses %o", async (options) => {
  expect(await startRefused(options)).toMatchObject({
    name: "ClaimsError",
    kind: "usage",
    code: "option_invalid",
    hint: expect.stringMatching(/^(give|return) /),
  });
});

test.each(["tempDir", "now", "saves", "contractVersion", "onShutdownRequested"])(
  "startSandbox refuses the option %s of the command line",
  async (name) => {
    expect(await startRefused({ [name]: undefined })).toMatchObject({
      kind: "usage",
      code: "unknown_option",
    });
  },
);

describe("the option frozenAt", () => {
  test.each([
    "yesterday",
    "2027-02-30T00:00:00Z",
    "2026-11-20T24:00:00Z",
    "2026-11-20T00:00:00+99:00",
    "2026-11-20",
    new Date(Number.NaN),
    12,
    // Out of range.
    "0000-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59Z",
    new Date(-62_167_219_200_001),
    new Date(253_402_300_800_000),
  ])("refuses %s", async (frozenAt) => {
    expect(await startRefused({ frozenAt })).toMatchObject({ kind: "usage", code: "option_invalid" });
  });

  test.each([
    ["2028-02-29T23:59:59.5Z", "2028-02-29T23:59:59.500Z"],
    ["2026-11-20t00:30:00+01:00", "2026-11-19T23:30:00.000Z"],
    ["0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"],
    ["9999-12-30T00:00:00Z", "9999-12-30T00:00:00.000Z"],
  ])("accepts %s as %s", async (frozenAt, now) => {
    await using sandbox = await startSandbox({ frozenAt });
    expect(sandbox.clock.now()).toBe(now);
  });
});
