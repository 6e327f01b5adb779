import { extname } from "node:path";
import { usageError } from "../../domain/errors.ts";
import { hasPath, valueAt } from "../../domain/json.ts";
import type { GlobalOptions, OutputKind } from "../framework/options.ts";
import type { ListColumn } from "./output.ts";

/** `text`: a table or card on a terminal, tab-separated rows in a pipe. `ids`: one id a line. */
export type Format = "text" | "json" | "ndjson" | "csv" | "ids";

export interface PrintStyle {
  readonly format: Format;
  readonly selection: FieldSelection | undefined;
}

/** @throws ClaimsError `option_conflict` */
export function chooseFormat({ json, ndjson, csv, quiet }: Partial<GlobalOptions>): Format {
  const given = Object.entries({ json, ndjson, csv, quiet }).flatMap(([name, on]) => (on ? [name] : []));
  if (given.length > 1) {
    throw usageError("option_conflict", `--${given.join(" and --")} exclude each other`, {
      hint: "choose one of them",
    });
  }
  return quiet ? "ids" : ((given[0] as Format | undefined) ?? "text");
}

const FORMAT_OPTION_BY_SUFFIX: Readonly<Record<string, "csv" | "ndjson">> = {
  ".csv": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
};

const SPREADSHEET_SUFFIXES: readonly string[] = [".xlsx", ".xls", ".ods"];

/**
 * Without a format, the suffix of `--out` sets one. Only a list has other formats than JSON.
 *
 * @throws ClaimsError `option_invalid` for that of a spreadsheet
 */
export function applySuffixOfOut(global: GlobalOptions, output: OutputKind): GlobalOptions {
  const suffix = extname(global.out ?? "").toLowerCase();
  // A body is written as it was received, and may be anything.
  if (SPREADSHEET_SUFFIXES.includes(suffix) && output !== "bytes")
    throw usageError("option_invalid", `--out ${global.out}: no command writes a spreadsheet`, {
      hint: `name a file that ends in ${output === "list" ? ".csv, which Excel opens" : ".json"}`,
    });
  const option = FORMAT_OPTION_BY_SUFFIX[suffix];
  const isGiven = chooseFormat(global) !== "text";
  return option === undefined || isGiven || output !== "list" ? global : { ...global, [option]: true };
}

/** The fields of `--fields`, and which of them no item has. */
export class FieldSelection {
  readonly names: readonly string[];
  readonly #found = new Set<string>();
  readonly #known = new Set<string>();

  constructor(names: readonly string[]) {
    this.names = names;
  }

  /**
   * @param item as the service sent it
   * @param named with the names of the contract, which come first
   */
  pick(item: unknown, named = item): Record<string, unknown> {
    const forms = [named, item];
    for (const name of forms.flatMap((form) => Object.keys(Object(form)))) this.#known.add(name);
    const pickField = (name: string) => {
      const having = forms.filter((form) => hasPath(form, name));
      if (having.length > 0) this.#found.add(name);
      return [name, valueAt(having[0], name)] as const;
    };
    return Object.fromEntries(this.names.map(pickField));
  }

  columns(): ListColumn<unknown>[] {
    return this.names.map((name) => ({ name, value: (item) => (item as Record<string, unknown>)[name] }));
  }

  /** Call it after the last item. @throws ClaimsError `unknown_field` for a field that no item has */
  throwIfMissing(): void {
    const missing = this.names.filter((name) => !this.#found.has(name));
    if (missing.length === 0 || this.#known.size === 0) return;
    throw usageError("unknown_field", `no field ${missing.join(", ")}`, {
      hint: `the fields are ${[...this.#known].join(", ")}`,
    });
  }
}

interface ColourSettings {
  readonly flag: boolean | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
}

/** Decides the colour of a stream, in the order of product.md §3. */
export function shouldUseColour({ flag, env, isTerminal }: ColourSettings): boolean {
  if (flag !== undefined) return flag;
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  if (env.CLICOLOR_FORCE) return env.CLICOLOR_FORCE !== "0";
  if (env.TERM === "dumb" || env.CLICOLOR === "0") return false;
  return isTerminal;
}
