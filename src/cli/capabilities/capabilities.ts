import type { TObject, TSchema } from "typebox";
import { CONTROL_OPERATIONS, type ControlOperation } from "../../contract/control.ts";
import { CONTROL_RESPONSES } from "../../contract/control-responses.ts";
import { FAULT_PRESETS } from "../../contract/fault-presets.ts";
import { faultRequest } from "../../contract/fault-rules.ts";
import { describeDimension, GREASE_DIMENSIONS } from "../../contract/grease.ts";
import { PROBLEMS } from "../../contract/problems.ts";
import { ERROR_CODES, type ErrorCodeText, type ErrorKind } from "../../domain/error-codes.ts";
import { escapePointer } from "../../domain/json-pointer.ts";
import { getScenario, SCENARIO_NAMES } from "../../domain/scenarios/scenarios.ts";
import { CAUSES } from "../../domain/webhooks/explain/causes.ts";
import { RAW_BODY_EXAMPLES } from "../../domain/webhooks/explain/raw-body-examples.ts";
import { REMARKS } from "../../domain/webhooks/explain/remarks.ts";
import { getCase, listCaseIds } from "../../domain/webhooks/probe/cases.ts";
import { DIAGNOSES } from "../../domain/webhooks/probe/diagnoses.ts";
import { REMARKS as PROBE_REMARKS } from "../../domain/webhooks/probe/remarks.ts";
import {
  type Capabilities,
  type CommandEntry,
  type OptionEntry,
  schemaUrl,
} from "../documents/capabilities.ts";
import { EXIT_CODE_BY_KIND, EXIT_CODES } from "../exit-codes.ts";
import { ENVIRONMENT_VARIABLES } from "../framework/environment-variables.ts";
import { describeEntryFiles } from "./entry-files.ts";
import { GLOSSARY } from "./glossary.ts";
import library from "./sandbox-library.json" with { type: "json" };

const describeWebhooks = () => ({
  signatureCauses: Object.entries(CAUSES).map(([id, cause]) => ({ id, ...cause })),
  signatureRemarks: Object.entries(REMARKS).map(([id, title]) => ({ id, title })),
  rawBodyExamples: Object.entries(RAW_BODY_EXAMPLES).map(([framework, code]) => ({ framework, code })),
  probeCases: listCaseIds().map((id) => {
    const { sends, expects, basis, source } = getCase(id);
    return { id, sends, expects, basis, source };
  }),
  diagnoses: Object.entries(DIAGNOSES).map(([id, { title, fix }]) => ({ id, title, fix })),
  probeRemarks: Object.entries(PROBE_REMARKS).map(([id, { advice }]) => ({ id, advice })),
});

/** Read from the tables that define them, as are help, completion, the man page and the reference. */
export async function describeCapabilities(
  version: string,
  commands: readonly CommandEntry[],
): Promise<Capabilities> {
  return {
    $schema: schemaUrl(version),
    version,
    ...shareOptions(commands),
    $defs: await describeSchemas(commands),
    exitCodes: Object.entries(EXIT_CODES).map(([code, meaning]) => ({ code: Number(code), meaning })),
    environment: Object.entries(ENVIRONMENT_VARIABLES).map(([name, meaning]) => ({ name, meaning })),
    errors: Object.entries(ERROR_CODES).flatMap(([kind, codes]) =>
      Object.entries<ErrorCodeText>(codes).map(([code, [meaning, fix]]) => ({
        code,
        kind,
        exitCode: EXIT_CODE_BY_KIND[kind as ErrorKind],
        meaning,
        fix,
      })),
    ),
    problems: Object.entries(PROBLEMS).map(([code, { status, title }]) => ({ code, status, title })),
    ...describeWebhooks(),
    ...describeSandbox(),
    ...describeEntryFiles(),
    glossary: Object.entries(GLOSSARY).map(([term, meaning]) => ({ term, meaning })),
  };
}

/** What the commands print, and what the control API of a sandbox responds with. */
async function describeSchemas(commands: readonly CommandEntry[]) {
  const { ALL_OPERATIONS } = await import("../../contract/operations/operations.ts");
  const { DOCUMENTS } = await import("../documents/index.ts");
  const { COMMON_DOCUMENTS } = await import("../documents/common.ts");
  const responses = Object.fromEntries(ALL_OPERATIONS.map(({ id, response }) => [id, response.schema]));
  const schemas = { ...COMMON_DOCUMENTS, ...DOCUMENTS, ...responses, ...CONTROL_RESPONSES };
  const named = [COMMON_DOCUMENTS, CONTROL_RESPONSES].flatMap((part) => Object.keys(part));
  const printed = commands.flatMap(({ prints }) => prints ?? []);
  return shareSchemas(schemas, new Set([...named, ...printed]));
}

