import type * as schemas from "../../src/contract/control-responses.ts";
import type { Job } from "../../src/contract/operations/diligence.ts";
import type { Delivery } from "../../src/contract/operations/webhooks.ts";
import type { ReadonlyStatic } from "../../src/contract/schemas.ts";
import type { JobState } from "../../src/domain/diligence/states.ts";
import type { DeliveryState } from "../../src/domain/webhooks/deliveries.ts";
import type { EndpointState } from "../../src/domain/webhooks/endpoints.ts";
import type { LoggedRequest, RequestFilter } from "./requests.ts";

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
}

/** An event has one delivery for each endpoint that gets it. */
export type EmittedEvent = ReadonlyStatic<typeof schemas.emittedEvent>;
export type DeliveryAttempt = ReadonlyStatic<typeof schemas.deliveryAttempt>;
export type DeliveryDetails = ReadonlyStatic<typeof schemas.deliveryDetails>;
/** An endpoint of any partner. */
export type SandboxEndpoint = ReadonlyStatic<typeof schemas.sandboxEndpoint>;
/** A request to a built-in receiver. */
export type SinkRequest = ReadonlyStatic<typeof schemas.sinkRequest>;

export interface DeliveryFilter {
  readonly endpointId?: string;
  readonly eventType?: string;
  readonly status?: DeliveryState;
}

/** What to wait for. A record that is there already counts. */
export type WaitCondition = {
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

/** A request counts once it has ended. */
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
  /** With every attempt. The response excerpts of all deliveries have at most 32 MiB: beyond that, the earlier ones are dropped. */
  delivery(id: string): Promise<DeliveryDetails>;
  /** Makes one attempt outside the schedule, and resolves after it. Success ends the schedule; failure does not change it. */
  resend(id: string): Promise<DeliveryDetails>;
  /**
   * The requests to a built-in receiver, newest last. The seeded endpoint points at `default`. Rejects with `sink_not_found` for
   * a name that no endpoint points at and that received nothing.
   */
  sink(name?: string): Promise<readonly SinkRequest[]>;
}
