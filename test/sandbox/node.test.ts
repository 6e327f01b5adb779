import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ROOT } from "../support/cli.ts";
import { itEachFirst } from "../support/large.ts";

const FLAGS_SCRIPT = `require("./dist/sandbox.cjs").startSandbox().catch(({ code, message }) => console.log(code, message))`;

itEachFirst([["--jitless"], ["--disallow-code-generation-from-strings"], ["--frozen-intrinsics"]])(
  "names %s, under which no sandbox starts",
  async (flag) => {
    const { stdout } = await promisify(execFile)(process.execPath, [flag, "-e", FLAGS_SCRIPT], { cwd: ROOT });
    expect(stdout).toBe(`node_flag the sandbox cannot run with ${flag} of Node\n`);
  },
);

const run = promisify(execFile);

/** Replaces everything that sinon, vitest, jest and node:test fake, also in node:timers, with functions that never call back. */
const FAKE_TIMERS = `
  import timers from "node:timers";
  import promises from "node:timers/promises";
  import { startSandbox } from "claims-toolkit/sandbox";
  const never = () => new Promise(() => {});
  const names = ["setTimeout", "setInterval", "setImmediate"];
  for (const name of names) globalThis[name] = timers[name] = promises[name] = never;
  globalThis.queueMicrotask = never;
  performance.now = () => 0;
  Date.now = () => 0;
`;

const TIMERS_SCRIPT = `
  import { get } from "node:http";
  const sandbox = await startSandbox({ frozenAt: "2026-11-20T00:00:00Z" });
  const { deliveries: [first] } = await sandbox.webhooks.emit({ type: "partner.test" });
  await sandbox.idle();
  await sandbox.clock.advance("30d");
  const { status } = await sandbox.webhooks.delivery(first.deliveryId);
  const late = await sandbox.waitFor({ delivery: { status: "failed" } }, { timeoutMs: 5 }).catch(({ code }) => code);
  await sandbox.snapshots.save("then");
  sandbox.faults.add({ then: { delay: "1ms" } });
  await new Promise((done) => get(sandbox.url + "/v1/clients", (response) => response.resume().on("end", done)));
  const request = await sandbox.requests.get(1);
  await sandbox.snapshots.load("then");
  await sandbox.reset();
  await sandbox.debug();
  await sandbox.close();
  console.log(status, late, request.status);
`;

it("the sandbox works while all timers are faked, and the process ends", async () => {
  const { stdout } = await run(
    process.execPath,
    ["--input-type=module", "--eval", FAKE_TIMERS + TIMERS_SCRIPT],
    {
      cwd: ROOT,
    },
  );
  expect(stdout).toBe("delivered wait_timed_out 401\n");
});
