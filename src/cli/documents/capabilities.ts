import Type, { type Static } from "typebox";
import { strictObject } from "../../contract/schemas.ts";
import { listOf } from "./shapes.ts";

/** Where a published version of this package has the schema of the model. */
export const schemaUrl = (version: string): string =>
  `https://unpkg.com/claims-toolkit@${version}/docs/reference/capabilities.schema.json`;

const text = (description?: string) => Type.String(description === undefined ? {} : { description });
const nullableText = (description?: string) =>
  Type.Union([Type.String(), Type.Null()], description === undefined ? {} : { description });
const texts = () => Type.Array(Type.String());
const jsonSchema = (description: string) => Type.Object({}, { description });

/** A member that is absent where it says nothing: most options have none of them. */
const value = {
  required: Type.Optional(Type.Literal(true)),
  repeats: Type.Optional(Type.Literal(true, { description: "as an argument: takes all remaining words" })),
  choices: Type.Optional(texts()),
  default: Type.Optional(text("in words")),
};

const argument = { name: text("the kind of value, as in file or job"), summary: text(), ...value };

const option = {
  flag: text("as in --seller-name"),
  short: Type.Optional(text("as in -q")),
  kind: text("switch, or the kind of its value, as in file or duration"),
  group: Type.Enum(["command", "service", "write", "output"], { description: "the group in --help" }),
  summary: text(),
  ...value,
  variable: Type.Optional(text("the environment variable that stands for the option")),
};

const FORMATS = ["text", "json", "ndjson", "csv", "ids", "file"] as const;

const command = {
  name: text("as typed after claims"),
  aliases: Type.Array(Type.String(), { description: "other spellings, with the singular of the noun" }),
  summary: text(),
  usage: text(),
  effect: Type.Enum(["local", "reads", "writes"], { description: "what it does at the service" }),
  waitsForJob: Type.Boolean({ description: "--timeout limits the wait, not each request" }),
  arguments: listOf(argument),
  options: Type.Array(Type.String(), {
    description: "the flags, in the order of --help; ownOptions, else options of the document describe them",
  }),
  ownOptions: Type.Array(strictObject(option), { description: "those that no other command has alike" }),
  formats: Type.Array(Type.Enum([...FORMATS]), {
    description: "ids: --quiet; file: --out; text is the default",
  }),
  prints: nullableText("the name in $defs of what --json prints, without --wait; null: no schema"),
  examples: texts(),
};

const member = { name: text(), type: text("TypeScript"), summary: text() };

export const CAPABILITIES_SCHEMA = strictObject({
  $schema: text(),
  version: text("of claims-toolkit"),
  commands: listOf(command),
  options: Type.Array(strictObject(option), { description: "those that several commands have alike" }),
  $defs: Type.Record(Type.String(), Type.Unknown(), {
    description: "JSON Schemas of what --json prints, and of what the control API of a sandbox responds with",
  }),
  exitCodes: listOf({ code: Type.Integer(), meaning: text() }),
  environment: listOf({ name: text(), meaning: text() }),
  errors: listOf({ code: text(), kind: text(), exitCode: Type.Integer(), meaning: text(), fix: text() }),
  problems: listOf({ code: text(), status: Type.Integer(), title: text() }),
  signatureCauses: listOf({ id: text(), title: text(), actor: text(), fix: text(), example: text() }),
  signatureRemarks: listOf({ id: text(), title: text() }),
  rawBodyExamples: listOf({ framework: text(), code: text() }),
  probeCases: listOf({
    id: text(),
    sends: text(),
    expects: Type.Enum(["accept", "reject", "either"]),
    basis: Type.Enum(["documented", "assumed", "advice"]),
    source: text(),
  }),
  diagnoses: listOf({ id: text(), title: text("continues: the receiver"), fix: text() }),
  probeRemarks: listOf({ id: text(), advice: text() }),
  controlRoutes: listOf({
    operation: text("method and path below /_sandbox; the name in $defs of the response, if that is JSON"),
    summary: text(),
    needsToken: Type.Boolean(),
    query: Type.Union([jsonSchema("JSON Schema of the query"), Type.Null()]),
    body: Type.Union([jsonSchema("JSON Schema of the body"), Type.Null()]),
  }),
  sandboxOptions: listOf(member),
  sandboxMembers: listOf({ ...member, members: listOf(member) }),
  entryFiles: strictObject({
    layouts: listOf({
      layout: Type.Enum(["entry", "es003"]),
      columns: listOf({
        column: text("name in the model"),
        es003Heading: nullableText("null: the report has no such column"),
        required: Type.Boolean(),
        format: text(),
        example: text(),
        alsoAccepted: Type.Array(Type.String(), { description: "other headings, in the form of comparison" }),
        basis: Type.Enum(["documented", "assumed"]),
        source: text("the sentence of the interface that leaves it open"),
      }),
    }),
    rules: texts(),
    fileErrors: texts(),
    rowErrors: listOf({ code: text(), message: text() }),
    fileWarnings: listOf({ code: text(), message: text() }),
    entryWarnings: listOf({ code: text(), message: text() }),
  }),
  glossary: listOf({ term: text(), meaning: text() }),
  scenarios: listOf({
    name: text(),
    outcome: text(),
    state: text("in which the first run ends"),
    review: nullableText(),
    resumed: nullableText("the state after a resume; null: refused"),
  }),
  grease: listOf({ name: text(), assumption: text(), source: text() }),
  faultPresets: listOf({ name: text(), summary: text() }),
});

export type Capabilities = Static<typeof CAPABILITIES_SCHEMA>;
export type OptionEntry = Capabilities["options"][number];
/** A command with its options in place. */
export type CommandEntry = Omit<Capabilities["commands"][number], "options" | "ownOptions"> & {
  readonly options: readonly OptionEntry[];
};
