import type { Trial } from "../../../conformance/trial.ts";
import type { Context } from "../../context.ts";
import { requireControl } from "../../sandbox-control/control.ts";
import type { ConformanceOptions } from "./options.ts";

/** The request log of a running sandbox as a trial, without what the sandbox itself sent again. */
export async function judgeRequestLog(
  context: Context,
  options: Pick<ConformanceOptions, "sandboxName">,
): Promise<Trial> {
  const control = await requireControl(context, options);
  const requests = await control.list("GET /requests");
  return {
    scenario: null,
    requests: requests.filter(({ replayOf }) => replayOf === null),
    runs: [],
  };
}
