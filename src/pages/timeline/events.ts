import type { LoggedRequest } from "../../../sandbox/api/requests.ts";
import type { AgendaItem } from "../../../sandbox/api/sandbox.ts";
import type { DeliveryAttempt } from "../../../sandbox/api/webhooks.ts";
import type { ActivityLine } from "../../domain/activity/activity-line.ts";
import { describeAttempt } from "../../domain/activity/describe-attempt.ts";
import { describeRequest } from "../../domain/activity/describe-request.ts";
import type { JobState } from "../../domain/diligence/states.ts";
import type { DeliveryState } from "../../domain/webhooks/deliveries.ts";
import type { Links } from "../site.ts";

/** A request without what no line shows. */
export interface TimelineRequest
  extends Pick<
    LoggedRequest,
    | "number"
    | "at"
    | "method"
    | "target"
    | "operation"
    | "status"
    | "durationMs"
    | "caller"
    | "outcome"
    | "fault"
    | "alias"
    | "idempotentReplay"
    | "replayOf"
    | "varied"
  > {
  /** Only of a refusal and of a submission. */
  readonly responseBody: { readonly text: string | null } | null;
  /** The deliveries that it caused. */
  readonly deliveryIds: readonly string[];
}

export interface TimelineJob {
  readonly id: string;
  readonly state: JobState;
  readonly sellerName: string;
  /** RFC 3339 */
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly runCount: number;
  readonly failure: { readonly code: string; readonly detail: string } | null;
}

export interface TimelineDelivery {
  readonly id: string;
  readonly eventType: string;
  /** Of the receiver. */
  readonly url: string;
  readonly status: DeliveryState;
  readonly createdAt: string;
  readonly nextAttemptAt: string | null;
  readonly attempts: readonly Omit<DeliveryAttempt, "headers" | "responseHeaders" | "responseExcerpt">[];
}

export interface TimelineData {
  readonly requests: readonly TimelineRequest[];
  readonly jobs: readonly TimelineJob[];
  readonly deliveries: readonly TimelineDelivery[];
  /** What is due, soonest first. */
  readonly agenda: readonly AgendaItem[];
}

export const LANES = ["request", "job", "delivery", "other"] as const;
export type Lane = (typeof LANES)[number];

/** Something that happened, or is due. */
export interface TimelineEvent {
  readonly lane: Lane;
  /** The job or delivery that it belongs to; marks of one are joined. */
  readonly subject: string | null;
  /** Milliseconds since 1970 */
  readonly time: number;
  /** Orders the events of one moment: the request that caused it, then the event's own number. */
  readonly order: number;
  readonly line: ActivityLine;
  readonly href: string | null;
  readonly isDue: boolean;
  /** Describes the fault that was applied to a request. */
  readonly fault: string | null;
}

/** Everything that happened, in order. */
export function listEvents({ requests, jobs, deliveries }: TimelineData, links: Links): TimelineEvent[] {
  const causes = findCauses(requests);
  const orderOf = (id: string, step: number) => (causes.get(id) ?? 0) + step / 1000;
  return [
    ...requests.map(
      (request): TimelineEvent => ({
        ...{ lane: "request", subject: null, order: request.number, isDue: false },
        ...{ time: Date.parse(request.at), fault: request.fault },
        line: describeRequest(request),
        href: links.request(request.number),
      }),
    ),
    ...jobs.flatMap((job) => jobEvents(job, orderOf(job.id, 1), links)),
    ...deliveries.flatMap((delivery) =>
      attemptEvents(delivery, (number) => orderOf(delivery.id, 100 + number), links),
    ),
  ].sort((one, other) => one.time - other.time || one.order - other.order);
}

