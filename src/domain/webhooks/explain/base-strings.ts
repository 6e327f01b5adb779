import { type HeaderList, headerValues } from "../../http-headers.ts";
import { type Variant, type VariantsByFaultCount, withFault, withoutFaults } from "./variants.ts";

export interface BaseString {
  readonly usesTimestamp: boolean;
  /** What is before the body and after it. */
  readonly frame: (timestamp: string) => readonly [before: string, after: string];
}

/** @param template with `<timestamp>` and `<body>` in their places */
function parseTemplate(template: string): BaseString {
  const [before = [], after = []] = template.split("<body>").map((text) => text.split("<timestamp>"));
  return {
    usesTimestamp: template.includes("<timestamp>"),
    frame: (timestamp) => [before.join(timestamp), after.join(timestamp)],
  };
}

const different = (cost: number, description: string, template: string) =>
  withFault(parseTemplate(template), "base.different", cost, description);

const separate = (separator: string) =>
  different(
    2,
    `timestamp and body with ${JSON.stringify(separator)} between them`,
    `<timestamp>${separator}<body>`,
  );

const putBodyFirst = (separator: string) =>
  different(2, `the body, ${JSON.stringify(separator)}, then the timestamp`, `<body>${separator}<timestamp>`);

/** What programs print for a header that they looked for under a wrong name. */
const UNSET = ["undefined", "null", "None", "nil"];

const OTHERS: readonly Variant<BaseString>[] = [
  different(1, "the body without the timestamp (as GitHub and Shopify sign it)", "<body>"),
  different(1, "timestamp and body with nothing between them (as Zendesk signs them)", "<timestamp><body>"),
  ...[":", ",", "\n", "-", "_", "|", " ", ";", "/", "&", ".."].map(separate),
  ...[".", "", ":", "\n"].map(putBodyFirst),
  ...UNSET.map((word) => different(2, `the word ${word} in place of the timestamp`, `${word}.<body>`)),
  ...["v0", "v1"].map((version) =>
    different(2, `${version}:<timestamp>:<body>, as Slack and Zoom sign it`, `${version}:<timestamp>:<body>`),
  ),
];

/** Names of the header with the id that the Standard Webhooks specification signs too. */
const ID_HEADERS = ["webhook-id", "svix-id"];

const listSvix = (headers: HeaderList): readonly Variant<BaseString>[] =>
  ID_HEADERS.flatMap((name) => headerValues(headers, name).slice(0, 1)).map((id) =>
    withFault(
      { usesTimestamp: true, frame: (timestamp) => [`${id}.${timestamp}.`, ""] },
      "base.different",
      2,
      "Svix's base string, <id>.<timestamp>.<body>",
    ),
  );

/** The documented base string, and those that signers use in its place. */
export const listBaseStrings = (headers: HeaderList): VariantsByFaultCount<BaseString> => {
  const others = [...OTHERS, ...listSvix(headers)];
  return [() => [withoutFaults(parseTemplate("<timestamp>.<body>"))], () => others, () => []];
};
