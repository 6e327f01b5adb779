import { ALIAS_HEADERS } from "../../contract/aliases.ts";
import { ERROR_CLASSES, TIME_FORMATS } from "../../contract/mapping/mapping.ts";
import { listResources } from "../../contract/mapping/resources.ts";
import { JOB_STATES } from "../../domain/diligence/states.ts";
import { FILE_WARNING_MESSAGES } from "../../domain/entries/file-warnings.ts";
import { WARNING_MESSAGES } from "../../domain/entries/rules/warnings.ts";
import { GLOSSARY } from "../../domain/glossary.ts";
import { ACTORS, CAUSES } from "../../domain/webhooks/explain/causes.ts";
import { EVENT_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../../domain/webhooks/headers.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { ENVIRONMENT_VARIABLES } from "../framework/environment-variables.ts";
import type { HelpTopic } from "../framework/help-topics.ts";
import { COMMON_OPTIONS, describeInput, formatFlags, type OptionSpec } from "../framework/options.ts";
import type { Block } from "../output/output.ts";
import { ENTRY_FILE_RULES, listEntryColumns } from "./entry-files.ts";

interface Topic {
  readonly columns: readonly string[];
  readonly listRows: () => readonly (readonly string[])[];
  readonly lines: readonly string[];
}

/** The columns of both layouts, with the layouts that require each. */
function listEntryFileRows(): string[][] {
  const layouts = ["entry", "es003"] as const;
  const all = layouts.flatMap((layout) => listEntryColumns(layout).map((column) => ({ ...column, layout })));
  return [...new Set(all.map(({ column }) => column))].map((name) => {
    const same = all.filter(({ column }) => column === name);
    const [column] = same;
    return [
      name,
      same.flatMap(({ required, layout }) => (required ? layout : [])).join(", "),
      column?.es003Heading ?? "",
      column?.example ?? "",
      column?.format ?? "",
    ];
  });
}

const NOT_DOCUMENTS: readonly string[] = ["job", "submitted"];

const listResourceNames = (isList: boolean): string =>
  listResources()
    .filter((resource) => resource.isList === isList && !NOT_DOCUMENTS.includes(resource.name))
    .map(({ name }) => name)
    .join(", ");

/** The keys of a mapping with what each takes. RECORD, LIST, FIELD and NAME stand for names of the contract. */
const listMappingKeys = (): readonly (readonly [key: string, value: string])[] => [
  ["submitted.id", "the job id in the response to submit: a path, or header:Location"],
  ["submitted.FIELD", "a path in the response to submit"],
  ["submitted.body, resume.body", '"none": that response has no body (for the sandbox)'],
  ["job.id, job.state", "paths in the response to status"],
  ["job.FIELD", "a path in the response to status, as job.progress.rowsTotal"],
  ["job.words, scan.words", `{"WORD": "${JOB_STATES.join("|")}"}: what a word of the service means`],
  [listResourceNames(false), "the path of that record in its response"],
  ["RECORD.FIELD", "a path from the top of the response, as report.rf8Review"],
  ["dataset.csv", '{"delimiter": ";", "decimal": ","}: the dataset is CSV alone'],
  [listResourceNames(true), "the path of the items; {} after it if they are an object by id"],
  ["LIST.FIELD", 'a path inside an item, as clients.id; "{}": the id is the key of the item'],
  [
    "LIST.FIELD of an amount",
    '{"path": "fee", "format": "decimal"} (or "decimal-comma"), if it is no integer of cents',
  ],
  ["paging, LIST.paging", '"link": Link header (RFC 8288); "none": one page has all'],
  ["", '{"next": PATH}: a URL; {"next": PATH, "parameter": NAME}: a value to pass on'],
  ["", '{"page": NAME, "first": 0 or 1} or {"offset": NAME}, with one of "more", "pages", "total"'],
  ["error.code, error.message", 'paths in an error; "" is the text of the body'],
  ["error.words", `{"STATUS CODE" or "CODE" or "STATUS": "${ERROR_CLASSES.join("|")}"}`],
  ["query.NAME, body.NAME", "the service's name of a query parameter, or the place of a field of a body"],
  ["times", `${TIME_FORMATS.join(", ")}: for the sandbox`],
  ["description", "text"],
];

/** `-q, --quiet` and what it means, for each option that many commands have. */
const listCommonOptions = (): string[][] =>
  Object.entries(COMMON_OPTIONS).flatMap(([group, options]) =>
    Object.entries<OptionSpec>(options).map(([key, option]) => [
      group,
      formatFlags(key, option),
      describeInput(option),
    ]),
  );

const TOPIC_TEXTS = {
  options: {
    columns: ["group", "option", "meaning"],
    listRows: listCommonOptions,
    lines: [
      "`claims COMMAND --help` names those that the command takes.",
      "--timeout limits the wait of a command that waits for a job (default: 15m), and",
      "without --wait each of its requests (default: 60s).",
      "The options of service and output, --yes and --no-input also stand before the",
      "command: claims --profile trial --json clients list",
      "Where a command only reads, the first 8 characters of an id are enough, if this",
      "machine's log or the local sandbox knows one such id; it is printed on stderr.",
    ],
  },
  "exit-codes": {
    columns: ["code", "meaning"],
    listRows: () => Object.entries(EXIT_CODES),
    lines: [
      "An error prints a line `error: …` and a line `hint: …` on stderr, and with --json:",
      '{"error":{"code","message","hint","status","requestId","jobId","retryable","exitCode"}}',
    ],
  },
  environment: {
    columns: ["variable", "meaning"],
    listRows: () => Object.entries(ENVIRONMENT_VARIABLES),
    lines: [
      "Settings come from, in this order: --base-url or --sandbox-name, and --environment; --profile; --dotenv; these variables;",
      "the profile of CLAIMS_PROFILE or the current one, the local sandbox.",
      "--dotenv reads only CLAIMS_* and the proxy variables of its file.",
    ],
  },
  formatting: {
    columns: ["form", "meaning"],
    listRows: () => [
      ["(terminal)", "a table or a card"],
      ["(pipe)", "tab-separated rows without header, colour and truncation; times as RFC 3339"],
      ["--json", "one JSON document: the unchanged response of the service, if there is one"],
      ["--ndjson", "one JSON document a line, for lists"],
      ["--csv", "RFC 4180 with a header, for lists"],
      ["--fields a,b.c", "only these fields, in any of the formats above"],
      ["-q, --quiet", "ids only, one a line; other commands read them from stdin with -"],
      ["--out FILE", "write the output to a file, complete or not at all"],
      [
        "--color, --no-color",
        "set colour; default: NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, TERM=dumb, CLICOLOR=0",
      ],
    ],
    lines: [
      "stdout has only the result; messages, progress and errors go to stderr.",
      "With --json and --ndjson, each line on stderr is a JSON object with a note, a warning or an error:",
      '{"note":{"message","jobId","scanId"}}  {"warning":{"message"}}  {"error":{"code","message",…}}',
      "-q omits the notes, unless --verbose asks for them.",
      "On a terminal, control characters and bidi controls of a service become middle dots, and in JSON",
      "\\u escapes. Pipes and files get the unchanged bytes.",
    ],
  },
  mapping: {
    columns: ["key", "value"],
    listRows: listMappingKeys,
    lines: [
      "A path is names with dots, from the top of the response, or inside an item: payload.job.state.",
      '"" is the whole response; a name that holds a dot stands in double quotes; [] after a name is a list, its first item.',
      "Every key is optional: without a line, the client reads as without a mapping. A line that leads nowhere is an error.",
      "`claims mapping learn` writes the file, `claims mapping check FILE` names each mistake;",
      "--mapping FILE, CLAIMS_MAPPING or `claims profiles set NAME --mapping FILE` use it.",
    ],
  },
  "entry-files": {
    columns: ["column", "required", "ES-003 heading", "example", "format"],
    listRows: listEntryFileRows,
    lines: [
      "An entry file is CSV in UTF-8 with commas and a heading line, in one of two layouts:",
      "entry: a row for each entry. es003: the ACE report ES-003, a row for each tariff number of an entry.",
      "All of this is assumed: the interface shows no column (§4).",
      ...ENTRY_FILE_RULES,
      "`claims diligence template --csv` prints a heading line and an example, `claims diligence check` tests a file.",
      "Warnings about a file, then about an entry, which is accepted:",
      ...Object.entries({ ...FILE_WARNING_MESSAGES, ...WARNING_MESSAGES }).map(
        ([code, message]) => `${code}: ${message}`,
      ),
    ],
  },
  events: {
    columns: ["event", "when"],
    listRows: () => [
      ["partner.test", "you asked for it: `claims webhooks test`"],
      ["partner.credential.rotated", "a credential was rotated"],
      ["partner.capability.changed", "the interface does not show when"],
      ["partner.environment.promoted", "the interface does not show when"],
    ],
    lines: [
      "None of them says that a diligence job has ended; `claims diligence wait` does.",
      "`claims webhooks create URL --event NAME` subscribes to an exact name, and --scope",
      "says of which environment. `claims sandbox emit NAME` sends one from the sandbox.",
      "An event may come twice, and late. `claims help headers` has what it carries.",
    ],
  },
  headers: {
    columns: ["header", "carries"],
    listRows: () => [
      [ALIAS_HEADERS.alias, "the exact alias path that the request used"],
      [ALIAS_HEADERS.canonicalPath, "the canonical /v1/ path that the alias forwarded into"],
      [ALIAS_HEADERS.lifecycle, "whether the alias is long_term or migration_only"],
      [EVENT_HEADER, "the name of the event: route on it only after the signature is verified"],
      [TIMESTAMP_HEADER, "the signing time: use the exact value, and decide how old it may be"],
      [SIGNATURE_HEADER, "lower-case hex HMAC-SHA256 of timestamp, a full stop and the raw body"],
    ],
    lines: [
      "The first three are in each response to a broker alias: this tool shows them with",
      "-v, logs them in its state folder, and lists them in `claims aliases audit`.",
      "The others are in each delivery; `claims webhooks verify FILE` judges them.",
    ],
  },
  cutover: {
    columns: ["step", "command"],
    listRows: () => [
      ["keep the contract that you tested with", "claims contract pin"],
      ["compare the service with it", "claims contract check"],
      ["compare it with the deployment's hash", "claims contract check --hash HEX"],
      ["see what is different", "claims contract diff pinned live"],
      ["find the aliases that you still use", "claims aliases audit"],
      ["refuse an alias from a date on", "claims aliases sunset ALIAS DATE"],
    ],
    lines: [
      "A cutover is validated against the same OpenAPI hash as the deployment (interface",
      "§9). `check` exits 7 if the hash differs; `claims contract hash -q` prints it, and",
      "--pin-file FILE keeps a pin with your code. The interface gives no sunset dates:",
      "you set those of the migration_only aliases that `claims aliases list` shows.",
    ],
  },
  "signature-causes": {
    columns: ["cause", "who must act", "meaning"],
    listRows: () =>
      Object.keys(ACTORS).flatMap((actor) =>
        Object.entries(CAUSES).flatMap(([id, cause]) =>
          cause.actor === actor ? [[id, ACTORS[cause.actor], `${cause.title}: ${cause.fix}`] as const] : [],
        ),
      ),
    lines: [
      "`claims webhooks verify` calls a cause proved if the signature verifies without the fault, and likely if",
      "only an indication exists. It exits 7 in both cases: only the raw body verifies.",
    ],
  },
  glossary: {
    columns: ["term", "meaning"],
    listRows: () => Object.entries(GLOSSARY),
    lines: ["(assumed): the sandbox's own decision, where the interface says nothing."],
  },
} as const satisfies Record<HelpTopic, Topic>;

export function renderHelpTopic(name: HelpTopic): {
  readonly json: object;
  readonly blocks: readonly Block[];
} {
  const { columns, lines, listRows }: Topic = TOPIC_TEXTS[name];
  // The reference has the same tables, with the backquotes.
  const plain = listRows().map((cells) => cells.map((cell) => cell.replaceAll("`", "")));
  return {
    json: plain.map((cells) => Object.fromEntries(columns.map((column, index) => [column, cells[index]]))),
    blocks: [
      { kind: "table", columns: columns.map((column) => ({ name: column })), rows: plain },
      { kind: "paragraph", lines },
    ],
  };
}
