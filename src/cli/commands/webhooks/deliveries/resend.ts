import type { DeliveryAttempt } from "../../../../../sandbox/index.ts";
import { type ClaimsError, rejectedError, unreachableError, usageError } from "../../../../domain/errors.ts";
import { confirmProductionWrite, isDryRun, openService } from "../../../connection/service.ts";
import type { Document } from "../../../documents/index.ts";
import { readIds } from "../../../files/input-file.ts";
import { aggregateErrors } from "../../../framework/aggregate-errors.ts";
import { command } from "../../../framework/command.ts";
import { handleFailure } from "../../../framework/handle-failure.ts";
import { toListOutput } from "../../../output/output.ts";
import { type ControlClient, requireControlOf } from "../../../sandbox-control/control.ts";

/** The response comes after the attempt, and a receiver can be slow. */
const RESEND_TIMEOUT_MS = 90_000;

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
    },
  ],
  examples: [
    "claims webhooks deliveries resend 9c2a…",
    "claims webhooks deliveries --status failed -q | claims webhooks deliveries resend -",
  ],
  async run(context, call) {
    const { args, global } = call;
    if (global.curl)
      throw usageError("option_conflict", "a resend is a request to the control API, not to the service", {
        hint: "--dry-run lists the deliveries that would be sent",
      });
    // A dry run lists the ids.
    const service = await openService(context, { ...call, global: { ...global, dryRun: undefined } });
    await confirmProductionWrite(context, global, service, "send deliveries again");
    const { baseUrl } = service.connection;
    const hint = "only a sandbox on this machine has; `claims webhooks deliveries` shows the record";
    const control = await requireControlOf(context, baseUrl, "that sends a delivery again", hint);
    const source = "pipe ids in: `claims webhooks deliveries --status failed -q`";
    const ids = await readIds(context, args.deliveries, source);
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

type ResendResult = Document<"ResentDeliveries">[number];

async function* resendAll(
  control: ControlClient,
  ids: readonly string[],
  timeoutMs = RESEND_TIMEOUT_MS,
  failures: ClaimsError[],
): AsyncGenerator<ResendResult> {
  for (const id of ids) {
    const resent = control.send("POST /deliveries/{id}/resend", "attempts", { params: { id }, timeoutMs });
    const details = await handleFailure(resent, (error) => void failures.push(error));
    if (!details) continue;
    const last = details.attempts.at(-1);
    if (last?.error) failures.push(toResendError(id, last.error, last.responseStatus));
    const response = last?.responseStatus ?? last?.error?.code ?? null;
    yield { id: details.id, status: String(details.status), response };
  }
}

type AttemptError = NonNullable<DeliveryAttempt["error"]>;

/** A failed attempt as an error, with the exit code of `webhooks send`. */
function toResendError(id: string, { code, detail }: AttemptError, status: number | null): ClaimsError {
  const hint = "`claims webhooks deliveries show` shows each attempt with its response";
  const message = `delivery ${id}: ${detail}`;
  if (code === "http_status" || code === "redirect")
    return rejectedError("delivery_rejected", message, { hint, status: status ?? undefined });
  return unreachableError(code, message, { hint, retryable: true });
}
