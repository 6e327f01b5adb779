import type { AttemptFailure, DeliveryState } from "../../src/domain/webhooks/deliveries.ts";
import type { LoggedRequest } from "./requests.ts";

/** A request to the service that has ended. */
export interface RequestEvent extends LoggedRequest {
  readonly event: "request";
}

/** An attempt to deliver an event, and the state of the delivery after it. */
export interface AttemptEvent {
  readonly event: "attempt";
  /** RFC 3339, of the sandbox clock. */
  readonly at: string;
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly eventType: string;
  /** Of the receiver, without user and query. */
  readonly url: string;
  /** Counted from 1. */
  readonly number: number;
  readonly trigger: "schedule" | "resend";
  /** Wall time. */
  readonly durationMs: number;
  readonly responseStatus: number | null;
  readonly error: { readonly code: AttemptFailure; readonly detail: string } | null;
  readonly status: DeliveryState;
  /** RFC 3339; null when no further attempt is due. */
  readonly nextAttemptAt: string | null;
}

/** The number of events that a slow reader missed at this place. */
export interface DroppedEvents {
  readonly dropped: number;
}

export type ActivityEvent = RequestEvent | AttemptEvent;
