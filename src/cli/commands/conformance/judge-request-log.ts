import type { Trial } from "../../../conformance/trial.ts";
import type { Context } from "../../context.ts";
import { requireControl } from "../../sandbox-control/control.ts";
import type { ConformanceOptions } from "./options.ts";

/** The request log of a running sandbox as a trial. */
export async function judgeRequestLog(
  context: Context,
  options: Pick<ConformanceOptions, "sandboxName">,
): Promise<Trial> {
  const control = await requireControl(context, options);
  return { scenario: null, requests: await control.list("GET /requests"), jobs: [], runs: [] };
}
