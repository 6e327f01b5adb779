import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { usageError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";

/**
 * Also under another name of the file.
 *
 * @param inputs as the command line names them
 * @throws ClaimsError `option_conflict`
 */
export async function refuseReplacedInput(
  { cwd }: Pick<Context, "cwd">,
  option: string,
  path: string,
  inputs: readonly string[],
): Promise<void> {
  const find = (name: string) => (name === "-" ? null : stat(resolve(cwd, name)).catch(() => null));
  const target = await find(path);
  if (!target?.isFile()) return;
  for (const input of inputs) {
    const found = await find(input);
    if (found?.dev !== target.dev || found.ino !== target.ino) continue;
    throw usageError("option_conflict", `${option} would replace ${input}`, { hint: "name another file" });
  }
}
