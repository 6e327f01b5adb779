import { ClaimsError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { findControl, readControl } from "../../../sandbox-control/control.ts";

/**
 * What time it is for the service at that address, in milliseconds since 1970: a sandbox is asked for its own clock, which may
 * be frozen or ahead, and every other one has that of the world.
 */
export async function readServiceTime(context: Context, baseUrl: string): Promise<number> {
  const control = await findControl(context, baseUrl);
  try {
    if (control) {
      const { now } = await readControl<{ readonly now: string }>(context, control, "now", "GET", "/clock");
      return Date.parse(now);
    }
  } catch (error) {
    // It only says "in 5 min" beside what has been asked for, and the list must not fail for that.
    if (!(error instanceof ClaimsError) || error.kind === "interrupted") throw error;
  }
  return context.now();
}
