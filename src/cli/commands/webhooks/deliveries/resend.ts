import { ClaimsError, rejectedError, unreachableError, usageError } from "../../../../domain/errors.ts";
import type { AttemptFailure } from "../../../../domain/webhooks/deliveries.ts";
import { confirmProductionWrite, isDryRun, openService, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { readIds } from "../../../files/input-file.ts";
import { aggregateErrors } from "../../../framework/aggregate-errors.ts";
import { command } from "../../../framework/command.ts";
import type { OptionSpecs, OptionValues } from "../../../framework/options.ts";
import { parseDurationFlag } from "../../../framework/values.ts";
import { toListOutput } from "../../../output/output.ts";
import { idOf, readItems, type ServiceRecord } from "../../../records/paged-list.ts";
import { type ControlClient, findControl } from "../../../sandbox-control/control.ts";
import { readServiceTime, sandboxOnlyError } from "./control.ts";
import {
  DELIVERIES,
  listDeliveries,
  matchesDeliveryFilter,
  parseRecordTime,
  sortOldestFirst,
} from "./delivery-list.ts";

/** The response comes after the attempt, and a receiver can be slow. */
const RESEND_TIMEOUT_MS = 90_000;

const resendOptions = {
  failed: { help: "send failed deliveries, instead of ids" },
  endpoint: { value: "endpoint", help: "with --failed: only deliveries to this endpoint" },
  since: {
    value: "duration",
    parse: parseDurationFlag,
    help: "with --failed: only deliveries whose last attempt was within this time, such as 2h",
  },
} as const satisfies OptionSpecs;

export const deliveriesResend = command({
  name: "deliveries resend",
  prints: "ResentDeliveries",
  summary: "send deliveries again, one attempt each (local sandbox only)",
  remote: "writes",
  output: "list",
  arguments: [
    {
      name: "deliveries",
      help: "ids of the deliveries; - reads them from stdin, one a line",
      isVariadic: true,
      isOptional: true,
    },
  ],
  options: resendOptions,
  examples: [
    "claims webhooks deliveries resend 9c2a…",
    "claims webhooks deliveries resend --failed --since 2h --dry-run",
    "claims webhooks deliveries --status failed -q | claims webhooks deliveries resend -",
  ],
  async run(context, call) {
    const { args, global, options } = call;
    requireOneSelection(args.deliveries, options);
    if (global.print !== undefined)
      throw usageError("option_conflict", "a resend is a request to the control API, not to the service", {
        hint: "--dry-run lists the deliveries that would be sent",
      });
    // A dry run looks up the deliveries too.
    const service = await openService(context, {
      ...call,
      global: { ...global, dryRun: undefined, print: undefined },
    });
    await confirmProductionWrite(context, global, service);
    const control = await findControl(context, service.connection.baseUrl);
    if (!control) throw sandboxOnlyError(service, "sends a delivery again");
    const ids = options.failed
      ? await findFailedDeliveries(context, service, options)
      : await readIds(
          context,
          args.deliveries,
          "pipe ids in: `claims webhooks deliveries --status failed -q`",
        );
    const failures: ClaimsError[] = [];
    const items = isDryRun(global)
      ? ids.map((id): ResendResult => ({ id, status: null, response: null }))
      : resendAll(control, ids, call.requestTimeout, failures);
    return toListOutput({
      items,
      columns: [
        { name: "id", isId: true },
        { name: "status", display: ({ status }) => status ?? "would be sent again" },
        { name: "response" },
      ],
      emptyMessage: "no delivery to send again",
      failure: () => aggregateErrors(failures, `${ids.length} deliveries`),
    });
  },
});

type ResendSelection = OptionValues<typeof resendOptions>;

function requireOneSelection(ids: readonly string[], { failed, endpoint, since }: ResendSelection): void {
  const problem =
    !failed && (endpoint !== undefined || since !== undefined)
      ? "--endpoint and --since need --failed"
      : failed && ids.length > 0
        ? "--failed and delivery ids exclude each other"
        : !failed && ids.length === 0
          ? "no delivery given"
          : null;
  if (problem !== null)
    throw usageError("option_invalid", problem, {
      hint: "give delivery ids, - for ids on stdin, or --failed",
    });
}

async function findFailedDeliveries(
  context: Context,
  service: Service,
  { endpoint, since }: ResendSelection,
): Promise<readonly string[]> {
  const filter = { endpoint, status: "failed" };
  const now = await readServiceTime(context, service);
  const found: ServiceRecord[] = [];
  for await (const delivery of readItems(listDeliveries(service, filter), DELIVERIES)) {
    const at = parseRecordTime(delivery.lastAttemptAt ?? delivery.createdAt);
    const isRecent = since === undefined || (at !== null && at >= now - since);
    if (matchesDeliveryFilter(filter)(delivery) && isRecent) found.push(delivery);
  }
  return sortOldestFirst(found)
    .map(idOf)
    .filter((id) => id !== null);
}

interface ResendResult {
  readonly id: string;
  /** Null in a dry run. */
  readonly status: string | null;
  readonly response: number | string | null;
}

async function* resendAll(
  control: ControlClient,
  ids: readonly string[],
  timeoutMs = RESEND_TIMEOUT_MS,
  failures: ClaimsError[],
): AsyncGenerator<ResendResult> {
  for (const id of ids) {
    try {
      const details = await control.send("POST /deliveries/{id}/resend", "attempts", {
        params: { id },
        timeoutMs,
      });
      const last = details.attempts.at(-1);
      if (last?.error) failures.push(toResendError(id, last.error, last.responseStatus));
      const response = last?.responseStatus ?? last?.error?.code ?? null;
      yield { id: details.id, status: String(details.status), response };
    } catch (error) {
      if (!(error instanceof ClaimsError) || error.kind === "interrupted") throw error;
      failures.push(error);
    }
  }
}

/** A failed attempt as an error, with the exit code of `webhooks send`. */
function toResendError(
  id: string,
  { code, detail }: { readonly code: AttemptFailure; readonly detail: string },
  status: number | null,
): ClaimsError {
  const hint = "`claims webhooks deliveries show` shows each attempt with its response";
  const message = `delivery ${id}: ${detail}`;
  if (code === "http_status" || code === "redirect")
    return rejectedError("delivery_rejected", message, { hint, status: status ?? undefined });
  return unreachableError(code, message, { hint, retryable: true });
}
