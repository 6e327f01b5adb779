import { listAssumptions } from "../../../../contract/assumptions.ts";
import { assessAssumptions } from "../../../../contract/observed/assess.ts";
import { readObservedService } from "../../../connection/observed-service.ts";
import type { Context } from "../../../context.ts";

/** Compares the assumptions of this version with what was learned, whatever the file says of them. */
export async function listCompared(context: Context, path: string, only: string | undefined) {
  const compared = assessAssumptions(await readObservedService(context, path));
  const sources = listAssumptions().map(({ source }) => source);
  return compared
    .map((each, index) => ({ ...each, source: sources[index] ?? "" }))
    .filter(({ status }) => only === undefined || status === only);
}
