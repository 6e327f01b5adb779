import { formatAge } from "../../domain/times.ts";
import { parseTimestamp } from "../../domain/webhooks/timestamp.ts";
import type { Service } from "../connection/service.ts";
import type { Context } from "../context.ts";

/** The clock of a local sandbox may stand still or be ahead; every other service has that of this machine. */
export async function readServiceTime(context: Context, service: Service): Promise<number> {
  const state = await service.findSandboxState();
  return state?.now ?? context.now();
}

/** `16 min ago`. What is no time stays as it is. */
export function formatAgeAt(at: unknown, now: number): string | null {
  if (at === null || at === undefined) return null;
  const time = parseTimestamp(String(at));
  return time === null ? String(at) : formatAge(now - time);
}
