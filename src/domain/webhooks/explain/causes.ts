/** Who must act. */
export const ACTORS = {
  receiver: "the receiver's program",
  between: "something between sender and receiver",
  secret_store: "whoever stores the secret",
  sender: "the sender",
  log: "whoever made this log or copy",
} as const;
export type Actor = keyof typeof ACTORS;

export interface CauseText {
  readonly title: string;
  readonly actor: Actor;
  readonly fix: string;
  readonly example: string;
  /** What a receiver has to change that caused what otherwise a log or a proxy causes. */
  readonly receiverFix: string;
}

const RAW_BODY_FIX =
  "your program, or what hands it the message, changed it before the check; check the bytes exactly as they arrived";
const COPY_FIX = "copy or log the body as the exact bytes, for example as base64, and verify those";
const BETWEEN_FIX =
  "look for a proxy, gateway or queue that changes the message; pass its bytes on unchanged";
const SIGN_SENT_FIX = "print the body once, sign those bytes, all of them, and send them";
const TIMESTAMP_FIX = "use the exact value of X-Service-Timestamp as text; convert it only to judge its age";
/** How to find out, without this tool too, whether a secret is the right one (interface §2). */
export const COMPARE_SECRETS =
  "compare the first 12 characters of the secret with secretPrefix in the list of endpoints; try those that you had: --candidate older=FILE";
const HEADER_NAME_FIX =
  "send and read the header under its exact name; look for a proxy or log that writes _ for -";
const SINGLE_HEADER_FIX = "set the header once; look for a proxy that adds it again";
const WHOLE_SECRET_FIX = "use the UTF-8 of the whole secret, whsec_ included, as the key";

const describeCause = (
  actor: Actor,
  title: string,
  fix: string,
  example: string,
  receiverFix: string = fix,
): CauseText => ({ title, actor, fix, example, receiverFix });

/**
 * All causes by their stable ids: one for each fix and actor. `claims help signature-causes` prints this table, and the
 * reference has it.
 */
