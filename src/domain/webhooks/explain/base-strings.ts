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

/** The documented base string, and those that signers use in its place. */
export const BASE_STRINGS: VariantsByFaultCount<BaseString> = [
  () => [withoutFaults(DOCUMENTED)],
  () => OTHERS,
  () => [],
];
