import { MAX_UPLOAD_MIB } from "../../../domain/entries/upload-limit.ts";
import { rejectedError } from "../../../domain/errors.ts";
import type { Context } from "../../context.ts";
import { openInput } from "../../files/input-file.ts";
import type { BaseInvocation } from "../../framework/command.ts";
import type { EntryFile } from "./mapped-file.ts";
import type { MappingRequest } from "./mapping-options.ts";

/** Refuses an empty file, and a pipe longer than the largest upload. */
export async function openEntryFile(
  context: Context,
  path: string,
  onEnd: BaseInvocation["onEnd"],
  mapping: MappingRequest | null,
): Promise<EntryFile> {
  const original = await openInput(context, path, { maxPipeMib: MAX_UPLOAD_MIB });
  onEnd(original.close);
  if (original.size === 0) {
    throw rejectedError("file_empty", `${original.displayName} is empty`, {
      hint: "give a CSV file with a header and entries",
    });
  }
  const { mapFile } = await import("./mapped-file.ts");
  const file = await mapFile(context, original, mapping);
  onEnd(file.close);
  return file;
}
