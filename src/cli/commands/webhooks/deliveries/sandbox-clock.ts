import { ClaimsError } from "../../../../domain/errors.ts";
import type { Context } from "../../../context.ts";
import { controlAt, readControl } from "../../../control.ts";

/** What time it is where deliveries are due. */
export interface ServiceClock {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether it is a sandbox's own clock, which may be frozen or ahead. */
  readonly isSandbox: boolean;
}

/** The clock of the service at that address: a sandbox is asked for its own, and every other one has that of the world. */
export async function clockOf(context: Context, baseUrl: string): Promise<ServiceClock> {
  const control = await controlAt(context, baseUrl);
  try {
    if (control) {
      const { now } = await readControl<{ readonly now: string }>(context, control, "GET", "/clock");
      return { now: Date.parse(now), isSandbox: true };
    }
  } catch (error) {
    // It only says "in 5 min" beside what has been asked for, and the list must not fail for that.
    if (!(error instanceof ClaimsError) || error.kind === "interrupted") throw error;
  }
  return { now: context.now(), isSandbox: false };
}
