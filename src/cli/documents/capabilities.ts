import type { Static } from "typebox";
import * as Type from "typebox";
import { closedObject, nullable } from "../../contract/schemas.ts";
import { listOf } from "./shapes.ts";

/** Where a published version of this package has the schema of the model. */
export const schemaUrl = (version: string): string =>
  `https://unpkg.com/claims-toolkit@${version}/docs/reference/capabilities.schema.json`;

const textType = (description?: string) => Type.String(description === undefined ? {} : { description });
const textListType = () => Type.Array(Type.String());

/** A member that is absent where it says nothing: most options have none of them. */
const value = {
  required: Type.Optional(Type.Literal(true)),
  repeats: Type.Optional(Type.Literal(true, { description: "as an argument: takes all remaining words" })),
  choices: Type.Optional(textListType()),
  default: Type.Optional(textType("in words")),
};

const argument = { name: textType("the kind of value, as in file or job"), summary: textType(), ...value };

const option = {
  flag: textType("as in --seller-name"),
  short: Type.Optional(textType("as in -q")),
  kind: textType("switch, or the kind of its value, as in file or duration"),
  group: Type.Enum(["command", "service", "write", "output"], { description: "the group in --help" }),
  summary: textType(),
  ...value,
  variable: Type.Optional(textType("the environment variable that stands for the option")),
};

const FORMATS = ["text", "json", "ndjson", "csv", "ids", "file"] as const;

const command = {
  name: textType("as typed after claims"),
  aliases: Type.Array(Type.String(), { description: "other spellings, with the singular of the noun" }),
  summary: textType(),
  usage: textType(),
  effect: Type.Enum(["local", "reads", "writes"], { description: "what it does at the service" }),
  waitsForJob: Type.Boolean({ description: "--timeout limits the wait, not each request" }),
  arguments: listOf(argument),
  options: Type.Array(Type.String(), {
    description: "the flags, in the order of --help; ownOptions, else options of the document describe them",
  }),
  ownOptions: Type.Array(closedObject(option), { description: "those that only mean this in this command" }),
  formats: Type.Array(Type.Enum([...FORMATS]), {
    description: "ids: --quiet; file: --out; text is the default",
  }),
  prints: nullable(
    textType(
      "what --json prints, without --wait: a document or an operation that the reference describes; null: another format",
    ),
  ),
  examples: textListType(),
};

export const CAPABILITIES_SCHEMA = closedObject({
  $schema: textType(),
  version: textType("of claims-toolkit"),
  commands: listOf(command),
  options: Type.Array(closedObject(option), { description: "those of many commands" }),
  exitCodes: listOf({ code: Type.Integer(), meaning: textType() }),
  environment: listOf({ name: textType(), meaning: textType() }),
  errors: listOf({
    code: textType(),
    kind: textType(),
    exitCode: Type.Integer(),
    meaning: textType(),
  }),
  problems: Type.Array(closedObject({ code: textType(), status: Type.Integer(), title: textType() }), {
    description: "the codes in responses of the sandbox, which errors repeat",
  }),
});

export type Capabilities = Static<typeof CAPABILITIES_SCHEMA>;
export type OptionEntry = Capabilities["options"][number];
export type CommandEntry = Capabilities["commands"][number];
