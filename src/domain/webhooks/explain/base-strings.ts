import { EVENT_HEADER, type HeaderList, headerValues } from "../headers.ts";
import {
  type UndoneFault,
  type Variant,
  type VariantsByFaultCount,
  withFault,
  withoutFaults,
} from "./variants.ts";

export interface BaseString {
  readonly usesTimestamp: boolean;
  /** What is before the body and after it. */
  readonly frame: (timestamp: string) => readonly [before: string, after: string];
}

const DOCUMENTED: BaseString = { usesTimestamp: true, frame: (time) => [`${time}.`, ""] };

const BODY_ONLY: BaseString = { usesTimestamp: false, frame: () => ["", ""] };

const withTimestamp = (
  id: UndoneFault["id"],
  cost: number,
  description: string,
  frame: BaseString["frame"],
) => withFault<BaseString>({ usesTimestamp: true, frame }, id, cost, description);

const separate = (separator: string) =>
  withTimestamp(
    "base.different",
    2,
    `timestamp and body with ${JSON.stringify(separator)} between them`,
    (time) => [time + separator, ""],
  );

const putBodyFirst = (separator: string) =>
  withTimestamp("base.different", 2, `the body, ${JSON.stringify(separator)}, then the timestamp`, (time) => [
    "",
    separator + time,
  ]);

const OTHERS: readonly Variant<BaseString>[] = [
  withFault(BODY_ONLY, "base.different", 1, "the body without the timestamp (as GitHub and Shopify sign it)"),
  withTimestamp(
    "base.different",
    1,
    "timestamp and body with nothing between them (as Zendesk signs them)",
    (time) => [time, ""],
  ),
  ...[":", ",", "\n", "-", "_", "|", " ", ";", "\r\n", "\0", "&", "+"].map((separator) =>
    separate(separator),
  ),
  ...[".", "", ":"].map((separator) => putBodyFirst(separator)),
  withTimestamp("base.different", 2, "Slack's and Zoom's base string, v0:<timestamp>:<body>", (time) => [
    `v0:${time}:`,
    "",
  ]),
];

const RARE: readonly Variant<BaseString>[] = [
  ...["..", ". ", ".\n", "/", "=", "~"].map((separator) => separate(separator)),
  ...[",", "\n", "|"].map((separator) => putBodyFirst(separator)),
  withTimestamp("base.different", 3, "<timestamp>.<body>.", (time) => [`${time}.`, "."]),
  withTimestamp("base.different", 3, ".<timestamp>.<body>", (time) => [`.${time}.`, ""]),
];

/** Base strings of other providers, which people copy. */
const OF_PROVIDERS: readonly (readonly [
  description: string,
  frame: (time: string, event: string) => readonly [string, string],
])[] = [
  ["v1:<timestamp>:<body>", (time) => [`v1:${time}:`, ""]],
  ["v0.<timestamp>.<body>", (time) => [`v0.${time}.`, ""]],
  ["v1.<timestamp>.<body>", (time) => [`v1.${time}.`, ""]],
  ["t=<timestamp>,<body>", (time) => [`t=${time},`, ""]],
  ["t=<timestamp>.<body>", (time) => [`t=${time}.`, ""]],
  ["timestamp=<timestamp>&body=<body>", (time) => [`timestamp=${time}&body=`, ""]],
  ["POST and the body", () => ["POST", ""]],
  ["<event>.<timestamp>.<body>", (time, event) => [`${event}.${time}.`, ""]],
  ["<timestamp>.<event>.<body>", (time, event) => [`${time}.${event}.`, ""]],
  ["<event>.<body>", (_, event) => [`${event}.`, ""]],
  ["<event><body>", (_, event) => [event, ""]],
  ["<timestamp>.<body>.<event>", (time, event) => [`${time}.`, `.${event}`]],
];

/** Names of the header with the id that the Standard Webhooks specification signs too. */
const ID_HEADERS = ["webhook-id", "svix-id"];

const listSvix = (headers: HeaderList): readonly Variant<BaseString>[] =>
  ID_HEADERS.flatMap((name) => headerValues(headers, name).slice(0, 1)).map((id) =>
    withTimestamp("base.different", 2, "Svix's base string, <id>.<timestamp>.<body>", (time) => [
      `${id}.${time}.`,
      "",
    ]),
  );

/** The documented base string, and those that signers use in its place. */
export const listBaseStrings = (headers: HeaderList): VariantsByFaultCount<BaseString> => {
  const others = [...OTHERS, ...listSvix(headers)];
  return [() => [withoutFaults(DOCUMENTED)], () => others, () => []];
};

/** Base strings to try with no other fault of the inputs, because they are many. */
export function rareBaseStrings(headers: HeaderList): readonly Variant<BaseString>[] {
  const [event = ""] = headerValues(headers, EVENT_HEADER);
  const ofProviders = OF_PROVIDERS.filter(
    ([description]) => event !== "" || !description.includes("<event>"),
  ).map(([description, frame]) =>
    withTimestamp("base.different", 3, description, (time) => frame(time, event)),
  );
  return [...RARE, ...ofProviders];
}