/** What is due, soonest first. */
export function listDueEvents({ agenda, jobs, deliveries }: TimelineData, links: Links): TimelineEvent[] {
  const jobIds = new Set(jobs.map(({ id }) => id));
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  return agenda.map(({ dueAt, kind, subject }, index): TimelineEvent => {
    const delivery = byId.get(subject);
    const lane: Lane = kind.startsWith("webhook.") ? "delivery" : kind.startsWith("job.") ? "job" : "other";
    const text = DUE_TEXTS[kind] ?? kind;
    return {
      ...{ lane, subject: lane === "other" ? null : subject, time: Date.parse(dueAt), order: index },
      ...{ isDue: true, fault: null },
      line: {
        ...{ at: dueAt, tone: "success", label: "", result: "due", durationMs: null, notes: [] },
        verb: text,
        subject: delivery ? `${delivery.eventType} (attempt ${delivery.attempts.length + 1})` : "",
      },
      href: delivery ? links.delivery(subject) : jobIds.has(subject) ? links.job(subject) : null,
    };
  });
}

const DUE_TEXTS: Readonly<Record<string, string>> = {
  "job.start": "job starts",
  "job.finish": "job ends",
  "scan.start": "scan starts",
  "scan.finish": "scan ends",
  "token.expire": "token expires",
  "webhook.attempt": "event",
  "webhook.resend": "event, sent again",
};

/** The number of the request that caused each job and delivery. */
function findCauses(requests: readonly TimelineRequest[]): ReadonlyMap<string, number> {
  const causes = new Map<string, number>();
  for (const { number, operation, deliveryIds, responseBody } of requests) {
    for (const id of deliveryIds) causes.set(id, number);
    if (operation !== "diligence.submit") continue;
    // The name of the job id field may be varied; its form is not.
    for (const [id] of (responseBody?.text ?? "").matchAll(UUID)) if (!causes.has(id)) causes.set(id, number);
  }
  return causes;
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const JOB_TONES: Partial<Record<JobState, ActivityLine["tone"]>> = { partial: "refusal", failed: "failure" };

function jobEvents(job: TimelineJob, order: number, links: Links): TimelineEvent[] {
  const { id, state, sellerName, createdAt, finishedAt, runCount, failure } = job;
  const common = { lane: "job", subject: id, isDue: false, fault: null, href: links.job(id) } as const;
  const event = (at: string, step: number, line: Pick<ActivityLine, "tone" | "result" | "notes">) => ({
    ...{ ...common, time: Date.parse(at), order: order + step },
    line: { at, label: "", verb: "job", subject: sellerName, durationMs: null, ...line },
  });
  const submitted = event(createdAt, 0, { tone: "success", result: "queued", notes: [`job ${id}`] });
  if (finishedAt === null) return [submitted];
  const notes = [
    ...(runCount > 1 ? [`run ${runCount}`] : []),
    ...(failure ? [`${failure.code}: ${failure.detail}`] : []),
    ...(state === "partial" ? ["some rows are deferred; resume the job"] : []),
  ];
  return [
    submitted,
    event(finishedAt, 0.0005, { tone: JOB_TONES[state] ?? "success", result: state, notes }),
  ];
}

/** The built-in receivers have names. */
const nameSink = (line: ActivityLine): ActivityLine => ({
  ...line,
  subject: line.subject.replace(/ to http:\/\/[^/]+\/_sandbox\/sink\/([\w.-]+).*/, " to the sink $1"),
});

function attemptEvents(
  delivery: TimelineDelivery,
  orderOf: (number: number) => number,
  links: Links,
): TimelineEvent[] {
  const { attempts, eventType, id, nextAttemptAt, status, url } = delivery;
  return attempts.map((attempt, index): TimelineEvent => {
    const next = attempts[index + 1];
    const described = {
      ...{ ...attempt, eventType, url, status },
      nextAttemptAt: next ? next.at : nextAttemptAt,
    };
    return {
      ...{ lane: "delivery", subject: id, time: Date.parse(attempt.at), order: orderOf(attempt.number) },
      ...{ isDue: false, fault: null },
      line: nameSink(describeAttempt(described)),
      href: links.delivery(id),
    };
  });
}
