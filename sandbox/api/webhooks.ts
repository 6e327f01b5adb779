import type { Job } from "../../src/contract/diligence.ts";
import type { Delivery, Endpoint } from "../../src/contract/webhooks.ts";
import type { JobState } from "../../src/domain/diligence/states.ts";
import type { AttemptFailure, DeliveryState } from "../../src/domain/webhooks/deliveries.ts";
import type { EndpointState } from "../../src/domain/webhooks/endpoints.ts";
import type { HeaderList } from "../../src/domain/webhooks/headers.ts";
import type { LoggedRequest, RequestFilter } from "./requests.ts";

/** Names and values as they were sent, in order. */
export type HeaderPairs = HeaderList;

export interface EventToEmit {
  /** Any dotted lower-case name, published or not. */
  readonly type: string;
  /** The `data` of the payload, any JSON. Default `{}`. */
  readonly data?: unknown;
  /** The JSON text of the `data`, instead of it: the payload contains these characters unchanged. */
  readonly dataJson?: string;
  /** Default `sandbox`. */
  readonly environment?: "sandbox" | "production";
  /** Delivers only to this endpoint, whatever it subscribes to. Default: every matching endpoint of the first partner. */
  readonly endpointId?: string;
  /**
   * What happens when no active endpoint subscribes to the event: `error` (default) rejects with `no_subscriber` and emits
   * nothing; `warn` emits a process warning, and the result has no deliveries.
   */
  readonly onNoSubscriber?: "error" | "warn";
}

/** An event has one delivery for each endpoint that gets it. */
export interface EmittedEvent {
  readonly eventId: string;
  readonly type: string;
  readonly environment: "sandbox" | "production";
  readonly deliveries: readonly { readonly deliveryId: string; readonly endpointId: string }[];
}

export interface DeliveryAttempt {
  /** Counted from 1. */
  readonly number: number;
  readonly trigger: "schedule" | "resend";
  /** RFC 3339, of the sandbox clock. */
  readonly at: string;
  /** Wall time. */
  readonly durationMs: number;
  /** Exactly as sent. */
  readonly headers: HeaderPairs;
  readonly responseStatus: number | null;
  /** Null without a response. */
  readonly responseHeaders: HeaderPairs | null;
  /**
   * The first 16 KiB of the response, read as UTF-8. Null without a response, and if it was dropped: the sandbox keeps 32 MiB
   * of excerpts in total, those of the latest deliveries.
   */
  readonly responseExcerpt: string | null;
  readonly error: { readonly code: AttemptFailure; readonly detail: string } | null;
}

export interface DeliveryDetails extends Delivery {
  readonly url: string;
  /** Null when the bytes are not UTF-8. */
  readonly body: string | null;
  readonly bodyBase64: string;
  readonly attempts: readonly DeliveryAttempt[];
}

/** An endpoint of any partner. */
export type SandboxEndpoint = Endpoint & { readonly partner: number };

export interface DeliveryFilter {
  readonly endpointId?: string;
  readonly eventType?: string;
  readonly status?: DeliveryState;
}

/** A request to a built-in receiver. */
export interface SinkRequest {
  readonly sink: string;
  /** Counted from 1 for each sink. */
  readonly number: number;
  /** RFC 3339, of the sandbox clock. */
  readonly at: string;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: HeaderPairs;
  /** The first 64 KiB. */
  readonly bodyBase64: string;
  /** Bytes of the whole body. */
  readonly size: number;
  /** Null while the response is delayed, and if the sender did not wait for it. */
  readonly responseStatus: number | null;
  /** The verdict of a receiver that verifies; `unknown_endpoint`: no endpoint points at this sink. */
  readonly verdict: "valid" | "mismatch" | "missing_header" | "malformed" | "unknown_endpoint";
  /** Explains the verdict. */
  readonly reason: string;
}

/**
 * What to wait for, and `since` when: a mark of `sandbox.mark()`, or `now`. Without `since`, a record that is there already
 * counts.
 */
export type WaitCondition = { readonly since?: SandboxMark | "now" } & {
  [Kind in keyof WaitConditions]: { readonly [Name in Kind]: WaitConditions[Name] } & {
    readonly [Other in Exclude<keyof WaitConditions, Kind>]?: never;
  };
}[keyof WaitConditions];

interface WaitConditions {
  readonly request: RequestCondition;
  readonly delivery: DeliveryCondition;
  readonly job: JobCondition;
  readonly sink: SinkCondition;
}

/** A moment in the life of a sandbox: how many records of each kind there were. */
export interface SandboxMark {
  /** Since the start of the sandbox, also those that were cleared: not a number of `requests.list({ since })`. */
  readonly requests: number;
  readonly deliveries: number;
  readonly jobs: number;
  readonly sinkRequests: number;
}

/** A request that has ended. */
export type RequestCondition = Pick<RequestFilter, "operation" | "status" | "method" | "path" | "fault">;

/** A request to a built-in receiver. */
export interface SinkCondition {
  /** Default `default`. */
  readonly name?: string;
  readonly verdict?: SinkRequest["verdict"];
}

/** Without a status: delivered or failed. */
export interface DeliveryCondition extends DeliveryFilter {
  readonly id?: string;
}

/** Without a state: completed, partial or failed. Without an id: any job. */
export interface JobCondition {
  readonly id?: string;
  readonly state?: JobState;
}

export type WaitResult<W extends WaitCondition> = W extends { readonly job: JobCondition }
  ? Job
  : W extends { readonly request: RequestCondition }
    ? LoggedRequest
    : W extends { readonly sink: SinkCondition }
      ? SinkRequest
      : Delivery;

/** The webhooks of every partner. Invalid input rejects with an error that has a hint. */
export interface SandboxWebhooks {
  /** Resolves when the deliveries exist; `idle()` waits for their first attempts. A payload has at most 8 MiB. */
  emit(event: EventToEmit): Promise<EmittedEvent>;
  /** Newest first. */
  endpoints(): Promise<readonly SandboxEndpoint[]>;
  /** `revoked` is final. A waiting delivery to an inactive endpoint fails when it is due. */
  setStatus(endpointId: string, status: EndpointState): Promise<SandboxEndpoint>;
  /** Newest first. */
  deliveries(filter?: DeliveryFilter): Promise<readonly Delivery[]>;
  /** With every attempt. The response excerpts of all deliveries have at most 32 MiB: the oldest ones are dropped. */
  delivery(id: string): Promise<DeliveryDetails>;
  /** Makes one attempt outside the schedule, and resolves after it. Success ends the schedule; failure does not change it. */
  resend(id: string): Promise<DeliveryDetails>;
  /**
   * The requests to a built-in receiver, newest last. The seeded endpoint points at `default`. Rejects with `sink_not_found` for
   * a name that no endpoint points at and that received nothing.
   */
  sink(name?: string): Promise<readonly SinkRequest[]>;
}
