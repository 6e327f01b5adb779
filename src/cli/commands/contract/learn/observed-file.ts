import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { mergeServices } from "../../../../contract/observed/merge.ts";
import type { ObservedService } from "../../../../contract/observed/observed-service.ts";
import { describeStaleness } from "../../../../contract/observed/staleness.ts";
import { getContract } from "../../../../contract/openapi.ts";
import { readObservedService } from "../../../connection/observed-service.ts";
import type { Context } from "../../../context.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import { withLock } from "../../../files/file-lock.ts";
import { printMessage } from "../../../output/stderr.ts";

/**
 * Null if there is no file yet.
 *
 * @throws ClaimsError `invalid_observed_service`
 */
export async function readObservedFile(context: Context, path: string): Promise<ObservedService | null> {
  const found = await stat(resolve(context.cwd, path)).catch(() => null);
  return found?.isFile() ? readObservedService(context, path) : null;
}

/** Lists what changed in the contract since a file was made. */
export function warnIfStale(context: Context, service: ObservedService, path: string): void {
  for (const line of describeStaleness(service, getContract().hash, path)) printMessage(context, line);
}

/** Adds what was learned to a file, to which other commands may add at the same time. */
export async function addToObservedFile(
  context: Context,
  path: string,
  learned: ObservedService,
): Promise<ObservedService> {
  const target = resolve(context.cwd, path);
  return withLock(context, target, async () => {
    const earlier = await readObservedFile(context, path);
    const merged = earlier ? mergeServices(earlier, learned) : learned;
    await writeFileAtomically(target, [`${JSON.stringify(merged, null, 2)}\n`]);
    return merged;
  });
}
