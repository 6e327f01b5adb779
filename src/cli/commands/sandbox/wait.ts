import { readJobProgress } from "../../../client/wait.ts";
import type { ControlBody } from "../../../contract/control.ts";
import type { Job } from "../../../contract/operations/diligence.ts";
import type { Delivery } from "../../../contract/operations/webhooks.ts";
import { JOB_STATES } from "../../../domain/diligence/states.ts";
import { usageError } from "../../../domain/errors.ts";
import { DELIVERY_STATES } from "../../../domain/webhooks/deliveries.ts";
import type { OptionSpecs, OptionValues } from "../../framework/options.ts";
import type { Block } from "../../output/output.ts";
import { startProgress } from "../../output/progress.ts";
import { toRecordCard } from "../../output/record-card.ts";
import { defineControlCommand } from "../../sandbox-control/control-command.ts";

/** product.md §3 */
const DEFAULT_TIMEOUT_MS = 15 * 60_000;

const waitOptions = {
  delivery: { value: "delivery", help: "wait for the delivery with this id" },
  event: { value: "event", help: "wait for a delivery of this event; an existing one counts" },
  endpoint: { value: "endpoint", help: "wait for a delivery to this endpoint" },
  status: {
    value: "status",
    choices: DELIVERY_STATES,
    help: "status of the delivery",
    default: "delivered or failed",
  },
  job: { value: "job", help: "wait for a diligence job: its id" },
  state: {
    value: "state",
    choices: JOB_STATES,
    help: "state of the job",
    default: "completed, partial or failed",
  },
} as const satisfies OptionSpecs;

export const wait = defineControlCommand({
  name: "wait",
  prints: "POST /wait",
  summary: "wait until a delivery or a job of a sandbox has ended, or has reached a state",
  waitsForJob: true,
  output: "record",
  options: waitOptions,
  examples: [
    "claims sandbox wait --event partner.test --status delivered --timeout 10s",
    "claims sandbox wait --job 7d9c… --state processing",
  ],
  async run(context, { global, options }, control) {
    const condition = toCondition(options);
    const timeoutMs = global.timeout ?? DEFAULT_TIMEOUT_MS;
    const progress = startProgress(context.stderr, "waiting");
    const { waitAcrossRestarts } = await import("./wait-across-restarts.ts");
    const waiting = waitAcrossRestarts(context, control, condition, timeoutMs);
    const waited = await waiting.finally(() => progress.stop());
    // The condition is about one of the two.
    const record = waited as Delivery | Job;
    return {
      kind: "record",
      id: "id" in record ? record.id : record.jobId,
      json: record,
      blocks: await renderRecord(record),
    };
  },
});

async function renderRecord(record: Delivery | Job): Promise<readonly Block[]> {
  if ("id" in record) return [toRecordCard("delivery", { ...record })];
  // The card of a job is part of the commands that call a service.
  const { renderJobCard } = await import("../diligence/job-card.ts");
  return renderJobCard({ id: record.jobId, record, seen: readJobProgress(record) });
}

function toCondition(options: OptionValues<typeof waitOptions>): ControlBody<"POST /wait"> {
  const { delivery: id, event: eventType, endpoint: endpointId, status, job, state } = options;
  const delivery = { id, eventType, endpointId, status };
  const isDelivery = Object.values(delivery).some((value) => value !== undefined);
  if (isDelivery && (job ?? state) !== undefined)
    throw invalidCondition("a delivery and a job exclude each other");
  if (isDelivery) return { delivery } as ControlBody<"POST /wait">;
  if (job === undefined) throw invalidCondition("no delivery or job given");
  return { job: { id: job, ...(state && { state }) } };
}

const invalidCondition = (message: string) =>
  usageError("option_invalid", message, {
    hint: "give --delivery, --event or --endpoint, with or without --status; or --job, with or without --state",
  });