/** Where the engine validates most of a body, in its own words, the row of the operation has only the rest. */
const DOCUMENTED_BODIES: Readonly<Record<string, TObject>> = { "POST /faults": faultRequest };

const describeSandbox = () => ({
  controlRoutes: Object.entries<ControlOperation>(CONTROL_OPERATIONS).map(
    ([operation, { summary, isPublic = false, query = null, body = null }]) => ({
      operation,
      summary,
      needsToken: !isPublic,
      query,
      body: DOCUMENTED_BODIES[operation] ?? body,
    }),
  ),
  sandboxOptions: library.options,
  sandboxMembers: library.members,
  scenarios: SCENARIO_NAMES.map((name) => {
    const { description, state, review, resumed } = getScenario(name);
    return { name, outcome: description, state, review, resumed };
  }),
  grease: GREASE_DIMENSIONS.map((name) => ({ name, ...describeDimension(name) })),
  faultPresets: Object.entries(FAULT_PRESETS).map(([name, { summary }]) => ({ name, summary })),
});

/** References shorter schemas than this, in characters of JSON, would be longer than the schemas. */
const MIN_SHARED_LENGTH = 80;

/** Each repeated part becomes a `$ref` to its first place. @param all also those included only as a part */
function shareSchemas(all: Readonly<Record<string, TSchema>>, names: ReadonlySet<string>) {
  const places = new Map(
    Object.entries(all).map(([name, schema]) => [JSON.stringify(schema), toPlace(name)]),
  );
  const queue = Object.keys(all).filter((name) => names.has(name));
  const share = (value: unknown, place: string): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const text = JSON.stringify(value);
    const known = places.get(text);
    if (known !== undefined && known !== place) {
      const name = Object.keys(all).find((each) => toPlace(each) === known);
      if (name !== undefined && !queue.includes(name)) queue.push(name);
      return { $ref: known };
    }
    if (text.length > MIN_SHARED_LENGTH && isSchema(value)) places.set(text, place);
    if (Array.isArray(value)) return value.map((item, index) => share(item, `${place}/${index}`));
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, share(member, `${place}/${toFragment(key)}`)]),
    );
  };
  const shared = new Map<string, unknown>();
  // The queue grows while it is read.
  for (const name of queue) shared.set(name, share(all[name], toPlace(name)));
  return Object.fromEntries(
    Object.keys(all).flatMap((name) => (shared.has(name) ? [[name, shared.get(name)]] : [])),
  );
}

const toPlace = (name: string) => `#/$defs/${toFragment(name)}`;

/** A list or a map of properties is none. */
const isSchema = (value: object): boolean =>
  ("type" in value && typeof value.type === "string") || "anyOf" in value || "enum" in value;

/** RFC 6901, section 3; in a URI fragment. */
const toFragment = (key: string): string => encodeURIComponent(escapePointer(key));

/** The commands with the options that several of them have alike named once: of a flag, what most of them mean by it. */
function shareOptions(commands: readonly CommandEntry[]): Pick<Capabilities, "commands" | "options"> {
  const counts = new Map<string, { option: OptionEntry; count: number }>();
  for (const option of commands.flatMap(({ options }) => options)) {
    const text = JSON.stringify(option);
    counts.set(text, { option, count: (counts.get(text)?.count ?? 0) + 1 });
  }
  const shared = new Map<string, string>();
  for (const [text, { option, count }] of [...counts].sort(([, a], [, b]) => b.count - a.count))
    if (count > 1 && !shared.has(option.flag)) shared.set(option.flag, text);
  const isShared = (option: OptionEntry) => shared.get(option.flag) === JSON.stringify(option);
  return {
    commands: commands.map(({ options, ...command }) => ({
      ...command,
      options: options.map(({ flag }) => flag),
      ownOptions: options.filter((option) => !isShared(option)),
    })),
    options: [...shared.values()].map((text) => JSON.parse(text) as OptionEntry),
  };
}
