import { ClaimsError, rejectedError } from "../../../../domain/errors.ts";
import { isDryRun, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import { type ControlClient, findControl } from "../../../sandbox-control/control.ts";

export const DELIVERY_ID_HINT = "pipe the id of one delivery in, or name it";

/** The control API of the service if it is a local sandbox; null in a dry run, which sends nothing. */
export const findDeliveryControl = async (
  context: Context,
  global: GlobalOptions,
  { connection }: Service,
): Promise<ControlClient | null> => (isDryRun(global) ? null : findControl(context, connection.baseUrl));

/** @param action as in `returns the body of a delivery` */
export const sandboxOnlyError = ({ connection }: Service, action: string): ClaimsError =>
  rejectedError("sandbox_only", `${connection.baseUrl} has no route that ${action}`, {
    hint: "only a sandbox on this machine has; `claims webhooks deliveries` shows the record",
  });

/**
 * Milliseconds since 1970 by the clock of the service: a sandbox can have a frozen clock, or one ahead of the real time.
 */
export async function readServiceTime(context: Context, { connection }: Service): Promise<number> {
  const control = await findControl(context, connection.baseUrl);
  try {
    if (control) {
      const { now } = await control.send("GET /clock", "now");
      return Date.parse(now);
    }
  } catch (error) {
    // The time is shown with a list, which must not fail because of it.
    if (!(error instanceof ClaimsError) || error.kind === "interrupted") throw error;
  }
  return context.now();
}
