import type { deliveryAttempt } from "../control-responses.ts";
import type { loggedRequest } from "../logged-request.ts";
import type { Job } from "../operations/diligence.ts";
import type { Delivery } from "../operations/webhooks.ts";
import type { ReadonlyStatic } from "../schemas.ts";

type LoggedRequest = ReadonlyStatic<typeof loggedRequest>;
type DeliveryAttempt = ReadonlyStatic<typeof deliveryAttempt>;

/** A request to the service that has ended. */
export interface RequestEvent extends LoggedRequest {
  readonly event: "request";
}

/** An attempt to deliver an event, and the state of the delivery after it. */
export interface AttemptEvent
  extends Pick<DeliveryAttempt, "number" | "trigger" | "at" | "durationMs" | "responseStatus" | "error">,
    Pick<Delivery, "endpointId" | "eventType" | "status" | "nextAttemptAt"> {
  readonly event: "attempt";
  readonly deliveryId: string;
  /** Without user and query. */
  readonly url: string;
}

/** A run of a job has begun or ended. */
export interface JobEvent extends Pick<Job, "jobId" | "runCount" | "state" | "failure"> {
  readonly event: "job";
  /** RFC 3339, of the sandbox clock. */
  readonly at: string;
}

/** The number of events that a slow reader missed at this place. */
export interface DroppedEvents {
  readonly dropped: number;
}

export type ActivityEvent = RequestEvent | AttemptEvent | JobEvent;
