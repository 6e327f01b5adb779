import { ClaimsError } from "../../../domain/errors.ts";
import type { Context } from "../../context.ts";
import { type InputFile, openInput } from "../../files/input-file.ts";
import type { ArgumentSpec, BaseInvocation } from "../../framework/command.ts";

export const entryFile = {
  name: "file",
  help: "CSV of entries, or - for stdin",
} as const satisfies ArgumentSpec;

/** Opens a file of entries; one without a byte is refused before anything else happens. */
export async function openEntryFile(
  context: Context,
  path: string,
  onEnd: BaseInvocation["onEnd"],
): Promise<InputFile> {
  const file = await openInput(context, path);
  onEnd(file.close);
  if (file.size > 0) return file;
  throw new ClaimsError("rejected", "file_empty", `${file.displayName} is empty`, {
    hint: "give a CSV with a header and entries; nothing was sent",
  });
}
