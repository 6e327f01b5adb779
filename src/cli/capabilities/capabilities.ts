import type { TSchema } from "typebox";
import { CONTROL_RESPONSES } from "../../contract/control-responses.ts";
import { PROBLEMS } from "../../contract/problems.ts";
import { ERROR_CODES } from "../../domain/error-codes.ts";
import type { ErrorKind } from "../../domain/errors.ts";
import type { ErrorCodeText } from "../../domain/usage-error-codes.ts";
import { CAUSES } from "../../domain/webhooks/explain/causes.ts";
import { RAW_BODY_EXAMPLES } from "../../domain/webhooks/explain/raw-body-examples.ts";
import { REMARKS } from "../../domain/webhooks/explain/remarks.ts";
import { getCase, listCaseIds } from "../../domain/webhooks/probe/cases.ts";
import { DIAGNOSES } from "../../domain/webhooks/probe/diagnoses.ts";
import { REMARKS as PROBE_REMARKS } from "../../domain/webhooks/probe/remarks.ts";
import {
  type Capabilities,
  type CapabilitiesPart,
  type CommandEntry,
  schemaUrl,
} from "../documents/capabilities.ts";
import { EXIT_CODE_BY_KIND, EXIT_CODES } from "../exit-codes.ts";
import { ENVIRONMENT_VARIABLES } from "../framework/environment-variables.ts";
import { describeEntryFiles } from "./entry-files.ts";
import { GLOSSARY } from "./glossary.ts";
import { describeSandbox } from "./sandbox.ts";
import { shareOptions, shareSchemas } from "./share.ts";

type WebhookParts = Pick<
  Capabilities,
  "signatureCauses" | "signatureRemarks" | "rawBodyExamples" | "probeCases" | "diagnoses" | "probeRemarks"
>;

const describeWebhooks = (): WebhookParts => ({
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

/**
 * What the command line and the sandbox can do, read from the tables that define it. Help, completion, the man page and the
 * reference have the same source.
 */
export async function describeCapabilities(
  version: string,
  commands: readonly CommandEntry[],
): Promise<Capabilities> {
  return {
    ...(await describeCommands(version, commands, CONTROL_RESPONSES)),
    exitCodes: Object.entries(EXIT_CODES).map(([code, meaning]) => ({ code: Number(code), meaning })),
    environment: Object.entries(ENVIRONMENT_VARIABLES).map(([name, meaning]) => ({ name, meaning })),
    errors: Object.entries(ERROR_CODES).flatMap(([kind, codes]) =>
      Object.entries<ErrorCodeText>(codes).map(([code, { meaning, fix }]) => ({
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

/** These commands, with the schemas of what they print, and others. */
export async function describeCommands(
  version: string,
  commands: readonly CommandEntry[],
  others: Readonly<Record<string, TSchema>> = {},
): Promise<CapabilitiesPart> {
  const { ALL_OPERATIONS } = await import("../../contract/operations.ts");
  const { DOCUMENTS } = await import("../documents/index.ts");
  const { COMMON_DOCUMENTS } = await import("../documents/common.ts");
  const responses = ALL_OPERATIONS.map(({ id, response }) => [id, response.schema] as const);
  const schemas = { ...COMMON_DOCUMENTS, ...DOCUMENTS, ...Object.fromEntries(responses), ...others };
  const named = [COMMON_DOCUMENTS, others].flatMap((part) => Object.keys(part));
  const printed = commands.flatMap(({ prints }) => prints ?? []);
  return {
    $schema: schemaUrl(version),
    version,
    ...shareOptions(commands),
    $defs: shareSchemas(schemas, new Set([...named, ...printed])),
  };
}

/** The commands that the words name: one command, a group or all of a noun. */
export const selectCommands = (all: readonly CommandEntry[], words: string): readonly CommandEntry[] =>
  all.filter(({ name, aliases }) =>
    [name, ...aliases].some((each) => each === words || each.startsWith(`${words} `)),
  );
