import { once } from "node:events";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import type { Context } from "../../../context.ts";

/** Writes each event as a line of JSON. While the reader is behind, events wait in the queue of the sandbox, which drops some. */
export async function writeEvents(
  { stdout: { writable } }: Pick<Context, "stdout">,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<void> {
  for await (const event of sandbox.activity(signal)) {
    if (writable.write(`${JSON.stringify(event)}\n`)) continue;
    // A reader that never continues must not keep the sandbox from stopping.
    await once(writable, "drain", { signal }).catch((error: Error) => {
      if (error.name !== "AbortError") throw error;
    });
  }
}
