import { Readable } from "node:stream";
import { EntryFileError } from "../../../domain/entries/entry-file-error.ts";
import { type FileMapping, NO_MAPPING } from "../../../domain/entries/mapping/file-mapping.ts";
import { rewriteHeader, rewriteRecords } from "../../../domain/entries/mapping/rewrite-file.ts";
import { rejectedError } from "../../../domain/errors.ts";
import { findClosest } from "../../../domain/text.ts";
import type { Context } from "../../context.ts";
import { copyToTemporaryFile, type InputFile } from "../../files/input-file.ts";
import { toEntryFileFailure } from "./entry-file-failure.ts";
import { type MappingRequest, normaliseHeading } from "./mapping-options.ts";

export interface EntryFile {
  readonly file: InputFile;
  /** The file of the command line, and what was rewritten in it; null if nothing was. */
  readonly mapped: { readonly original: InputFile; readonly mapping: FileMapping } | null;
  close(): Promise<void>;
}

/** Rewrites a file to a private temporary one of the same name. @throws ClaimsError `mapping_failed`, or its fault */
export async function mapFile(
  context: Context,
  original: InputFile,
  request: MappingRequest | null,
): Promise<EntryFile> {
  if (request === null) return { file: original, mapped: null, close: original.close };
  const { delimiter } = request;
  let headings: Readonly<Record<string, string>> = {};
  const replace = (cells: readonly string[]) => {
    const replacements = replaceHeadings(cells, request, original.displayName);
    headings = Object.fromEntries(
      cells.flatMap((cell, index) => {
        const replacement = replacements[index] ?? null;
        return replacement === null ? [] : [[cell.trim(), replacement]];
      }),
    );
    return replacements;
  };
  const chunks = original.chunks();
  const rewritten =
    delimiter === NO_MAPPING.delimiter
      ? rewriteHeader(chunks, replace)
      : rewriteRecords(chunks, delimiter, replace);
  const { displayName, name } = original;
  try {
    const copy = await copyToTemporaryFile(context, () => Readable.from(rewritten), {
      displayName,
      maxPipeMib: Number.POSITIVE_INFINITY,
    });
    return {
      file: { ...copy, name, displayName },
      mapped: { original, mapping: { headings, delimiter } },
      close: async () => {
        await Promise.all([copy.close(), original.close()]);
      },
    };
  } catch (error) {
    const failure = error instanceof EntryFileError ? await toEntryFileFailure(original, error) : error;
    await original.close();
    throw failure;
  }
}

function replaceHeadings(
  cells: readonly string[],
  { columns, required, delimiter }: MappingRequest,
  displayName: string,
): readonly (string | null)[] {
  if (delimiter !== NO_MAPPING.delimiter && cells.length === 1) {
    throw rejectedError("mapping_failed", `the header of ${displayName} has no ${describe(delimiter)}`, {
      hint: "name what separates its cells with --delimiter, or leave the option out for commas",
    });
  }
  const found = cells.map(normaliseHeading);
  const missing = required.find((heading) => !found.includes(normaliseHeading(heading)));
  if (missing !== undefined) {
    const closest = findClosest(missing, cells.map((cell) => cell.trim()).filter(Boolean));
    throw rejectedError("mapping_failed", `${displayName} has no heading "${missing}"`, {
      hint:
        closest === null
          ? "correct --map, or put headings that only some files have into a --map-file"
          : `did you mean "${closest}"?`,
    });
  }
  const replacements = found.map((heading) => columns.get(heading) ?? null);
  const texts = cells.map((cell, index) => replacements[index] ?? cell.trim());
  for (const [index, text] of texts.entries()) {
    const first = texts.indexOf(text);
    if (first === index || (replacements[first] === null && replacements[index] === null)) continue;
    const names = `"${cells[first]?.trim()}" and "${cells[index]?.trim()}"`;
    throw rejectedError("mapping_failed", `${displayName}: the headings ${names} both stand for ${text}`, {
      hint: "map only one of them",
    });
  }
  return replacements;
}

const describe = (delimiter: string): string => (delimiter === "\t" ? "tab" : `"${delimiter}"`);
