import { parseMapping } from "../../contract/mapping/check.ts";
import type { Mapping } from "../../contract/mapping/mapping.ts";
import type { Context } from "../context.ts";
import { MAX_SMALL_MIB, readInput } from "../files/input-file.ts";

/** Reads a mapping without a mistake. @throws ClaimsError `invalid_input` */
export const readMapping = async (context: Context, path: string): Promise<Mapping> =>
  parseMapping((await readInput(context, path, MAX_SMALL_MIB)).toString("utf8"), path);
