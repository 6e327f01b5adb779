import { type HeaderList, headerValues } from "../../http-headers.ts";
import type { Buffer } from "../buffer.ts";
import { TIMESTAMP_HEADER } from "../headers.ts";
import { type Variants, withFault, withoutFaults } from "./variants.ts";

/** What is hashed around the body. */
export type Frame = readonly [before: string, after: string];

export interface BaseString {
  readonly usesTimestamp: boolean;
  readonly frame: (timestamp: string) => Frame;
}

/** @param template with `<timestamp>` and `<body>` in their places */
function parseTemplate(template: string): BaseString {
  const [before = [], after = []] = template.split("<body>").map((text) => text.split("<timestamp>"));
  return {
    usesTimestamp: template.includes("<timestamp>"),
    frame: (timestamp) => [before.join(timestamp), after.join(timestamp)],
  };
}

const SEPARATORS = [":", ",", "\n", "-", "_", "|", " ", ";", "/", "&", ".."];
const SEPARATORS_AFTER_BODY = [".", "", ":", "\n"];

/** What programs print for a header that they looked for under a wrong name. */
const UNSET = ["undefined", "null", "None", "nil"];

const TEMPLATES: readonly (readonly [template: string, description: string])[] = [
  ["<body>", "the body without the timestamp (as GitHub and Shopify sign it)"],
  ["<timestamp><body>", "timestamp and body with nothing between them (as Zendesk signs them)"],
  ...SEPARATORS.map(
    (text) =>
      [`<timestamp>${text}<body>`, `timestamp and body with ${JSON.stringify(text)} between them`] as const,
  ),
  ...SEPARATORS_AFTER_BODY.map(
    (text) => [`<body>${text}<timestamp>`, `the body, ${JSON.stringify(text)}, then the timestamp`] as const,
  ),
  ...UNSET.map((word) => [`${word}.<body>`, `the word ${word} in place of the timestamp`] as const),
  ["v0:<timestamp>:<body>", "v0:<timestamp>:<body>, as Slack and Zoom sign it"],
];

/** The documented base string, and those that signers use in its place. */
export function listBaseStrings(headers: HeaderList, body: Buffer): Variants<BaseString> {
  const [timestamp] = headerValues(headers, TIMESTAMP_HEADER);
  // Such a text is itself the documented base string: it stands in place of the body, and the signer is right.
  const templates = body.indexOf(`${timestamp}.`) === 0 ? TEMPLATES.slice(1) : TEMPLATES;
  // The Standard Webhooks specification signs the id too.
  const [id = ""] = ["webhook-id", "svix-id"].flatMap((name) => headerValues(headers, name));
  const ofSvix = [`${id}.<timestamp>.<body>`, "Svix's base string, <id>.<timestamp>.<body>"] as const;
  const others = id === "" || id.includes("<") ? templates : [...templates, ofSvix];
  return {
    none: [withoutFaults(parseTemplate("<timestamp>.<body>"))],
    one: others.map(([template, how]) => withFault(parseTemplate(template), "base.different", how)),
  };
}
