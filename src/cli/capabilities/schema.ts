import Type, { type Static } from "typebox";
import { strictObject } from "../../contract/schemas.ts";
import { listOf } from "../framework/printed-schemas.ts";

/** Where a published version of this package has the schema of the model. */
export const schemaUrl = (version: string): string =>
  `https://unpkg.com/claims-toolkit@${version}/docs/reference/capabilities.schema.json`;

const text = (description?: string) => Type.String(description === undefined ? {} : { description });
const nullableText = (description?: string) =>
  Type.Union([Type.String(), Type.Null()], description === undefined ? {} : { description });
const texts = () => Type.Array(Type.String());
const jsonSchema = (description: string) => Type.Object({}, { description });

const argument = {
  name: text("the kind of value, as in file or job"),
  summary: text(),
  required: Type.Boolean(),
  repeats: Type.Boolean({ description: "takes all remaining words" }),
  choices: Type.Union([texts(), Type.Null()]),
  default: nullableText("in words; null: none"),
};

const option = {
  flag: text("as in --seller-name"),
  short: nullableText("as in -q"),
  kind: text("switch, or the kind of its value, as in file or duration"),
  group: Type.Enum(["command", "service", "output"], { description: "the group in --help" }),
  summary: text(),
  required: Type.Boolean(),
  repeats: Type.Boolean(),
  choices: Type.Union([texts(), Type.Null()]),
  default: nullableText("in words; null: none"),
  variable: nullableText("the environment variable that stands for the option"),
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
  options: listOf(option),
  formats: Type.Array(Type.Enum([...FORMATS]), {
    description: "ids: --quiet; file: --out; text is the default",
  }),
  prints: nullableText("the name in schemas of what --json prints, without --wait; null: no schema"),
  examples: texts(),
};

const member = {
  name: text(),
  type: text("TypeScript"),
  summary: text(),
};

const head = {
  $schema: text(),
  version: text("of claims-toolkit"),
  commands: listOf(command),
  schemas: Type.Record(Type.String(), Type.Unknown(), { description: "JSON Schemas of what --json prints" }),
};

const reference = {
  exitCodes: listOf({ code: Type.Integer(), meaning: text() }),
  environment: listOf({ name: text(), meaning: text() }),
  errors: listOf({
    code: text(),
    kind: text(),
    exitCode: Type.Integer(),
    meaning: text(),
    fix: text(),
  }),
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
    operation: text("method and path below /_sandbox"),
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
    layouts: texts(),
  }),
  grease: listOf({ name: text(), assumption: text(), source: text() }),
  faultPresets: listOf({ name: text(), summary: text() }),
};

const part = strictObject(head);
const whole = strictObject({ ...head, ...reference });

/** With `--command`, the reference is left out. */
export const CAPABILITIES_SCHEMA = Type.Union([whole, part]);

export type Capabilities = Static<typeof whole>;
export type CapabilitiesPart = Static<typeof part>;
export type CommandEntry = CapabilitiesPart["commands"][number];
export type OptionEntry = CommandEntry["options"][number];
