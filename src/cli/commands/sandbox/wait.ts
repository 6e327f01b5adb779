import { JOB_STATES } from "../../../domain/diligence/states.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { DELIVERY_STATES } from "../../../domain/webhooks/deliveries.ts";
import { command } from "../../framework/command.ts";
import { startProgress } from "../../output/progress.ts";
import { toRecordCard } from "../../output/record-card.ts";
import { readControl, requireControl } from "../../sandbox-control/control.ts";
import { sandboxNameOption } from "./options.ts";

/** Milliseconds (product.md §3). */
const DEFAULT_TIMEOUT_MS = 15 * 60_000;

/** Milliseconds that the answer may take beyond that. */
const RESPONSE_GRACE_MS = 5_000;

/** What may be waited for, as it was given. */
interface WaitOptions {
  readonly delivery: string | undefined;
  readonly event: string | undefined;
  readonly endpoint: string | undefined;
  readonly status: string | undefined;
  readonly job: string | undefined;
  readonly state: string | undefined;
}

export const wait = command({
  name: "wait",
  summary: "wait until a delivery or a job of a sandbox has ended, or has come to a state",
  remote: false,
  waitsForJob: true,
  output: "record",
  options: {
    ...sandboxNameOption,
    delivery: { value: "delivery", help: "the delivery of that id" },
    event: { value: "event", help: "a delivery of that event; one that is there already counts" },
    endpoint: { value: "endpoint", help: "a delivery to that endpoint" },
    status: { value: "status", choices: DELIVERY_STATES, help: "of the delivery (delivered or failed)" },
    job: { value: "job", help: "the diligence job of that id" },
    state: { value: "state", choices: JOB_STATES, help: "of the job (completed, partial or failed)" },
  },
  examples: [
    "claims sandbox wait --event partner.test --status delivered --timeout 10s",
    "claims sandbox wait --job 7d9c… --state processing",
  ],
  async run(context, { global, options }) {
    const wish = toCondition(options);
    const timeoutMs = global.timeout ?? DEFAULT_TIMEOUT_MS;
    const control = await requireControl(context, options.name);
    const progress = startProgress(context.stderr, "waiting");
    const record = await readControl<Record<string, unknown>>(
      context,
      control,
      "createdAt",
      "POST",
      "/wait",
      {
        body: { ...wish, timeoutMs },
        timeoutMs: timeoutMs + RESPONSE_GRACE_MS,
        isRepeatable: true,
      },
    ).finally(() => progress.stop());
    return {
      kind: "record",
      id: String(record.id ?? record.jobId),
      json: record,
      blocks: [toRecordCard(record)],
    };
  },
});

function toCondition({
  delivery: id,
  event: eventType,
  endpoint: endpointId,
  status,
  job,
  state,
}: WaitOptions): object {
  const delivery = { id, eventType, endpointId, status };
  const isDelivery = Object.values(delivery).some((value) => value !== undefined);
  if (isDelivery && (job ?? state) !== undefined)
    throw invalidCondition("a delivery and a job exclude each other");
  if (isDelivery) return { delivery: delivery };
  if (job === undefined) throw invalidCondition("nothing says what to wait for");
  return { job: { id: job, state } };
}

const invalidCondition = (message: string): ClaimsError =>
  new ClaimsError("usage", "wait_for_what", message, {
    hint: "give --delivery, --event or --endpoint, with or without --status; or --job, with or without --state",
  });
