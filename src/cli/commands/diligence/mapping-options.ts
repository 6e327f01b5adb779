import { isKnownHeader, LISTED_HEADERS } from "../../../domain/entries/columns.ts";
import { NO_MAPPING } from "../../../domain/entries/mapping/file-mapping.ts";
import { usageError } from "../../../domain/errors.ts";
import { findClosest } from "../../../domain/text.ts";
import type { Context } from "../../context.ts";
import { MAX_SMALL_MIB, readInput } from "../../files/input-file.ts";
import type { GlobalOptions, OptionSpecs, OptionValues } from "../../framework/options.ts";
import { printMessage } from "../../output/stderr.ts";

export interface HeadingPair {
  readonly heading: string;
  readonly column: string;
}

/** Splits at the last `=`: a heading may contain one, and a column does not. */
function parsePair(text: string): HeadingPair {
  const at = text.lastIndexOf("=");
  const heading = text.slice(0, Math.max(at, 0)).trim();
  const column = text.slice(at + 1).trim();
  if (at !== -1 && heading !== "" && column !== "") return { heading, column };
  throw usageError("option_invalid", `"${text}" does not map a heading`, {
    hint: 'write HEADING=COLUMN, as in "Entrada=entry_number"',
  });
}

/** As people write them, with the character. */
const DELIMITERS: ReadonlyMap<string, string> = new Map([
  [",", ","],
  [";", ";"],
  ["|", "|"],
  ["tab", "\t"],
  ["\\t", "\t"],
  ["\t", "\t"],
]);

function parseDelimiter(text: string): string {
  const delimiter = DELIMITERS.get(text);
  if (delimiter !== undefined) return delimiter;
  throw usageError("option_invalid", `"${text}" is not a choice for --delimiter`, {
    hint: "use one of , ; | tab",
  });
}

export const mappingOptions = {
  map: {
    value: "pair",
    parse: parsePair,
    repeats: true,
    help: "replace a heading of the file, as in Entrada=entry_number; repeat it for each heading",
  },
  mapFile: {
    value: "file",
    help: "text file with such a pair on each line; the file may lack some headings",
  },
  delimiter: {
    value: "delimiter",
    parse: parseDelimiter,
    help: "what separates the cells of the file: , ; | or tab",
    default: ",",
  },
} as const satisfies OptionSpecs;

export interface MappingRequest {
  /** The replacement of each heading, by its form in {@link normaliseHeading}. */
  readonly columns: ReadonlyMap<string, string>;
  /** Headings that a file must have. */
  readonly required: readonly string[];
  readonly delimiter: string;
}

/** Headings are the same in any case, and with any white space. */
export const normaliseHeading = (text: string): string =>
  text.trim().normalize("NFC").toLowerCase().replace(/\s+/gu, " ");

/** Null if there is none. @throws ClaimsError `option_invalid`; `option_conflict` for `--print curl` */
export async function readMapping(
  context: Context,
  { map = [], mapFile, delimiter = NO_MAPPING.delimiter }: OptionValues<typeof mappingOptions>,
  { print }: Pick<GlobalOptions, "print">,
): Promise<MappingRequest | null> {
  const listed = mapFile === undefined ? [] : await readPairs(context, mapFile);
  if (map.length === 0 && mapFile === undefined && delimiter === NO_MAPPING.delimiter) return null;
  if (print === "curl") {
    throw usageError("option_conflict", "a curl command would send the file without its mapping", {
      hint: "use --dry-run, or map the file before",
    });
  }
  const columns = new Map([...toColumns(listed), ...toColumns(map)]);
  for (const column of new Set(columns.values())) warnAboutUnknownColumn(context, column);
  return { columns, required: map.map(({ heading }) => heading), delimiter };
}

async function readPairs(context: Context, path: string): Promise<readonly HeadingPair[]> {
  const text = (await readInput(context, path, MAX_SMALL_MIB)).toString("utf8").replace(/^\uFEFF/, "");
  return text.split("\n").flatMap((line) => {
    const isBlank = line.trim() === "" || line.startsWith("#");
    return isBlank ? [] : [parsePair(line.trim())];
  });
}

function toColumns(pairs: readonly HeadingPair[]): ReadonlyMap<string, string> {
  const columns = new Map<string, string>();
  for (const { heading, column } of pairs) {
    const key = normaliseHeading(heading);
    const other = columns.get(key);
    if (other !== undefined && other !== column) {
      throw usageError("option_invalid", `"${heading}" is mapped to both ${other} and ${column}`, {
        option: "--map",
        hint: "map each heading once",
      });
    }
    columns.set(key, column);
  }
  return columns;
}

/** A service may have other columns than the assumed ones. */
function warnAboutUnknownColumn(context: Context, column: string): void {
  if (isKnownHeader(column)) return;
  const closest = findClosest(column, LISTED_HEADERS);
  const advice = closest === null ? "`claims diligence template` lists them" : `did you mean ${closest}?`;
  printMessage(context, `warning: "${column}" is not a column of the assumed format; ${advice}`);
}
