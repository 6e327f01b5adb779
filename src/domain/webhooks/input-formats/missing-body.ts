import { headerValues } from "../../http-headers.ts";
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { parseTimestamp } from "../timestamp.ts";
import type { LoggedDelivery } from "./logged-delivery.ts";

/** The field of a record with the number of bytes. */
const LENGTH_NAME =
  /(?:^|[._ -])(?:bytes|len|length|size)$|(?:content|body|payload|raw)[._ -]?(?:length|len|size|bytes)$/i;

function readLength({ headers, facts }: LoggedDelivery): number | null {
  const [ofHeader] = headerValues(headers, "content-length");
  const [, ofRecord] =
    [...facts].find(([name, text]) => LENGTH_NAME.test(name) && /^\d{1,9}$/.test(text)) ?? [];
  const length = ofHeader ?? ofRecord;
  return length === undefined ? null : Number(length);
}

/** What a record without a body still shows, and how to verify its delivery. */
export function describeMissingBody(delivery: LoggedDelivery, computed: string | null) {
  const length = readLength(delivery);
  const what = length === null ? "no body" : `no body, only its length of ${length} bytes`;
  const [signature = ""] = headerValues(delivery.headers, SIGNATURE_HEADER);
  const [timestamp = ""] = headerValues(delivery.headers, TIMESTAMP_HEADER);
  const given = [
    ["timestamp", timestamp],
    ["signature", signature],
    ["computed", computed ?? ""],
  ].flatMap(([name, value]) => (/^[\w+/=:.-]+$/.test(value ?? "") ? [`--${name} ${value}`] : []));
  return {
    message: `the record has ${what}, so nothing can be verified, and whoever made this log must act: log the raw bytes of the body, as base64, before a parser reads them`,
    hint: `${describeKnown(timestamp, signature, computed)}. With the body: claims webhooks verify --body FILE ${given.join(" ")}; from the sandbox: --delivery ID; in another field: --field body=NAME`,
  };
}

function describeKnown(timestamp: string, signature: string, computed: string | null): string {
  if (computed !== null && computed === signature)
    return "your receiver computed the signature that arrived, so look at how it compares them";
  const isWhole = /^[0-9a-f]{64}$/.test(signature) && parseTimestamp(timestamp) !== null;
  const arrived = isWhole
    ? "signature and timestamp arrived in the right form"
    : timestamp === ""
      ? "the record has no timestamp either"
      : "";
  const ofReceiver =
    computed === null || timestamp === ""
      ? ""
      : "the signature that your receiver computed is not that of an empty body or of a word";
  return [arrived, ofReceiver, "secret and body are not excluded"].filter((part) => part !== "").join("; ");
}
