import type { TSchema } from "typebox";
import { NOUNS } from "../../src/cli/commands/index.ts";
import { COMMON_DOCUMENTS } from "../../src/cli/documents/common.ts";
import { DOCUMENTS } from "../../src/cli/documents/index.ts";
import { findNamed } from "../../src/cli/framework/command-tree.ts";
import { CONTROL_RESPONSES } from "../../src/contract/control-responses.ts";
import { COMMANDS } from "./command-tree.ts";
import { findSchemaViolation } from "./control-validator.ts";

const { DryRun } = COMMON_DOCUMENTS;

/** The schema of each command that prints a document of this program, or a response of the control API. */
const SCHEMAS = new Map<string, TSchema>(
  Object.entries(COMMANDS).flatMap(([noun, specs]) =>
    specs.flatMap(({ name, prints }) => {
      const schema = prints === undefined ? undefined : findPrinted(prints);
      return schema ? [[noun === "" ? name : `${noun} ${name}`, schema] as const] : [];
    }),
  ),
);

/** The schema of what a command prints, by the name that its declaration has. Of a list, a command prints the items. */
export function findPrinted(name: string): TSchema | undefined {
  const schemas: Readonly<Record<string, TSchema>> = { ...DOCUMENTS, ...CONTROL_RESPONSES };
  const schema: TSchema & { properties?: { data?: TSchema } } = schemas[name] ?? {};
  return schema.properties?.data ?? schemas[name];
}

/** The schema of a line of `--ndjson`: that of an item, unless each line of the command has its own. */
const itemSchema = (schema: TSchema): object =>
  [schema, ...((schema as { anyOf?: TSchema[] }).anyOf ?? [])]
    .flatMap((each) => Object(each).items ?? [])
    .at(0) ?? schema;

/** The first document that the schema of its command does not allow, in words. */
export function findInvalidDocument(
  words: readonly string[],
  stdout: string,
  format: "json" | "ndjson",
): string | undefined {
  // Fields are the user's choice, and the live log has requests and attempts.
  const isLog = words[1] === "requests" && words.includes("--watch");
  if (isLog || words.includes("--fields") || stdout.trim() === "") return undefined;
  const names = [findNamed(NOUNS, words[0])?.name ?? words[0], ...words.slice(1)];
  const command = [3, 2, 1].map((count) => names.slice(0, count).join(" ")).find((name) => SCHEMAS.has(name));
  const own = command === undefined ? [] : [SCHEMAS.get(command) as TSchema];
  const schemas = words.includes("--dry-run") ? [DryRun, ...own] : own;
  if (schemas.length === 0) return undefined;
  const documents = (format === "json" ? [stdout] : stdout.trim().split("\n")).map((text) =>
    JSON.parse(text),
  );
  return documents
    .map((document) => {
      const errors = schemas.map((schema) =>
        findSchemaViolation(format === "json" ? schema : itemSchema(schema as TSchema), document),
      );
      return errors.includes(null)
        ? undefined
        : `${errors.join("; ")}: ${JSON.stringify(document).slice(0, 300)}`;
    })
    .find((problem) => problem !== undefined);
}
