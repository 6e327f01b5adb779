import type { Sandbox, SandboxOptions } from "./api/sandbox.ts";
import { startHostedSandbox } from "./start.ts";

export type * from "../src/contract/activity/events.ts";
export type { FaultPresetName } from "../src/contract/fault-presets.ts";
export type { GreaseDimension } from "../src/contract/grease.ts";
export type { OperationId } from "../src/contract/operations/operations.ts";
export type * from "./api/control.ts";
export type * from "./api/faults.ts";
export type * from "./api/requests.ts";
export type * from "./api/sandbox.ts";
export type * from "./api/snapshots.ts";
export type * from "./api/webhooks.ts";

/**
 * Starts a sandbox in this process and resolves when it accepts requests. It listens on a free port of loopback, and keeps
 * the process alive until `close()`. Fake timers of the host do not affect it.
 *
 * Rejects with a usage error (`code`, `message`, `hint`) for invalid options, with `port_in_use` for a port that another
 * program uses, as `snapshots.import` does for a damaged `snapshot`, and as `setup` does.
 *
 * @example
 * await using sandbox = await startSandbox({ frozenAt: "2026-11-20T00:00:00Z" });
 * await fetch(`${sandbox.url}/v1/clients`, {
 *   headers: { authorization: `Bearer ${sandbox.credentials.sandbox.apiKey}` },
 * });
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  return startHostedSandbox(options);
}
