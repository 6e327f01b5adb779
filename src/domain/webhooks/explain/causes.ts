export interface CauseText {
  readonly title: string;
  readonly fix: string;
}

const RAW_BODY_FIX = "verify the raw bytes before you parse, decode or print them";
const SIGNATURE_HEADER_FIX = "send the header as 64 lowercase hex digits and nothing else";
const BASE_STRING_FIX = "sign the timestamp, a full stop, then the raw body: <timestamp>.<body>";
const TIMESTAMP_FIX = "use the exact value of X-Service-Timestamp as text; convert it only to judge its age";
const ENDPOINT_SECRET_FIX = "use the signingSecret that creating the endpoint returned";
const SINGLE_HEADER_FIX = "set the header once; look for a proxy that adds it again";
const HEADER_NAME_FIX =
  "send and read the header under its exact name; look for a proxy or log that writes _ for -";
const WHOLE_SECRET_FIX = "use the UTF-8 of the whole secret, whsec_ included, as the key";

/** All causes by their stable ids. `claims help signature-causes` prints this table, and the reference has it. */
export const CAUSES = {
  "body.trailing_newline": { title: "a line end after the body was added or lost", fix: RAW_BODY_FIX },
  "body.bom": { title: "a byte order mark before the body was added or lost", fix: RAW_BODY_FIX },
  "body.line_endings": { title: "line ends were changed between LF, CRLF and CR", fix: RAW_BODY_FIX },
  "body.trimmed": { title: "white space around the body was removed or added", fix: RAW_BODY_FIX },
  "body.reserialized": { title: "the body was parsed and printed again", fix: RAW_BODY_FIX },
  "body.number_reprinted": {
    title: "a number was printed in another form, such as 1 for 1.0",
    fix: RAW_BODY_FIX,
  },
  "body.fields_dropped": {
    title: "fields of the body were dropped, such as those that are null",
    fix: RAW_BODY_FIX,
  },
  "body.double_encoded": { title: "the body was encoded as JSON twice", fix: RAW_BODY_FIX },
  "body.base64": {
    title: "the body was encoded as or decoded from base64 after signing",
    fix: "decode the base64 body of the gateway event (isBase64Encoded), then verify those bytes",
  },
  "body.latin1": { title: "UTF-8 was read as Latin-1, or Latin-1 as UTF-8", fix: RAW_BODY_FIX },
  "body.replaced_characters": {
    title: "characters were replaced by U+FFFD or by question marks",
    fix: RAW_BODY_FIX,
  },
  "body.form_encoded": { title: "the body was form-encoded, as in payload=…", fix: RAW_BODY_FIX },
  "body.empty": {
    title: "the body was empty when it was signed or verified",
    fix: "read the body once and keep its bytes before other code reads the stream",
  },
  "body.truncated": {
    title: "the end of the body is missing",
    fix: "read the body to its end; look for a size limit in front of the receiver",
  },
  "body.compressed": {
    title: "the body is still compressed",
    fix: "verify the body after its Content-Encoding is decoded, and before anything else reads it",
  },
  "body.chunked": {
    title: "the body still has its chunk sizes",
    fix: "decode Transfer-Encoding: chunked (RFC 9112 §7.1), then verify",
  },
  "body.header_block": {
    title: "headers are in front of the body",
    fix: "pass only what follows the empty line as the body",
  },
  "body.excess_bytes": {
    title: "bytes beyond Content-Length follow the body",
    fix: "read Content-Length bytes, and none of the next request or of a larger buffer",
  },
  "body.nul_padding": {
    title: "NULs follow the body",
    fix: "cut the buffer at the number of bytes that were read",
  },
  "body.doubled": {
    title: "the body is there twice",
    fix: "collect the chunks of the body once",
  },
  "body.first_byte_lost": {
    title: "the first byte of the body is missing",
    fix: "keep the byte that was read to look at the body",
  },
  "body.envelope": {
    title: "the body is wrapped in another JSON document",
    fix: "verify the text inside the envelope of the queue or gateway, unchanged",
  },
  "body.wrapped_lines": { title: "the body was cut into lines of a fixed length", fix: RAW_BODY_FIX },
  "body.hex": { title: "the body was encoded as hex", fix: RAW_BODY_FIX },
  "body.repr": { title: "the body is as a program prints it, with quotes or backslashes", fix: RAW_BODY_FIX },
  "body.utf16": { title: "the body was converted to UTF-16, or read as UTF-16", fix: RAW_BODY_FIX },
  "body.windows_1252": { title: "UTF-8 was read as windows-1252", fix: RAW_BODY_FIX },
  "body.unicode_normalized": {
    title: "Unicode characters were composed or decomposed (NFC, NFD)",
    fix: RAW_BODY_FIX,
  },
  "body.percent_encoded": {
    title: "percent encoding or plus signs were added or removed",
    fix: RAW_BODY_FIX,
  },
  "body.html_entities": { title: "HTML entities were added or removed", fix: RAW_BODY_FIX },
  "body.smart_quotes": { title: "straight quotes became typographic ones", fix: RAW_BODY_FIX },
  "body.keys_sorted": { title: "the body was signed with sorted keys", fix: RAW_BODY_FIX },
  "body.data_only": {
    title: "only the data field was signed",
    fix: "sign and verify the whole body, not a part of it",
  },
  "secret.whitespace": {
    title: "white space in or around the secret",
    fix: "store the secret without a line end or spaces: printf %s, not echo",
  },
  "secret.quotes": { title: "quotes around the secret", fix: "store the secret without the quotes" },
  "secret.invisible_characters": {
    title: "invisible characters in the secret, such as a byte order mark",
    fix: "store the secret as plain text without a byte order mark: printf %s, not an editor",
  },
  "secret.wrong_case": {
    title: "whsec_ is in uppercase",
    fix: "store the secret exactly as it was returned, with whsec_ in lowercase",
  },
  "secret.env_line": {
    title: "a NAME=value line in place of the secret",
    fix: "store only what follows the = in the file, without quotes",
  },
  "secret.json_value": {
    title: "JSON in place of the secret",
    fix: "store only the value of signingSecret, without quotes",
  },
  "secret.two_lines": {
    title: "more than one line in place of the secret",
    fix: "store one secret in each file",
  },
  "secret.percent_encoded": {
    title: "the secret is percent-encoded",
    fix: "store the secret exactly as it was returned",
  },
  "secret.placeholder": {
    title: "a variable or template in place of the secret",
    fix: "replace the variable before the receiver starts, and refuse to start without a secret",
  },
  "secret.prefix_only": {
    title: "the secretPrefix in place of the secret",
    fix: "use the whole signingSecret: the list of endpoints shows only its beginning",
  },
  "secret.hex_encoded": { title: "the key is the hex of the secret", fix: WHOLE_SECRET_FIX },
  "secret.hashed": { title: "the key is a hash of the secret", fix: WHOLE_SECRET_FIX },
  "secret.prefix_dropped": { title: "whsec_ is missing from the key", fix: WHOLE_SECRET_FIX },
  "secret.base64_encoded": {
    title: "the secret is encoded as base64, as Kubernetes shows it",
    fix: "decode it once: base64 -d, without a line end after it",
  },
  "secret.base64_decoded": { title: "the key was decoded from base64", fix: WHOLE_SECRET_FIX },
  "secret.hex_decoded": { title: "the key was decoded from hex", fix: WHOLE_SECRET_FIX },
  "secret.api_key": { title: "an API key in place of the signing secret", fix: ENDPOINT_SECRET_FIX },
  "secret.client_secret": {
    title: "an OAuth client's secret in place of the signing secret",
    fix: ENDPOINT_SECRET_FIX,
  },
  "secret.other_endpoint": {
    title: "the secret of another endpoint",
    fix: "compare secretPrefix in the list of endpoints, and use the secret of this endpoint",
  },
  "secret.other_environment": {
    title: "the secret of the other environment",
    fix: "use the secret of the endpoint in the sending environment",
  },
  "secret.older": {
    title: "an older secret",
    fix: "deploy the current secret; during a rotation, verify with both",
  },
  "secret.empty": {
    title: "an empty key",
    fix: "set the secret, and refuse to start without it: anyone can sign with an empty key",
  },
  "timestamp.whitespace": { title: "white space around the timestamp", fix: TIMESTAMP_FIX },
  "timestamp.milliseconds": {
    title: "seconds in place of milliseconds, or the other way round",
    fix: TIMESTAMP_FIX,
  },
  "timestamp.rfc3339": {
    title: "unix time in place of RFC 3339, or the other way round",
    fix: TIMESTAMP_FIX,
  },
  "timestamp.payload_time": { title: "a time from the payload in place of the header", fix: TIMESTAMP_FIX },
  "timestamp.reformatted": {
    title: "the timestamp was written in another form, such as in quotes or with an exponent",
    fix: TIMESTAMP_FIX,
  },
  "timestamp.changed": {
    title: "the timestamp header was changed, or is another attempt's",
    fix: "keep the headers and the body of one attempt together, and do not set the timestamp yourself",
  },
  "timestamp.header_name": { title: "the timestamp is in a header of another name", fix: HEADER_NAME_FIX },
  "timestamp.missing": {
    title: "the timestamp header is missing, or no timestamp was signed",
    fix: "send X-Service-Timestamp, let proxies forward it, and reject a delivery without it",
  },
  "timestamp.doubled": { title: "the timestamp header is given more than once", fix: SINGLE_HEADER_FIX },
  "base.body_only": { title: "the body was signed without the timestamp", fix: BASE_STRING_FIX },
  "base.no_dot": { title: "no full stop between timestamp and body", fix: BASE_STRING_FIX },
  "base.other_separator": { title: "another separator than a full stop", fix: BASE_STRING_FIX },
  "base.body_first": { title: "the body before the timestamp", fix: BASE_STRING_FIX },
  "base.reserialized": {
    title: "the body was printed again before it was sent, by the sender or by a proxy",
    fix: "print the body once, sign those bytes and send them; look for a proxy that parses the body",
  },
  "base.other_provider": {
    title: "another provider's base string",
    fix: BASE_STRING_FIX,
  },
  "signature.header_name": { title: "the signature is in a header of another name", fix: HEADER_NAME_FIX },
  "signature.combined": {
    title: "timestamp and signature in one header, as Stripe sends them",
    fix: SIGNATURE_HEADER_FIX,
  },
  "signature.separators": {
    title: "characters between the digits of the signature",
    fix: SIGNATURE_HEADER_FIX,
  },
  "signature.base64_of_hex": { title: "base64 of the hex digits", fix: SIGNATURE_HEADER_FIX },
  "signature.no_key": { title: "SHA-256 without a key in place of HMAC-SHA256", fix: "compute HMAC-SHA256" },
  "signature.no_hmac": {
    title: "SHA-256 of secret and base string in place of HMAC-SHA256",
    fix: "compute HMAC-SHA256",
  },
  "signature.swapped": {
    title: "key and message of the HMAC are swapped",
    fix: "use the secret as the key and the base string as the message",
  },
  "signature.double_hmac": { title: "the HMAC was computed twice", fix: "compute HMAC-SHA256 once" },
  "signature.uppercase": { title: "uppercase hex", fix: SIGNATURE_HEADER_FIX },
  "signature.base64": { title: "base64 in place of hex", fix: SIGNATURE_HEADER_FIX },
  "signature.prefix": {
    title: "a prefix such as sha256= or 0x before the signature",
    fix: SIGNATURE_HEADER_FIX,
  },
  "signature.whitespace": { title: "white space or quotes around the signature", fix: SIGNATURE_HEADER_FIX },
  "signature.truncated": { title: "the end of the signature is missing", fix: SIGNATURE_HEADER_FIX },
  "signature.md5": { title: "HMAC-MD5 in place of HMAC-SHA256", fix: "compute HMAC-SHA256" },
  "signature.sha1": { title: "HMAC-SHA1 in place of HMAC-SHA256", fix: "compute HMAC-SHA256" },
  "signature.sha384": { title: "HMAC-SHA384 in place of HMAC-SHA256", fix: "compute HMAC-SHA256" },
  "signature.sha512": { title: "HMAC-SHA512 in place of HMAC-SHA256", fix: "compute HMAC-SHA256" },
  "signature.missing": {
    title: "the signature header is missing",
    fix: "send X-Service-Signature, let proxies forward it, and reject a delivery without it",
  },
  "signature.doubled": { title: "the signature header is given more than once", fix: SINGLE_HEADER_FIX },
} as const satisfies Record<string, CauseText>;

export type CauseId = keyof typeof CAUSES;

export interface Cause {
  readonly id: CauseId;
  readonly title: string;
  /** Proved: the signature matches when the fault is undone. Likely: there is evidence, and the input cannot show more. */
  readonly certainty: "proved" | "likely";
  /** One line or more, with a hexdump of the first difference if the bodies differ. Never a secret. */
  readonly evidence: string;
  readonly fix: string;
}

export const createCause = (id: CauseId, certainty: Cause["certainty"], evidence: string): Cause => ({
  id,
  title: CAUSES[id].title,
  certainty,
  evidence,
  fix: CAUSES[id].fix,
});
