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

const OTHERS: readonly Variant<BaseString>[] = [
  withFault(BODY_ONLY, "base.body_only", 1, "the body without the timestamp"),
  withTimestamp("base.no_dot", 1, "timestamp and body with nothing between them", (time) => [time, ""]),
  ...[":", ",", "\n", "-", "_", "|", " ", ";", "\r\n", "\0", "&", "+"].map((separator) => {
    const description = `timestamp and body with ${JSON.stringify(separator)} between them`;
    return withTimestamp("base.other_separator", 2, description, (time) => [time + separator, ""]);
  }),
  ...[".", "", ":"].map((separator) => {
    const description = `the body, ${JSON.stringify(separator)}, then the timestamp`;
    return withTimestamp("base.body_first", 2, description, (time) => ["", separator + time]);
  }),
];

const SLACK = withTimestamp(
  "base.other_provider",
  2,
  "Slack's base string, v0:<timestamp>:<body>",
  (time) => [`v0:${time}:`, ""],
);

/** Names of the header with the id that the Standard Webhooks specification signs too. */
const ID_HEADERS = ["webhook-id", "svix-id"];

const listSvix = (headers: HeaderList): readonly Variant<BaseString>[] =>
  ID_HEADERS.flatMap((name) => headerValues(headers, name).slice(0, 1)).map((id) =>
    withTimestamp("base.other_provider", 2, "Svix's base string, <id>.<timestamp>.<body>", (time) => [
      `${id}.${time}.`,
      "",
    ]),
  );

/** The documented base string, and those that signers use in its place. */
export const listBaseStrings = (headers: HeaderList): VariantsByFaultCount<BaseString> => {
  const others = [...OTHERS, SLACK, ...listSvix(headers)];
  return [() => [withoutFaults(DOCUMENTED)], () => others, () => []];
};
