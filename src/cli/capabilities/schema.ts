import Type, { type Static, type TProperties } from "typebox";

/** Where a published version of this package has the schema of the model. */
export const schemaUrl = (version: string): string =>
  `https://unpkg.com/claims-toolkit@${version}/docs/reference/capabilities.schema.json`;

const closed = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });
const list = <P extends TProperties>(properties: P) => Type.Array(closed(properties));
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
  arguments: list(argument),
  options: list(option),
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
  commands: list(command),
  schemas: Type.Record(Type.String(), Type.Unknown(), { description: "JSON Schemas of what --json prints" }),
};

const reference = {
  exitCodes: list({ code: Type.Integer(), meaning: text() }),
  environment: list({ name: text(), meaning: text() }),
  errors: list({
    code: text(),
    kind: text(),
    exitCode: Type.Integer(),
    meaning: text(),
    fix: text(),
  }),
  problems: list({ code: text(), status: Type.Integer(), title: text() }),
  signatureCauses: list({ id: text(), title: text(), fix: text() }),
  signatureRemarks: list({ id: text(), title: text() }),
  rawBodyExamples: list({ framework: text(), code: text() }),
  probeCases: list({
    id: text(),
    sends: text(),
    expects: Type.Enum(["accept", "reject", "either"]),
    basis: Type.Enum(["documented", "advice"]),
    source: text(),
  }),
  diagnoses: list({ id: text(), title: text("continues: the receiver"), fix: text() }),
  probeRemarks: list({ id: text(), advice: text() }),
  controlRoutes: list({
    operation: text("method and path below /_sandbox"),
    summary: text(),
    needsToken: Type.Boolean(),
    query: Type.Union([jsonSchema("JSON Schema of the query"), Type.Null()]),
    body: Type.Union([jsonSchema("JSON Schema of the body"), Type.Null()]),
  }),
  sandboxOptions: list(member),
  sandboxMembers: list({ ...member, members: list(member) }),
  entryFiles: closed({
    layouts: list({
      layout: Type.Enum(["entry", "es003"]),
      columns: list({
        column: nullableText("null: a column of the ACE report that is only recognized"),
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
    rowErrors: list({ code: text(), message: text() }),
  }),
  glossary: list({ term: text(), meaning: text() }),
  scenarios: list({
    name: text(),
    outcome: text(),
    state: text("in which the first run ends"),
    review: nullableText(),
    resumed: nullableText("the state after a resume; null: refused"),
    layouts: texts(),
  }),
  grease: list({ name: text(), assumption: text(), source: text() }),
  faultPresets: list({ name: text(), summary: text() }),
};

const part = closed(head);
const whole = closed({ ...head, ...reference });

/** With `--command`, the reference is left out. */
export const CAPABILITIES_SCHEMA = Type.Union([whole, part]);

export type Capabilities = Static<typeof whole>;
export type CapabilitiesPart = Static<typeof part>;
export type CommandEntry = CapabilitiesPart["commands"][number];
export type OptionEntry = CommandEntry["options"][number];
