import Type, { type Static } from "typebox";
import { closedObject, nullable } from "../../contract/schemas.ts";
import { listOf } from "./shapes.ts";

/** Where a published version of this package has the schema of the model. */
export const schemaUrl = (version: string): string =>
  `https://unpkg.com/claims-toolkit@${version}/docs/reference/capabilities.schema.json`;

const text = (description?: string) => Type.String(description === undefined ? {} : { description });
const texts = () => Type.Array(Type.String());

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
  ownOptions: Type.Array(closedObject(option), { description: "those that no other command has alike" }),
  formats: Type.Array(Type.Enum([...FORMATS]), {
    description: "ids: --quiet; file: --out; text is the default",
  }),
  prints: nullable(
    text(
      "what --json prints, without --wait: a document or an operation that the reference describes; null: another format",
    ),
  ),
  examples: texts(),
};

export const CAPABILITIES_SCHEMA = closedObject({
  $schema: text(),
  version: text("of claims-toolkit"),
  commands: listOf(command),
  options: Type.Array(closedObject(option), { description: "those that several commands have alike" }),
  exitCodes: listOf({ code: Type.Integer(), meaning: text() }),
  environment: listOf({ name: text(), meaning: text() }),
  errors: listOf({ code: text(), kind: text(), exitCode: Type.Integer(), meaning: text(), fix: text() }),
  problems: Type.Array(closedObject({ code: text(), status: Type.Integer(), title: text() }), {
    description: "the codes in responses of the sandbox, which errors repeat",
  }),
});

export type Capabilities = Static<typeof CAPABILITIES_SCHEMA>;
export type OptionEntry = Capabilities["options"][number];
/** A command with its options in place. */
export type CommandEntry = Omit<Capabilities["commands"][number], "options" | "ownOptions"> & {
  readonly options: readonly OptionEntry[];
};
