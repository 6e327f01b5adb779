import { ClaimsError } from "../../../../domain/errors.ts";
import type { Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { findControl } from "../../../sandbox-control/control.ts";

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