// biome-ignore format: a table, one cause a line
export const CAUSES = {
  "body.reserialized": describeCause("receiver", "the body was read as JSON and printed again", RAW_BODY_FIX, "express.json(), then JSON.stringify(req.body)"),
  "body.number_reprinted": describeCause("receiver", "a number was printed in another form, such as 1 for 1.0", RAW_BODY_FIX, "1.0 arrives, and 1 is verified"),
  "body.time_reprinted": describeCause("receiver", "a time was printed in another form, such as 06:43:12.000Z for 06:43:12Z", RAW_BODY_FIX, "a model with a Date, printed again"),
  "body.strings_changed": describeCause("receiver", "strings were trimmed, and empty ones became null", RAW_BODY_FIX, "TrimStrings and ConvertEmptyStringsToNull of Laravel"),
  "body.keys_sorted": describeCause("receiver", "the body was printed again with its keys in another order", RAW_BODY_FIX, "json.dumps(data, sort_keys=True)"),
  "body.empty": describeCause("receiver", "the body was empty when it was signed or verified", "read the body once and keep its bytes before other code reads the stream", "a middleware read the stream first"),
  "body.nul_padding": describeCause("receiver", "NULs follow the body", "cut the buffer at the number of bytes that were read", "a buffer of 4096 bytes, half full"),
  "body.excess_bytes": describeCause("log", "bytes beyond Content-Length follow the body", "verify as many bytes as Content-Length says: what follows in this copy is not the body", "a copy that goes on with the next request, the response or a note", "read Content-Length bytes, and none of the next request or of a larger buffer"),
  "body.data_only": describeCause("receiver", "only the data field was signed", "sign and verify the whole body, not a part of it", "hmac(JSON.stringify(event.data))"),
  "body.dump": describeCause("receiver", "what a program prints of the body was signed in its place", RAW_BODY_FIX, "a dict of Python as {'id': 1}"),
  "body.constant": describeCause("receiver", "a fixed text stands in place of the body", "the program has no raw body where it verifies: find what read the request first, keep the bytes there, and verify those", "undefined, [object Object], an empty object"),
  "body.changed": describeCause("between", "the body is not the one that was sent", BETWEEN_FIX, "a gateway that masks or adds fields", RAW_BODY_FIX),
  "body.trailing_newline": describeCause("log", "a line end after the body was added or lost", COPY_FIX, "an editor ends the file with a line feed", "hash the body exactly as it arrived: neither add nor remove a line end"),
  "body.trimmed": describeCause("log", "white space around the body was removed or added", COPY_FIX, "body.trim()", "hash the body exactly as it arrived: do not trim it"),
  "body.bom": describeCause("log", "a byte order mark before the body was added or lost", COPY_FIX, "Notepad saves UTF-8 with a byte order mark", "hash the body exactly as it arrived: neither add nor remove a byte order mark"),
  "body.printed": describeCause("log", "the body is as a program prints it: with quotes, escapes, as hex, or in lines", COPY_FIX, "b'{\"id\":1}', hexdump, a cell of a table", "hash the bytes of the body, not what a program prints of them"),
  "body.surrounded": describeCause("log", "something stands before or after the body, such as a log prefix or punctuation", COPY_FIX, "INFO body: {…};", "hash the body alone: nothing before it and nothing after it"),
  "body.truncated": describeCause("log", "a part of the body is missing", "keep the whole body; look for a size limit of the log, and in front of the receiver", "a logger cuts after 1,024 characters", "read the body to its end before you hash it: look for a buffer or a limit that cuts it"),
  "body.replaced_characters": describeCause("log", "characters were replaced by U+FFFD or by question marks, or dropped", COPY_FIX, "a log in ASCII", "hash the bytes as they arrived: text in ASCII, or with replaced characters, is another text"),
  "body.line_endings": describeCause("log", "line ends were changed between LF, CRLF and CR, or removed", `${COPY_FIX}; if they do not verify, look for a relay that changes line ends`, "a mail, or a copy on Windows", "hash the body exactly as it arrived: do not convert line ends"),
  "body.double_encoded": describeCause("log", "the body was encoded as JSON twice", COPY_FIX, '"{\\"id\\":1}" in place of {"id":1}', "hash the body as it arrived, not a JSON string of it: one JSON.stringify is too many"),
  "body.base64": describeCause("between", "the body was encoded as or decoded from base64 after signing", "decode the base64 body of the gateway event (isBase64Encoded), then verify those bytes", "API Gateway with isBase64Encoded", "hash the raw bytes: do not encode them, and decode base64 only where the body is base64 (isBase64Encoded)"),
  "body.charset": describeCause("between", "the text was read or written in the wrong character set", BETWEEN_FIX, "cafÃ© in place of café", "hash the bytes as they arrived: do not read them in another character set first"),
  "body.form_encoded": describeCause("between", "the body was form-encoded, as in payload=…", BETWEEN_FIX, "a gateway that expects forms", "hash the raw body: a form parser read it first, so keep the bytes before that parser"),
  "body.percent_encoded": describeCause("between", "percent encoding or plus signs were added or removed", BETWEEN_FIX, "+49 became ' 49'", "hash the body as it arrived: neither decode nor encode percent signs and plus signs"),
  "body.html_entities": describeCause("between", "HTML entities were added or removed", BETWEEN_FIX, "&quot; in place of a quote", "hash the body as it arrived: neither escape nor unescape it for HTML"),
  "body.unicode_normalized": describeCause("between", "Unicode characters were composed or decomposed (NFC, NFD)", BETWEEN_FIX, "é as e and an accent", "hash the body as it arrived: do not normalize its Unicode characters"),
  "body.compressed": describeCause("between", "the body is still compressed", "verify the body after its Content-Encoding is decoded, and before anything else reads it", "Content-Encoding: gzip", "hash the bytes as they arrived: take them before your framework inflates them"),
  "body.chunked": describeCause("between", "the body still has its chunk sizes", "decode Transfer-Encoding: chunked (RFC 9112 §7.1), then verify", "1a4 on a line before the body"),
  "body.envelope": describeCause("between", "the body is wrapped in another document", "verify the text inside the envelope of the queue or gateway, unchanged", "an SNS message around the body"),
  "secret.whitespace": describeCause("secret_store", "white space in or around the secret", "store the secret without a line end or spaces: printf %s, not echo", "a line feed at the end of the file"),
  "secret.altered": describeCause("secret_store", "the stored secret is not exactly the signing secret: quotes, a name or other characters are with it, or a part is missing", "store exactly the signingSecret as it was returned: no quotes, name, comment or other characters; in a .env file, # can begin a comment, and $ a variable", "WEBHOOK_SECRET='whsec_…' # production"),
  "secret.base64_encoded": describeCause("secret_store", "the secret is encoded as base64, as Kubernetes shows it", "decode it once: base64 -d, without a line end after it", "kubectl get secret -o yaml"),
  "secret.placeholder": describeCause("secret_store", "a variable, a template, a masked or a test secret in place of the secret", "store the signing secret itself, and refuse to start without one", "$WEBHOOK_SECRET, whsec_****, whsec_test"),
  "secret.prefix_only": describeCause("secret_store", "the secretPrefix in place of the secret", "use the whole signingSecret: the list of endpoints shows only its beginning", "whsec_bWFkZS"),
  "secret.prefix_dropped": describeCause("secret_store", "whsec_ is missing from the key", WHOLE_SECRET_FIX, "secret.replace('whsec_', '')"),
  "secret.transformed": describeCause("receiver", "the key is not the secret itself: it was decoded, encoded or hashed", WHOLE_SECRET_FIX, "Buffer.from(secret, 'base64') as the key"),
  "secret.wrong_credential": describeCause("secret_store", "an API key or an OAuth client's secret in place of the signing secret", "use the signingSecret that creating the endpoint returned", "sk_… in the variable of the signing secret"),
  "secret.other_endpoint": describeCause("secret_store", "the secret of another endpoint", "compare secretPrefix in the list of endpoints, and use the secret of this endpoint", "two endpoints, one secret stored"),
  "secret.other_environment": describeCause("secret_store", "the secret of the other environment", "use the secret of the endpoint in the sending environment", "sandbox secret in production"),
  "secret.older": describeCause("secret_store", "an older secret", "deploy the current secret; during a rotation, verify with both", "an instance was not restarted"),
  "secret.another": describeCause("secret_store", "another secret, which was not given here", COMPARE_SECRETS, "the endpoint was created again"),
  "secret.empty": describeCause("secret_store", "an empty key", "set the secret, and refuse to start without it: anyone can sign with an empty key", "the variable is not set"),
  "timestamp.reformatted": describeCause("log", "the timestamp is in another form than the one that was signed", TIMESTAMP_FIX, "2026-11-20T09:14:03Z in place of 1795166043"),
  "timestamp.changed": describeCause("between", "the timestamp header was changed, or is another attempt's", "refuse it: a new time makes an old delivery look new. If your own proxy or copy did it, keep headers and body of one attempt together, and do not set the timestamp", "a proxy sets the time again", TIMESTAMP_FIX),
  "timestamp.header_name": describeCause("between", "the timestamp is in a header of another name", HEADER_NAME_FIX, "X_Service_Timestamp", "read X-Service-Timestamp, and sign its exact value"),
  "timestamp.missing": describeCause("between", "the timestamp header is missing, or no timestamp was signed", "send X-Service-Timestamp, let proxies forward it, and reject a delivery without it", "a proxy forwards only known headers", TIMESTAMP_FIX),
  "timestamp.doubled": describeCause("between", "the timestamp header is given more than once", SINGLE_HEADER_FIX, "a proxy adds it again", TIMESTAMP_FIX),
  "base.different": describeCause("sender", "another text than <timestamp>.<body> was signed", "sign the timestamp, a full stop, then the raw body: <timestamp>.<body>", "the body alone, as GitHub signs it", "compute the signature of the timestamp, a full stop, then the raw body: <timestamp>.<body>"),
  "base.unknown": describeCause("secret_store", "the receiver has another secret, or it hashes a text that it makes itself", "compare the first 12 characters of its secret with secretPrefix in the list of endpoints, or give --candidate; if it is right, hash the bytes as they arrived, not a model of them", "the secret of another endpoint; the JSON of a model"),
  "base.reserialized": describeCause("between", "the body was printed again before it was sent, by the sender or by a proxy", "print the body once, sign those bytes and send them; look for a proxy that parses the body", "sign(JSON.stringify(x)), then send(x)", RAW_BODY_FIX),
  "signature.algorithm": describeCause("sender", "another computation than HMAC-SHA256", "compute HMAC-SHA256 with the secret as the key and the base string as the message", "SHA-1, a hash without a key, key and message swapped"),
  "signature.encoding": describeCause("sender", "the signature is in another notation than lowercase hex", "send the header as 64 lowercase hex digits and nothing else", "base64, sha256=…, uppercase", "print the digest as 64 lowercase hex digits before you compare it"),
  "signature.reused": describeCause("sender", "the signature is that of another body, such as of the attempt before", "refuse it: so an old delivery is made to look new. If the sender makes its retries so, it must sign each attempt with its own timestamp and its own bytes, or send the same bytes again", "a retry with attempt: 2 in its body"),
  "signature.copied": describeCause("log", "the signature was changed when it was logged or copied", "log and copy the header exactly: 64 lowercase hex digits and nothing else", "quotes around it, its end cut off", "compare all 64 lowercase hex digits, and nothing else"),
  "signature.masked": describeCause("log", "the log shows something in place of the signature", "log X-Service-Signature: it is no secret, and without it nothing can be verified", "[FILTERED], ****"),
  "headers.missing": describeCause("between", "the headers with signature and timestamp did not arrive", "let every proxy, gateway and queue before the receiver pass on X-Service-Event, X-Service-Timestamp and X-Service-Signature", "a gateway forwards only known headers"),
  "signature.header_name": describeCause("between", "the signature is in a header of another name", HEADER_NAME_FIX, "X-Hub-Signature-256"),
  "signature.missing": describeCause("between", "the signature header is missing", "send X-Service-Signature, let proxies forward it, and reject a delivery without it", "a proxy forwards only known headers"),
  "signature.doubled": describeCause("between", "the signature header is given more than once", SINGLE_HEADER_FIX, "a proxy adds it again"),
} as const satisfies Record<string, CauseText>;

