import { type ObservedService, parseObservedService } from "../../contract/observed/observed-service.ts";

export { createContractForms } from "../../contract/observed/contract-form.ts";

import type { Context } from "../context.ts";
import { MAX_SMALL_MIB, readInput } from "../files/input-file.ts";

/** Reads a file of `claims contract learn`. */
export const readObservedService = async (context: Context, path: string): Promise<ObservedService> =>
  parseObservedService((await readInput(context, path, MAX_SMALL_MIB)).toString("utf8"), path);
