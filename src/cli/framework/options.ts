import { ENVIRONMENTS } from "../../domain/environments.ts";
import type { Context } from "../context.ts";
import type { ENVIRONMENT_VARIABLES } from "./environment-variables.ts";
import { parseDurationFlag, parseHostName, parseIdempotencyKey, parseName } from "./values.ts";

/** An option. With `value` it takes a value of that name, otherwise it is a switch. */
export interface OptionSpec {
  readonly help: string;
  /** The kind of value. Completion offers files for those that are paths, see `completion/complete.ts`. */
  readonly value?: string;
  readonly short?: string;
  /** The value without the option, in words. */
  readonly default?: string | number;
  /** The environment variable that stands for the option. */
  readonly variable?: keyof typeof ENVIRONMENT_VARIABLES;
  readonly choices?: readonly string[];
  /** Throws a `ClaimsError` of kind `usage`. */
  readonly parse?: (text: string) => unknown;
  /** On a terminal, a person is asked for it. */
  readonly required?: boolean;
  /** Earlier values, the latest first, from which a person who is asked may choose; a terminal shows them as they are. */
  readonly listEarlier?: (context: Context) => Promise<readonly string[]>;
  /** The names of the options that exclude it. */
  readonly conflicts?: readonly string[];
  /** May be given several times; the value is a list. */
  readonly repeats?: boolean;
  /** The command writes the file that the value names. It must not be another file of the command line. */
  readonly isOutput?: true;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

type SingleValue<O extends OptionSpec> = O extends { parse: (text: string) => infer T }
  ? T
  : O extends { choices: readonly (infer C)[] }
    ? C
    : O extends { value: string }
      ? string
      : boolean;

type OptionValue<O extends OptionSpec> = O extends { repeats: true }
  ? readonly SingleValue<O>[]
  : SingleValue<O>;

/** `no-color` sets `color: false`. `noInput` is a switch of that name. */
type OptionKey<Name> = Name extends `no-${infer Rest}` ? Rest : Name;

export type OptionValues<S extends OptionSpecs> = {
  readonly [Name in keyof S as OptionKey<Name>]: S[Name] extends { required: true }
    ? OptionValue<S[Name]>
    : OptionValue<S[Name]> | undefined;
};

/** Selects a running sandbox, for the commands that call a service and those of `claims sandbox`. */
export const sandboxNameOption = {
  sandboxName: {
    value: "sandbox",
    parse: (text: string) => parseName(text, "a sandbox"),
    help: "use the running sandbox with this name; `claims sandbox list` shows the names",
    variable: "CLAIMS_SANDBOX_NAME",
  },
} as const satisfies OptionSpecs;

/** Of the commands that start a sandbox which another program calls. */
export const allowHostOption = {
  allowHost: {
    value: "name",
    parse: parseHostName,
    repeats: true,
    help: "another host name of the sandbox, as that of a container; other names get 421",
  },
} as const satisfies OptionSpecs;

export const SERVICE_OPTIONS = {
  profile: {
    value: "profile",
    help: "use a stored base URL, environment and credential",
    variable: "CLAIMS_PROFILE",
  },
  baseUrl: { value: "url", help: "base URL of the service", variable: "CLAIMS_BASE_URL" },
  environment: {
    value: "name",
    choices: ENVIRONMENTS,
    help: "environment of the credential",
    variable: "CLAIMS_ENVIRONMENT",
  },
  dotenv: { value: "file", help: "read CLAIMS_* and proxy variables from a file first" },
  ...sandboxNameOption,
  sandbox: { help: "start a sandbox for this command only" },
  caFile: {
    value: "file",
    help: "trust this certificate authority alone, as that of a proxy that inspects TLS; PEM",
  },
  mapping: {
    value: "file",
    help: "where the service keeps what this tool needs",
    variable: "CLAIMS_MAPPING",
  },
  dryRun: { help: "print the request instead of sending it" },
  curl: { help: "print the request as a curl command instead of sending it" },
  verbose: { short: "v", help: "log requests to stderr, without secrets" },
} as const satisfies OptionSpecs;

const OUTPUT_OPTIONS = {
  json: { help: "print JSON: the response of the service where there is one" },
  ndjson: { help: "print JSON, one item a line" },
  csv: { help: "print CSV with a header" },
  fields: {
    value: "names",
    parse: (text: string): readonly string[] => text.split(",").map((name) => name.trim()),
    help: "print these fields only, comma-separated; a.b reads a nested field, as in rf8Review.outcome",
  },
  quiet: { short: "q", help: "print ids only" },
  out: {
    value: "file",
    isOutput: true,
    help: "write the output to a file, complete or not at all; .csv, .json or .ndjson names its format",
  },
  color: { help: "force colour" },
  "no-color": { help: "disable colour" },
} as const satisfies OptionSpecs;

const timeoutOption = (help: string, byDefault: string) => ({
  timeout: { value: "duration", parse: parseDurationFlag, help, default: byDefault },
});

const JOB_TIMEOUT_OPTIONS = timeoutOption("limit the wait: 90s, 15m; a number is seconds", "15m");
const REQUEST_TIMEOUT_OPTIONS = timeoutOption("limit each request; a number is seconds", "60s");

/** Of the commands that write. A write option has this very spec, so that {@link groupOptions} knows it. */
export const WRITE_OPTIONS = {
  idempotencyKey: {
    value: "key",
    parse: parseIdempotencyKey,
    help: "send this Idempotency-Key instead of a new one; the service executes each key once",
  },
  resendUnknown: {
    help: "send a write with unknown outcome again, although the service may execute it twice",
  },
  keyLifetime: {
    value: "duration",
    parse: parseDurationFlag,
    help: "how long the service knows an Idempotency-Key; an older one needs --resend-unknown",
    default: "23h",
  },
} as const satisfies OptionSpecs;

const CONFIRM_OPTIONS = {
  yes: { help: "write to production without asking" },
} as const satisfies OptionSpecs;

const PROMPT_OPTIONS = {
  noInput: { help: "never ask", variable: "CLAIMS_NO_INPUT" },
} as const satisfies OptionSpecs;

/** The options that may also stand before the command (product.md §3). */
export const GLOBAL_OPTIONS: OptionSpecs = {
  ...SERVICE_OPTIONS,
  ...OUTPUT_OPTIONS,
  ...REQUEST_TIMEOUT_OPTIONS,
  ...CONFIRM_OPTIONS,
  ...PROMPT_OPTIONS,
};

/** Options with one meaning in all commands. {@link groupOptions} decides which command takes which. */
export type GlobalOptions = OptionValues<
  typeof SERVICE_OPTIONS &
    typeof OUTPUT_OPTIONS &
    typeof JOB_TIMEOUT_OPTIONS &
    typeof CONFIRM_OPTIONS &
    typeof PROMPT_OPTIONS
>;

/** A document has no id, and bytes have a format of their own. It decides which output options the command takes. */
export type OutputKind = "record" | "list" | "document" | "bytes" | "nothing";

const OUTPUT_KEYS: Readonly<Record<OutputKind, readonly (keyof typeof OUTPUT_OPTIONS)[]>> = {
  list: ["json", "ndjson", "csv", "fields", "quiet", "out", "color", "no-color"],
  record: ["json", "fields", "quiet", "out", "color", "no-color"],
  document: ["json", "fields", "out", "color", "no-color"],
  bytes: ["json", "out", "color", "no-color"],
  nothing: ["json", "color", "no-color"],
};

export interface CommandTraits {
  /** For a command that calls the service, and so takes `--base-url` and the like. A write may need a confirmation. */
  readonly remote?: "reads" | "writes" | undefined;
  /** Whether it waits for a job, so that `--timeout` limits the wait. */
  readonly waitsForJob?: boolean;
  /** Whether it may ask a question without being a write. */
  readonly canPrompt?: boolean;
  readonly output: OutputKind;
  /** What `-q` prints, if it is not ids. */
  readonly quietPrints?: string;
  readonly options?: OptionSpecs;
}

/** The options of many commands. `claims help options` explains them, and `--help` only names them. */
export const COMMON_OPTIONS = {
  service: { ...SERVICE_OPTIONS, ...REQUEST_TIMEOUT_OPTIONS },
  write: { ...WRITE_OPTIONS, ...CONFIRM_OPTIONS, ...PROMPT_OPTIONS },
  output: OUTPUT_OPTIONS,
} as const satisfies Record<string, OptionSpecs>;

export type OptionGroup = "command" | keyof typeof COMMON_OPTIONS;

/** The options of a command. What a common option means in this command alone makes it one of its own. */
export function groupOptions({
  output,
  quietPrints,
  canPrompt = false,
  options = {},
  remote,
  waitsForJob = false,
}: CommandTraits): readonly (readonly [OptionGroup, OptionSpecs])[] {
  const writes = remote === "writes";
  const asks = canPrompt || Object.values(options).some(({ required }) => required);
  const service = { ...SERVICE_OPTIONS, ...(!waitsForJob && REQUEST_TIMEOUT_OPTIONS) };
  const write: OptionSpecs = {
    ...pickOptions(options, isWriteOption),
    ...(writes && !options.yes && CONFIRM_OPTIONS),
    ...(writes && PROMPT_OPTIONS),
  };
  const own = {
    ...pickOptions(options, (entry) => !isWriteOption(entry)),
    ...(waitsForJob && JOB_TIMEOUT_OPTIONS),
    ...(asks && !writes && PROMPT_OPTIONS),
    ...(quietPrints && { quiet: { ...OUTPUT_OPTIONS.quiet, help: `print ${quietPrints} only` } }),
  };
  const printed = OUTPUT_KEYS[output].filter((key) => !(key in own));
  const groups = [
    ["command", own],
    ["service", remote ? service : {}],
    ["write", write],
    ["output", Object.fromEntries(printed.map((key) => [key, OUTPUT_OPTIONS[key]]))],
  ] as const;
  return groups.filter(([, specs]) => Object.keys(specs).length > 0);
}

export const listOptions = (traits: CommandTraits): readonly OptionEntry[] =>
  groupOptions(traits).flatMap(([, options]) => Object.entries<OptionSpec>(options));

type OptionEntry = readonly [key: string, spec: OptionSpec];

const isWriteOption = ([key, spec]: OptionEntry): boolean => (WRITE_OPTIONS as OptionSpecs)[key] === spec;

const pickOptions = (options: OptionSpecs, isWanted: (entry: OptionEntry) => boolean): OptionSpecs =>
  Object.fromEntries(Object.entries(options).filter(isWanted));

/** As in `environment of the credential (sandbox, production; CLAIMS_ENVIRONMENT)`. */
export function describeInput(
  spec: Pick<OptionSpec, "help" | "default" | "variable"> & { readonly choices?: readonly string[] },
): string {
  const { choices, default: standard, variable } = spec;
  const facts = [
    ...(choices ? [choices.join(", ")] : []),
    ...(standard === undefined ? [] : [`default: ${standard}`]),
    ...(variable === undefined ? [] : [variable]),
  ];
  return facts.length === 0 ? spec.help : `${spec.help} (${facts.join("; ")})`;
}

/** The option that makes a command print only after its last item, if one does. */
export function findFiniteFormat(
  { isTerminal }: { readonly isTerminal: boolean },
  { json, out, fields, ndjson, csv }: GlobalOptions,
): string | undefined {
  const isTable = isTerminal && !ndjson && !csv;
  const finite = Object.entries({ json, out, fields: isTable ? fields : undefined });
  return finite.find(([, value]) => value !== undefined)?.[0];
}

/** `dryRun` → `--dry-run` */
export const formatLongFlag = (key: string): string =>
  `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** `dryRun` → `--dry-run`, `quiet` → `-q, --quiet`, `out` → `--out <file>` */
export const formatFlags = (key: string, { short, value }: OptionSpec): string =>
  `${short ? `-${short}, ` : ""}${formatLongFlag(key)}${value ? ` <${value}>` : ""}`;