export type CauseId = keyof typeof CAUSES;

export interface Cause {
  readonly id: CauseId;
  readonly title: string;
  /** Proved: the signature matches when the fault is undone. Likely: there is evidence, and the input cannot show more. */
  readonly certainty: "proved" | "likely";
  /** One line or more, with a hexdump of the first difference if the bodies differ. Never a secret. */
  readonly evidence: string;
  /** Who must act. */
  readonly actor: Actor;
  readonly fix: string;
}

/** `body.reserialized (proved)` */
export const labelCause = ({ certainty, id }: Pick<Cause, "certainty" | "id">): string =>
  `${id} (${certainty})`;

/** Whether one of the causes explains the signature. */
export const isProved = ({ causes }: { readonly causes: readonly Cause[] }): boolean =>
  causes.some(({ certainty }) => certainty === "proved");

/** What a sender has to change that caused what otherwise a log causes. */
const SENDER_FIXES: Readonly<Partial<Record<CauseId, string>>> = {
  "secret.transformed": WHOLE_SECRET_FIX,
  "timestamp.reformatted": "send the timestamp in X-Service-Timestamp exactly as it was signed, in one unit",
  "body.line_endings": "send the bytes of the file: curl --data-binary @FILE, as -d @FILE removes line ends",
};

/** Adds to the first line of evidence. The note may have a `$`, as headers and URLs do. */
export const addToEvidence = (evidence: string, note: string): string =>
  evidence.replace(/\n|$/, (end) => note + end);

/** @param actor who must act, if it is not who mostly must */
export function createCause(
  id: CauseId,
  certainty: Cause["certainty"],
  evidence: string,
  actor: Actor = CAUSES[id].actor,
): Cause {
  const { title, actor: usual, fix, receiverFix } = CAUSES[id];
  const fixes: Readonly<Record<Actor, string>> = {
    receiver: receiverFix,
    between: BETWEEN_FIX,
    log: COPY_FIX,
    secret_store: fix,
    sender: SENDER_FIXES[id] ?? (usual === "receiver" ? SIGN_SENT_FIX : fix),
  };
  const isOfReceiver = id === "timestamp.changed" && actor === "receiver";
  return {
    id,
    title: isOfReceiver ? "the receiver signed with another time than that of the timestamp header" : title,
    certainty,
    evidence,
    actor,
    fix: actor === usual ? fix : fixes[actor],
  };
}

/** The cause as something that the receiver did. Who stores its secret is the same, whoever found the cause. */
export const blameReceiver = (cause: Cause): Cause =>
  cause.actor === "secret_store" ? cause : createCause(cause.id, cause.certainty, cause.evidence, "receiver");
