import { checkMapping } from "../../contract/mapping/check.ts";
import type { Mapping } from "../../contract/mapping/mapping.ts";
import { invalidMappingError, parseMapping } from "../../contract/mapping/parse.ts";
import type { Context } from "../context.ts";
import { MAX_SMALL_MIB, readInput } from "../files/input-file.ts";

/** Reads a mapping without a mistake. @throws ClaimsError `invalid_input` */
export async function readMapping(context: Context, path: string): Promise<Mapping> {
  const mapping = parseMapping((await readInput(context, path, MAX_SMALL_MIB)).toString("utf8"), path);
  const [mistake] = checkMapping(mapping);
  if (mistake) throw invalidMappingError(path, mistake);
  return mapping;
}
