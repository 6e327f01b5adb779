import type { ControlKey } from "../../src/contract/control.ts";
import type { Job } from "../../src/contract/diligence.ts";
import type { Delivery } from "../../src/contract/webhooks.ts";
import type { FaultPreset } from "../../src/domain/faults/presets.ts";
import type { FaultRule } from "./faults.ts";
import type { SandboxLike } from "./like.ts";
import type { Har, LoggedRequest, ReplayResult } from "./requests.ts";
import type { AdvanceResult, AgendaItem, SandboxCredentials } from "./sandbox.ts";
import type { SnapshotDiff, SnapshotInfo } from "./snapshots.ts";
import type { DeliveryDetails, EmittedEvent, SandboxEndpoint, SinkRequest } from "./webhooks.ts";

export interface ClockState {
  /** RFC 3339 */
  readonly now: string;
  readonly frozen: boolean;
}

/** How many records there are, by their state. */
export type StateCounts = Readonly<Record<string, number>>;

/** The last time that the state was written to the file of `claims sandbox up --state`. */
export interface SavedState {
  /** RFC 3339, of the wall clock. */
  readonly at: string;
  /** Wall time. */
  readonly durationMs: number;
}

/** Why the latest saves of that file failed. */
export interface SaveFailure {
  /** When the first of them began; RFC 3339, of the wall clock. */
  readonly since: string;
  readonly message: string;
}

/** What a sandbox holds. */
export interface SandboxState {
  readonly clock: ClockState;
  readonly jobs: StateCounts;
  readonly clients: number;
  readonly claims: StateCounts;
  readonly offers: StateCounts;
  readonly scans: StateCounts;
  readonly endpoints: StateCounts;
  readonly deliveries: StateCounts;
  readonly notifications: StateCounts;
}

/** A managed API key that replaced another one. */
export interface RotatedCredential {
  readonly environment: "sandbox" | "production";
  readonly apiKey: string;
}

/** A sandbox after a restore; its credentials may have changed. */
export interface RestoredState {
  readonly clock: ClockState;
  readonly credentials: SandboxCredentials;
}

export interface SinkSummary {
  readonly name: string;
  readonly requests: number;
  readonly valid: number;
  /** RFC 3339 */
  readonly lastAt: string;
}

/** The state, and the process that holds it. */
export interface SandboxStatus extends SandboxState {
  /** RFC 3339, of the wall clock. */
  readonly startedAt: string;
  /** Names the present state, as in `Sandbox`. */
  readonly instanceId: string;
  /** Null for random ids and credentials. */
  readonly seed: number | null;
  /** The observed service whose form the sandbox has; null without `--like`. */
  readonly like: SandboxLike | null;
  /** Null before the first save, absent without a state file. */
  readonly saved?: SavedState | null;
  /** Null while saves succeed, absent without a state file. */
  readonly saveFailure?: SaveFailure | null;
}

interface List<T> {
  readonly data: readonly T[];
}

/** The JSON that each operation of the control API responds with; `null` where the response is not JSON. */
export type ControlResponses = {
  readonly [K in ControlKey]: K extends keyof JsonResponses ? JsonResponses[K] : null;
};

interface JsonResponses {
  "GET /health": { readonly status: "ok"; readonly instanceId: string };
  "GET /ready": { readonly status: "ready" };
  "GET /state": SandboxStatus;
  "POST /inspect": { readonly url: string; readonly expiresInSeconds: number };
  "POST /shutdown": { readonly status: "closing" };
  "GET /clock": ClockState;
  "POST /clock/advance": AdvanceResult;
  "POST /clock/set": AdvanceResult;
  "POST /clock/freeze": ClockState;
  "POST /clock/unfreeze": ClockState;
  "GET /agenda": List<AgendaItem>;
  "GET /sinks": List<SinkSummary>;
  "GET /sinks/{name}": List<SinkRequest>;
  "DELETE /sinks/{name}": List<SinkRequest>;
  "POST /emit": EmittedEvent;
  "GET /endpoints": List<SandboxEndpoint>;
  "POST /endpoints/{id}/status": SandboxEndpoint;
  "GET /deliveries/{id}": DeliveryDetails;
  "POST /deliveries/{id}/resend": DeliveryDetails;
  "POST /credentials/rotate": RotatedCredential;
  /** `null`: the caller disconnected. */
  "POST /wait": Delivery | Job | LoggedRequest | SinkRequest | null;
  "GET /snapshots": List<SnapshotInfo>;
  "POST /snapshots/{name}": SnapshotInfo;
  "PUT /snapshots/{name}": SnapshotInfo;
  "DELETE /snapshots/{name}": List<SnapshotInfo>;
  "POST /snapshots/{name}/load": RestoredState;
  "PUT /state": RestoredState;
  "GET /snapshots/{name}/diff": SnapshotDiff;
  "POST /reset": RestoredState;
  "GET /faults": List<FaultRule>;
  "POST /faults": FaultRule;
  "DELETE /faults": List<FaultRule>;
  "GET /faults/presets": List<FaultPreset & { readonly name: string }>;
  "DELETE /faults/{id}": List<FaultRule>;
  /** `null`: the response is a stream. */
  "GET /requests": List<LoggedRequest> | null;
  "DELETE /requests": List<LoggedRequest>;
  "GET /requests/har": Har;
  "GET /requests/{number}": LoggedRequest;
  "POST /requests/{number}/replay": ReplayResult;
}
