import { sendOnce } from "../../../../client/webhook-sender.ts";
import { rejectedError } from "../../../../domain/errors.ts";
import { readCaOption } from "../../../connection/ca-file.ts";
import { readProxySettings } from "../../../connection/sources.ts";
import type { Context } from "../../../context.ts";

interface EffectsCounterOptions {
  readonly url: string;
  readonly timeoutMs: number;
  readonly caFile: string | undefined;
}

/** Returns a function that reads how many events the receiver has processed. */
export async function openEffectsCounter(
  context: Context,
  { url, timeoutMs, caFile }: EffectsCounterOptions,
): Promise<() => Promise<number>> {
  const { env, now, signal, version } = context;
  const ca = await readCaOption(context, caFile);
  const connection = {
    method: "GET",
    url,
    timeoutMs,
    ca,
    proxy: readProxySettings(env),
    signal,
    now,
  } as const;
  return async () => {
    const { status, body } = await sendOnce(connection, ["User-Agent", `claims/${version}`]);
    const count = status === 200 ? parseCount(body.toString("utf8")) : null;
    if (count !== null) return count;
    throw rejectedError("invalid_effects_counter", `${url} does not respond with a number`, {
      hint: "respond 200 with the number of processed events: as text, or in JSON with one number",
      status,
    });
  };
}

/** The only number of a JSON text; null if it has none, or different ones. */
function parseCount(text: string): number | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const [count, ...others] = new Set(listNumbers(value));
  return count === undefined || others.length > 0 ? null : count;
}

function listNumbers(value: unknown): number[] {
  if (typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listNumbers) : [];
}
