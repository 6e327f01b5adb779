import { CAUSES } from "../../domain/webhooks/explain/causes.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import type { Block } from "../output/output.ts";
import { ENVIRONMENT_VARIABLES } from "./environment-variables.ts";
import type { HelpTopic } from "./help-topics.ts";

/** What explains a topic: a table of two columns, and a few lines. */
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
      "An error is one line `error: …` and one line `hint: …` on stderr; with --json it is",
      '{"error":{"code","message","hint","status","requestId","retryable","exitCode"}} there.',
    ],
  },
  environment: {
    columns: ["variable", "meaning"],
    rows: Object.entries(ENVIRONMENT_VARIABLES),
    lines: [
      "Who says it first wins: --base-url and --environment, --profile, --dotenv, these variables,",
      "the profile of CLAIMS_PROFILE or the current one, the local sandbox.",
      "--dotenv takes CLAIMS_* and the proxies from its file, and nothing else.",
    ],
  },
  formatting: {
    columns: ["form", "meaning"],
    rows: [
      ["(terminal)", "a table or a card"],
      ["(pipe)", "tab-separated rows: no header, no colour, nothing cut off, times as RFC 3339"],
      ["--json", "one JSON document: the service's own bytes where it answered"],
      ["--ndjson", "one JSON document a line, for lists"],
      ["--csv", "RFC 4180 with a header, for lists"],
      ["--fields a,b.c", "only these fields, in any of the formats above"],
      ["-q, --quiet", "ids only, one a line; other commands take them from stdin as -"],
      ["--out FILE", "the same into a file, whole or not at all"],
      ["--color, --no-color", "decide; else NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, TERM=dumb, CLICOLOR=0"],
    ],
    lines: [
      "stdout is the answer and nothing else; messages, progress and errors go to stderr.",
      "A terminal shows control characters and bidi controls of a service as a middle dot, and in JSON as",
      "\\u escapes. Pipes and files get the bytes unchanged.",
    ],
  },
  credentials: {
    columns: ["from", "what"],
    rows: [
      ["claims auth login", "a key or an OAuth client, stored in a profile with the base URL it is for"],
      ["CLAIMS_API_KEY", "a managed key, or a file with it: CLAIMS_API_KEY_FILE"],
      ["CLAIMS_CLIENT_ID", "an OAuth client with CLAIMS_CLIENT_SECRET or CLAIMS_CLIENT_SECRET_FILE"],
      ["a local sandbox", "its own, where nothing else is said"],
    ],
    lines: [
      "A secret is never the value of a flag, and goes only to the base URL and into the environment that it",
      "was stored or given with.",
      "A key wins over an OAuth client, which works in the sandbox environment only.",
      "`claims auth status` says which one is used, `claims doctor` tries it.",
    ],
  },
  "signature-causes": {
    columns: ["cause", "meaning"],
    rows: Object.entries(CAUSES).map(([id, { title, fix }]) => [id, `${title}: ${fix}`] as const),
    lines: [
      "`claims webhooks verify` calls a cause proved where the signature fits once the fault is undone, and",
      "likely where something at hand points to it. It exits 7 all the same: only the raw body verifies.",
    ],
  },
} as const satisfies Record<HelpTopic, Topic>;

/** A topic as data, and as it is shown. */
export function renderHelpTopic(name: HelpTopic): {
  readonly json: object;
  readonly blocks: readonly Block[];
} {
  const { columns, lines, rows }: Topic = TOPIC_TEXTS[name];
  const [first, second] = columns;
  // Backquotes are for the README, which has the same tables.
  const plain = rows.map(([word, meaning]) => [word, meaning.replaceAll("`", "")] as const);
  return {
    json: plain.map(([word, meaning]) => ({ [first]: word, [second]: meaning })),
    blocks: [
      { kind: "table", columns: columns.map((column) => ({ name: column })), rows: plain },
      { kind: "paragraph", lines },
    ],
  };
}
