import { listAssumptions } from "../../../../contract/assumptions.ts";
import { assessService } from "../../../../contract/observed/assess.ts";
import { readObservedService } from "../../../connection/observed-service.ts";
import type { Context } from "../../../context.ts";
import { printMessage } from "../../../output/stderr.ts";
import { warnIfStale } from "../learn/observed-file.ts";

/** Compares the assumptions of this version with what was learned, whatever the file says of them. */
export async function listCompared(context: Context, path: string, only: string | undefined) {
  const service = await readObservedService(context, path);
  warnIfStale(context, service, path);
  const { assumptions, findings = [] } = assessService(service);
  for (const { operation, subject, statement, seen } of findings)
    printMessage(
      context,
      `the service contradicts the interface: ${operation} ${subject}: ${seen.join("; ")} (${statement})`,
    );
  const sources = listAssumptions().map(({ source }) => source);
  return assumptions
    .map((each, index) => ({
      ...each,
      basis: each.status === "unknown" ? "assumed" : "observed",
      source: sources[index] ?? "",
    }))
    .filter(({ status }) => only === undefined || status === only);
}
