import { type HeaderList, headerValues } from "../../http-headers.ts";
import { valueAt } from "../../json.ts";
import { EVENT_HEADER } from "../headers.ts";
import { type Variant, type VariantsByFaultCount, withFault, withoutFaults } from "./variants.ts";

export interface BaseString {
  readonly usesTimestamp: boolean;
  /** What is before the body and after it. */
  readonly frame: (timestamp: string) => readonly [before: string, after: string];
}

/** @param template with `<timestamp>`, `<event>` and `<body>` in their places */
function parseTemplate(template: string, event = ""): BaseString {
  const [before = [], after = []] = template
    .split("<body>")
    .map((text) => text.split("<timestamp>").map((part) => part.replace("<event>", () => event)));
  return {
    usesTimestamp: template.includes("<timestamp>"),
    frame: (timestamp) => [before.join(timestamp), after.join(timestamp)],
  };
}

const different = (cost: number, description: string, template: string, event?: string) =>
  withFault(parseTemplate(template, event), "base.different", cost, description);

const separate = (separator: string) =>
  different(
    2,
    `timestamp and body with ${JSON.stringify(separator)} between them`,
    `<timestamp>${separator}<body>`,
  );

const putBodyFirst = (separator: string) =>
  different(2, `the body, ${JSON.stringify(separator)}, then the timestamp`, `<body>${separator}<timestamp>`);

const OTHERS: readonly Variant<BaseString>[] = [
  different(1, "the body without the timestamp (as GitHub and Shopify sign it)", "<body>"),
  different(1, "timestamp and body with nothing between them (as Zendesk signs them)", "<timestamp><body>"),
  ...[":", ",", "\n", "-", "_", "|", " ", ";", "\r\n", "\0", "&", "+"].map(separate),
  ...[".", "", ":"].map(putBodyFirst),
  different(2, "Slack's and Zoom's base string, v0:<timestamp>:<body>", "v0:<timestamp>:<body>"),
];

/** What programs make of a header that they read by a wrong name. */
const UNSET = ["undefined", "null", "None", "nil", "NaN", "[object Object]"];

const RARE: readonly Variant<BaseString>[] = [
  ...UNSET.map((word) => different(3, `the word ${word} in place of the timestamp`, `${word}.<body>`)),
  ...["..", ". ", ".\n", "/", "=", "~"].map(separate),
  ...[",", "\n", "|"].map(putBodyFirst),
];

/** Base strings of other providers, which people copy. */
const OF_PROVIDERS = [
  "<timestamp>.<body>.",
  ".<timestamp>.<body>",
  "v1:<timestamp>:<body>",
  "v0.<timestamp>.<body>",
  "v1.<timestamp>.<body>",
  "t=<timestamp>,<body>",
  "t=<timestamp>.<body>",
  "timestamp=<timestamp>&body=<body>",
  "POST<body>",
  "<event>.<timestamp>.<body>",
  "<timestamp>.<event>.<body>",
  "<event>.<body>",
  "<event><body>",
  "<timestamp>.<body>.<event>",
];

/** Names of the header with the id that the Standard Webhooks specification signs too. */
const ID_HEADERS = ["webhook-id", "svix-id"];

const listSvix = (headers: HeaderList): readonly Variant<BaseString>[] =>
  ID_HEADERS.flatMap((name) => headerValues(headers, name).slice(0, 1)).map((id) =>
    different(2, "Svix's base string, <id>.<timestamp>.<body>", "<event>.<timestamp>.<body>", id),
  );

/** The documented base string, and those that signers use in its place. */
export const listBaseStrings = (headers: HeaderList): VariantsByFaultCount<BaseString> => {
  const others = [...OTHERS, ...listSvix(headers)];
  return [() => [withoutFaults(parseTemplate("<timestamp>.<body>"))], () => others, () => []];
};

/** Names of payload fields with the id of the event. Interface §6 does not show the payload. */
const ID_FIELDS = ["id", "eventId", "event_id", "webhookId", "deliveryId"];

const listWithPayloadId = (payload: unknown): readonly Variant<BaseString>[] =>
  ID_FIELDS.flatMap((name) => {
    const id = valueAt(payload, name);
    if (typeof id !== "string") return [];
    return ["<timestamp>.", ""].map((rest) =>
      different(3, `the payload's ${name}, ${rest}<body>`, `<event>.${rest}<body>`, id),
    );
  });

/** Base strings to try with no other fault of the inputs, because they are many. */
export function rareBaseStrings(headers: HeaderList, payload: unknown): readonly Variant<BaseString>[] {
  const [event = ""] = headerValues(headers, EVENT_HEADER);
  const ofProviders = OF_PROVIDERS.filter((template) => event !== "" || !template.includes("<event>")).map(
    (template) => different(3, template.startsWith("POST") ? "POST and the body" : template, template, event),
  );
  return [...RARE, ...ofProviders, ...listWithPayloadId(payload)];
}
