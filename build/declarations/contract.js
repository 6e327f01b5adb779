// The declarations of src/contract, in which the types of typebox are written out from the schemas themselves.
import { parseSync } from "rolldown/utils";
import { declareTypes, printDocComment, printKey, printType, toTypeName } from "../type-printer.js";

/** @typedef {import("../type-printer.js").Schema} Schema */
/** @typedef {import("../type-printer.js").Notation} Notation */
/** @typedef {import("../../src/contract/operations/operation.ts").Operation} Operation */

/** The facts of an operation that type a request, besides its schemas. */
const LITERALS = new Set(["id", "method", "path", "kind", "status"]);

const HEAD = `import type { Schema } from "typebox";
type Narrow<Row, Facts> = Omit<Row, keyof Facts> & Facts;
`;

/**
 * @param {string} text the declarations of a module, as the compiler emits them
 * @param {Record<string, unknown>} values the exports of the module
 */
export function writeOutSchemas(text, values) {
  const declarations = new Map(Object.entries(values).flatMap(([name, value]) => declare(name, value)));
  return declarations.size > 0 ? HEAD + replaceStatements(text, declarations) : text;
}

/** The statements that replace one export, by the names that they declare. @param {string} name @param {any} value @returns {[name: string, text: string][]} */
function declare(name, value) {
  if (name === "OPERATIONS") return declareOperations(value);
  if (name === "CONTROL_OPERATIONS") return [[name, declareControlOperations(value)]];
  if (!isSchema(value)) return [];
  return [[name, `export declare const ${name}: Schema<${printType(value, { comments: "doc" })}>;`]];
}

/** @param {Record<string, Record<string, Operation>>} operations @returns {[name: string, text: string][]} */
function declareOperations(operations) {
  const all = Object.values(operations).flatMap((verbs) => Object.values(verbs));
  const { notation, declarations } = declareTypes(new Map(all.flatMap(shapesOf)), "doc");
  const nouns = Object.entries(operations).map(([noun, verbs]) => {
    const rows = Object.entries(verbs).map(
      ([verb, row]) =>
        `${printDocComment(row.summary, "    ")}    readonly ${printKey(verb)}: ${narrow("Operation", row, notation)};\n`,
    );
    return `  readonly ${printKey(noun)}: {\n${rows.join("")}  };\n`;
  });
  const types = [...declarations.values()].map((declaration) => `export ${declaration};\n`);
  return [
    ["OPERATIONS", `${types.join("")}export declare const OPERATIONS: {\n${nouns.join("")}};`],
    // As a list: a module that only names operations needs none of their shapes.
    ["OperationId", `export type OperationId = ${all.map(({ id }) => JSON.stringify(id)).join(" | ")};`],
  ];
}

/** `clients.create` → `ClientsCreateRequest` and so on. @param {Operation} operation @returns {[name: string, schema: Schema][]} */
function shapesOf({ id, params, query, request, response }) {
  const shapes = { Params: params, Query: query, Request: request?.schema, Response: response.schema };
  return Object.entries(shapes).flatMap(([suffix, schema]) =>
    schema ? [[toTypeName(id) + suffix, schema]] : [],
  );
}

/** @param {Record<string, object>} operations */
function declareControlOperations(operations) {
  const rows = Object.entries(operations).map(
    ([key, row]) => `  readonly ${printKey(key)}: ${narrow("ControlOperation", row, { comments: "doc" })};\n`,
  );
  return `export declare const CONTROL_OPERATIONS: {\n${rows.join("")}};`;
}

/** The type of a row, with its own schemas and literals. @param {string} type @param {object} row @param {Notation} notation @returns {string} */
function narrow(type, row, notation) {
  const facts = Object.entries(row).flatMap(([name, value]) => {
    if (isSchema(value)) return [`readonly ${name}: Schema<${printType(value, notation, "      ")}>`];
    if (LITERALS.has(name)) return [`readonly ${name}: ${JSON.stringify(value)}`];
    const hasSchema = typeof value === "object" && Object.values(value).some(isSchema);
    return hasSchema
      ? [`readonly ${name}: ${narrow(`NonNullable<${type}["${name}"]>`, value, notation)}`]
      : [];
  });
  return facts.length > 0 ? `Narrow<${type}, { ${facts.join("; ")} }>` : type;
}

/** By the mark of typebox. @param {unknown} value @returns {value is Schema} */
const isSchema = (value) => typeof value === "object" && value !== null && "~kind" in value;

/** @param {string} text @param {ReadonlyMap<string, string>} declarations */
function replaceStatements(text, declarations) {
  /** @type {readonly any[]} */
  const statements = parseSync("module.d.ts", text).program.body;
  const found = statements.flatMap(({ declaration, start, end }) => {
    const name = (declaration?.declarations?.[0] ?? declaration)?.id?.name;
    const replacement = declarations.get(name);
    return replacement === undefined ? [] : [{ start, end, replacement }];
  });
  if (found.length !== declarations.size)
    throw new Error(`some of ${[...declarations.keys()].join(", ")} have no declaration`);
  return found.reduceRight(
    (rest, { start, end, replacement }) => rest.slice(0, start) + replacement + rest.slice(end),
    text,
  );
}
