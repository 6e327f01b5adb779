import { type HeaderList, headerValues } from "../headers.ts";
import {
  type UndoneFault,
  type Variant,
  type VariantsByFaultCount,
  withFault,
  withoutFaults,
} from "./variants.ts";

export interface BaseString {
  readonly usesTimestamp: boolean;
  readonly join: (timestamp: string, body: Uint8Array) => readonly (string | Uint8Array)[];
}

const DOCUMENTED: BaseString = { usesTimestamp: true, join: (time, body) => [`${time}.`, body] };

const BODY_ONLY: BaseString = { usesTimestamp: false, join: (_, body) => [body] };

const withTimestamp = (id: UndoneFault["id"], cost: number, description: string, join: BaseString["join"]) =>
  withFault<BaseString>({ usesTimestamp: true, join }, id, cost, description);

const OTHERS: readonly Variant<BaseString>[] = [
  withFault(BODY_ONLY, "base.body_only", 1, "the body without the timestamp"),
  withTimestamp("base.no_dot", 1, "timestamp and body with nothing between them", (...parts) => parts),
  ...[":", ",", "\n", "-", "_", "|", " ", ";", "\r\n", "\0", "&", "+"].map((separator) => {
    const description = `timestamp and body with ${JSON.stringify(separator)} between them`;
    return withTimestamp("base.other_separator", 2, description, (time, body) => [time + separator, body]);
  }),
  ...[".", "", ":"].map((separator) => {
    const description = `the body, ${JSON.stringify(separator)}, then the timestamp`;
    return withTimestamp("base.body_first", 2, description, (time, body) => [body, separator + time]);
  }),
];

const SLACK = withTimestamp(
  "base.other_provider",
  2,
  "Slack's base string, v0:<timestamp>:<body>",
  (time, body) => [`v0:${time}:`, body],
);

/** Names of the header with the id that the Standard Webhooks specification signs too. */
const ID_HEADERS = ["webhook-id", "svix-id"];

const listSvix = (headers: HeaderList): readonly Variant<BaseString>[] =>
  ID_HEADERS.flatMap((name) => headerValues(headers, name).slice(0, 1)).map((id) =>
    withTimestamp("base.other_provider", 2, "Svix's base string, <id>.<timestamp>.<body>", (time, body) => [
      `${id}.${time}.`,
      body,
    ]),
  );

/** The documented base string, and those that signers use in its place. */
export const listBaseStrings = (headers: HeaderList): VariantsByFaultCount<BaseString> => {
  const others = [...OTHERS, SLACK, ...listSvix(headers)];
  return [() => [withoutFaults(DOCUMENTED)], () => others, () => []];
};
