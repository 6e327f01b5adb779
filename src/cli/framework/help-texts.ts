import { CAUSES } from "../../domain/webhooks/explain/causes.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import type { Block } from "../output/output.ts";
import { ENVIRONMENT_VARIABLES } from "./environment-variables.ts";
import type { HelpTopic } from "./help-topics.ts";

interface Topic {
  readonly columns: readonly [string, string];
  readonly rows: readonly (readonly [string, string])[];
  readonly lines: readonly string[];
}

const TOPIC_TEXTS = {
  "exit-codes": {
    columns: ["code", "meaning"],
    rows: Object.entries(EXIT_CODES),
    lines: [
      "An error prints a line `error: …` and a line `hint: …` on stderr, and with --json:",
      '{"error":{"code","message","hint","status","requestId","retryable","exitCode"}}',
    ],
  },
  environment: {
    columns: ["variable", "meaning"],
    rows: Object.entries(ENVIRONMENT_VARIABLES),
    lines: [
      "Settings come from, in this order: --base-url and --environment, --profile, --dotenv, these variables,",
      "the profile of CLAIMS_PROFILE or the current one, the local sandbox.",
      "--dotenv reads only CLAIMS_* and the proxy variables of its file.",
    ],
  },
  formatting: {
    columns: ["form", "meaning"],
    rows: [
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
      "On a terminal, control characters and bidi controls of a service become middle dots, and in JSON",
      "\\u escapes. Pipes and files get the unchanged bytes.",
    ],
  },
  credentials: {
    columns: ["from", "what"],
    rows: [
      ["claims auth login", "a key or an OAuth client, stored in a profile with its base URL"],
      ["CLAIMS_API_KEY", "a managed key; CLAIMS_API_KEY_FILE names a file with it"],
      ["CLAIMS_CLIENT_ID", "an OAuth client with CLAIMS_CLIENT_SECRET or CLAIMS_CLIENT_SECRET_FILE"],
      ["a local sandbox", "its own key, if nothing else is set"],
    ],
    lines: [
      "A secret is never the value of a flag. It goes only to the base URL and the environment that it was",
      "stored or given with.",
      "A key takes precedence over an OAuth client, which works in the sandbox environment only.",
      "`claims auth status` shows the credential in use, `claims doctor` tests it.",
    ],
  },
  "signature-causes": {
    columns: ["cause", "meaning"],
    rows: Object.entries(CAUSES).map(([id, { title, fix }]) => [id, `${title}: ${fix}`] as const),
    lines: [
      "`claims webhooks verify` calls a cause proved if the signature verifies without the fault, and likely if",
      "only an indication exists. It exits 7 in both cases: only the raw body verifies.",
    ],
  },
} as const satisfies Record<HelpTopic, Topic>;

export function renderHelpTopic(name: HelpTopic): {
  readonly json: object;
  readonly blocks: readonly Block[];
} {
  const { columns, lines, rows }: Topic = TOPIC_TEXTS[name];
  const [first, second] = columns;
  // The reference has the same tables, with the backquotes.
  const plain = rows.map(([word, meaning]) => [word, meaning.replaceAll("`", "")] as const);
  return {
    json: plain.map(([word, meaning]) => ({ [first]: word, [second]: meaning })),
    blocks: [
      { kind: "table", columns: columns.map((column) => ({ name: column })), rows: plain },
      { kind: "paragraph", lines },
    ],
  };
}
