import type { Mapping } from "../../contract/mapping/mapping.ts";
import type { Context } from "../context.ts";
import { MAX_SMALL_MIB, readInput } from "../files/input-file.ts";

/** Reads a mapping without a mistake; only with one, what reads it loads. @throws ClaimsError `invalid_input` */
export async function readMapping(context: Context, path: string): Promise<Mapping> {
  const { parseMapping } = await import("../../contract/mapping/check.ts");
  return parseMapping((await readInput(context, path, MAX_SMALL_MIB)).toString("utf8"), path);
}
