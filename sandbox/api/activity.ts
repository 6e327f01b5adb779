import type { DescribedAttempt } from "../../src/domain/activity/describe-attempt.ts";
import type { DescribedJobChange } from "../../src/domain/activity/describe-job-change.ts";
import type { AttemptFailure } from "../../src/domain/webhooks/deliveries.ts";
import type { LoggedRequest } from "./requests.ts";

/** A request to the service that has ended. */
export interface RequestEvent extends LoggedRequest {
  readonly event: "request";
}

/** An attempt to deliver an event, and the state of the delivery after it. Its URL has no user and no query. */
export interface AttemptEvent extends DescribedAttempt {
  readonly event: "attempt";
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly error: { readonly code: AttemptFailure; readonly detail: string } | null;
}

/** A run of a job has begun or ended. */
export interface JobEvent extends DescribedJobChange {
  readonly event: "job";
}

/** The number of events that a slow reader missed at this place. */
export interface DroppedEvents {
  readonly dropped: number;
}

export type ActivityEvent = RequestEvent | AttemptEvent | JobEvent;
