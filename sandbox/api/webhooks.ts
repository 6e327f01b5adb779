import type { Job } from "../../src/contract/diligence.ts";
import type { Delivery, Endpoint } from "../../src/contract/webhooks.ts";
import type { JobState } from "../../src/domain/diligence/states.ts";
import type { AttemptFailure, DeliveryState } from "../../src/domain/webhooks/deliveries.ts";
import type { EndpointState } from "../../src/domain/webhooks/endpoints.ts";
import type { HeaderList } from "../../src/domain/webhooks/headers.ts";

// What whoever runs a sandbox sees and does of its webhooks, from the handle and over the control API alike.

/** Names and values as they were sent, in order. */
export type HeaderPairs = HeaderList;

/** An event to emit. */
export interface EventToEmit {
  /** Any dotted lower-case name, also outside the four published ones. */
  readonly type: string;
  /** The `data` of the payload, any JSON; without it `{}`. */
  readonly data?: unknown;
  /** Default `sandbox`. */
  readonly environment?: "sandbox" | "production";
  /** The only endpoint that gets it, whatever it subscribes to; without it, all of the first partner's that match do. */
  readonly endpointId?: string;
}

/** What has come of an event: one delivery for each endpoint that gets it. */
export interface EmittedEvent {
  readonly eventId: string;
  readonly type: string;
  readonly environment: "sandbox" | "production";
  readonly deliveries: readonly { readonly deliveryId: string; readonly endpointId: string }[];
}

/** One attempt of a delivery, as it was made and answered. */
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
  /** Null where no answer began. */
  readonly responseHeaders: HeaderPairs | null;
  /** The first 16 KiB of the answer, read as UTF-8; null where none began. */
  readonly responseExcerpt: string | null;
  readonly error: { readonly code: AttemptFailure; readonly detail: string } | null;
}

/** A delivery with all that is known of it. */
export interface DeliveryDetails extends Delivery {
  readonly url: string;
  /** Null where the bytes are no UTF-8. */
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

/** A request as the history of a built-in receiver tells it. */
export interface SinkRequest {
  readonly sink: string;
  /** Counted from 1 for each sink. */
  readonly number: number;
  /** RFC 3339, of the sandbox clock. */
  readonly at: string;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** As they came. */
  readonly headers: HeaderPairs;
  /** Of the first 64 KiB. */
  readonly bodyBase64: string;
  /** Bytes of the whole body. */
  readonly size: number;
  /** The status of the answer; null while it is held back, and where the sender did not wait for it. */
  readonly responseStatus: number | null;
  /** What a receiver would say that verifies; `unknown_endpoint`: no endpoint points at this sink. */
  readonly verdict: "valid" | "mismatch" | "missing_header" | "malformed" | "unknown_endpoint";
  /** The same in words. */
  readonly reason: string;
}

/** What to wait for. What is there already counts. */
export type WaitCondition = { readonly delivery: DeliveryCondition } | { readonly job: JobCondition };

/** Without a status: one that has ended, delivered or failed. */
export interface DeliveryCondition extends DeliveryFilter {
  readonly id?: string;
}

/** Without a state: completed, partial or failed. */
export interface JobCondition {
  readonly id: string;
  readonly state?: JobState;
}

/** The record that was waited for. */
export type WaitResult<W extends WaitCondition> = W extends { readonly job: JobCondition } ? Job : Delivery;

/** The webhooks of a sandbox, of every partner. What is wrong rejects with an error that says what would be right. */
export interface SandboxWebhooks {
  /** Resolves when its deliveries are there; they leave at once, and `idle()` waits for their first attempt. */
  emit(event: EventToEmit): Promise<EmittedEvent>;
  /** The newest first. */
  endpoints(): Promise<readonly SandboxEndpoint[]>;
  /** `revoked` is final. What waits for an endpoint that is not active fails when it is due. */
  setStatus(endpointId: string, status: EndpointState): Promise<SandboxEndpoint>;
  /** The newest first. */
  deliveries(filter?: DeliveryFilter): Promise<readonly Delivery[]>;
  delivery(id: string): Promise<DeliveryDetails>;
  /** One attempt beside the schedule, when it is over: success ends the schedule, failure leaves it as it is. */
  resend(id: string): Promise<DeliveryDetails>;
  /** What a built-in receiver was sent, the newest last; the seeded endpoint points at `default`. */
  sink(name?: string): Promise<readonly SinkRequest[]>;
}
