import { isRecord, parseJsonText } from "../../json.ts";
import { Buffer } from "../buffer.ts";
import { fingerprint } from "../fingerprint.ts";
import type { Bytes } from "../hmac.ts";
import type { VerifyResult } from "../signature.ts";
import { encodeEntities } from "./body-encodings.ts";
import type { CauseId } from "./causes.ts";
import { decodeBase64, decodeHex, decodePercent } from "./encodings.ts";
import { memoize, type Variant, type Variants, withFault, withoutFaults } from "./variants.ts";
import { COST, type WorkBudget } from "./work-budget.ts";

/** The beginning of the sandbox's secrets. The interface shows none. */
const SECRET_PREFIX = "whsec_";

/** Unlike `trim`, which takes a byte order mark and a no-break space for white space. Looks at a run from its first character alone. */
export const trimAscii = (text: string): string =>
  text.replace(/^[ \t\r\n\f\v]+|(?<![ \t\r\n\f\v])[ \t\r\n\f\v]+$/g, "");

const stripQuotes = (text: string): string | null => /^(["'`])(.*)\1$/s.exec(text)?.[2] ?? null;

/** Controls, formatting characters such as a byte order mark, and the spaces beyond ASCII. */
const INVISIBLE = /[\p{Cf}\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]|(?![\t\n\v\f\r])\p{Cc}/gu;

export const removeInvisible = (text: string): string => text.replace(INVISIBLE, "");

/** The value of `NAME=value` or `name: value`, without its quotes; null for other text. */
function readAssignedValue(secret: string): string | null {
  const line = /^(?!whsec_)(?:export[ \t]+)?[A-Za-z_][\w.-]*[ \t]*[=:][ \t]*([^\r\n]+)$/.exec(
    trimAscii(secret),
  );
  const value = line?.[1] ?? "";
  return /^=*$/.test(value) ? null : (stripQuotes(value) ?? value);
}

/** The secret in a JSON object, such as the response of the create route. */
function readJsonValue(secret: string): string | null {
  const values = parseJsonText(secret);
  const [, found] =
    Object.entries(isRecord(values) ? values : {}).find(([name]) => /secret$/i.test(name)) ?? [];
  return typeof found === "string" ? found : null;
}

/** The secret that is encoded once or twice, as Kubernetes shows it; null if it is none. */
function decodeBase64Secret(secret: string, times = 2): string | null {
  const decoded = decodeBase64(trimAscii(secret))?.toString() ?? "";
  if (decoded.startsWith(SECRET_PREFIX)) return decoded;
  return times > 1 ? decodeBase64Secret(decoded, times - 1) : null;
}

/** The secret that is written as hex, as xxd -p prints it; null if it is none. */
function decodeHexSecret(secret: string): string | null {
  const decoded = decodeHex(trimAscii(secret))?.toString() ?? "";
  return decoded.startsWith(SECRET_PREFIX) ? decoded : null;
}

/** The secrets in a line, a file or a sentence, by their prefix: of an export, the right one can be any of them. */
const listTokens = (text: string): readonly string[] =>
  removeInvisible(text)
    .match(/whsec_(?!whsec_)[\w+/-]+={0,2}/g)
    ?.slice(0, MAX_TOKENS) ?? [];

const MAX_TOKENS = 16;

/** A variable or template that was not replaced, or the path of a file that was not read. */
export const isPlaceholder = (secret: string): boolean =>
  /^(?:\$\{[^}]*\}|\$[A-Z_]\w*|%\w+%|\{\{[^}]*\}\}|<(?!whsec_)[^>]*>|(?:file:|~?\/|\.{1,2}\/|[A-Z]:\\)[\w./\\-]+)$/.test(
    trimAscii(secret),
  );

/** Characters of a secretPrefix: a whole secret is longer, and a shorter one identifies nothing (interface §2). */
const PREFIX_LENGTHS = { min: 10, max: 16 } as const;

/** What a page or a log shows in place of a secret. A random one may have some x in a row. */
export const isMasked = (secret: string): boolean =>
  /[*\u2022\u25cf\u00b7#]{4}|x{6}|X{6}|\u2026|\.{3}/.test(secret) ||
  /redacted|filtered|masked|hidden/i.test(secret);

/** At the start or end of a word: a random secret may spell a short word in its middle. */
const EXAMPLE_WORD =
  /(?:^|[-_])(?:test|example|changeme|dummy|your[-_]|placeholder)|(?:test|example|dummy|placeholder|secret[-_]?key)(?:$|[-_])/i;

/** As tests and manuals have: no service makes so short a secret, or one of words. */
export function isTestSecret(secret: string): boolean {
  if (secret === "") return false;
  if (secret.length < (/^(?:whsec|sk|cs)_/.test(secret) ? PREFIX_LENGTHS.min : 20)) return true;
  const words = secret.replace(/^whsec_/, "");
  return /^[\w-]+$/.test(words) && EXAMPLE_WORD.test(words);
}

/** The beginning of a secret, alone or before what a page shows in place of the rest; null for a whole secret. */
export function readPrefixOnly(secret: string): string | null {
  const [beginning = ""] = secret.split(/[*\u2022.]{3}|\u2026/, 1);
  const isWhole = beginning.length === secret.length;
  const isShort = secret.length >= PREFIX_LENGTHS.min && secret.length <= PREFIX_LENGTHS.max;
  return beginning.startsWith(SECRET_PREFIX) && (!isWhole || isShort) ? beginning : null;
}

/** A secret that the signer may have used in place of the right one. */
export interface CandidateSecret {
  readonly kind: "api_key" | "client_secret" | "other_endpoint" | "other_environment" | "older";
  readonly secret: string;
}

const stripPrefix = (secret: string): string =>
  secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;

/** `undo` returns the key that was used, several that may have been, or null where the fault is impossible. */
type SecretFault = readonly [
  id: CauseId,
  description: string,
  undo: (secret: string) => Bytes | readonly Bytes[] | null,
];

/** What is with a secret that was given, or is missing from it. */
// biome-ignore format: a table, one row a line
const GIVEN_FAULTS: readonly SecretFault[] = [
  ["secret.whitespace", "without the white space in it", (secret) => secret.replace(/[ \t\r\n\f\v]+/g, "")],
  ["secret.altered", "without the quotes around it", stripQuotes],
  ["secret.altered", "without its invisible characters", removeInvisible],
  ["secret.altered", `with ${SECRET_PREFIX} in lowercase`, (secret) => secret.replace(/^whsec_/i, SECRET_PREFIX)],
  ["secret.prefix_dropped", `with ${SECRET_PREFIX} before it`, (secret) => (secret.startsWith(SECRET_PREFIX) ? null : SECRET_PREFIX + secret)],
  ["secret.prefix_dropped", `without ${SECRET_PREFIX}`, stripPrefix],
  ["secret.base64_encoded", "decoded from base64", (secret) => decodeBase64Secret(secret)],
  ["secret.altered", "decoded from hex, as xxd -p prints it", decodeHexSecret],
  ["secret.transformed", `decoded from base64 after ${SECRET_PREFIX}`, (key) => decodeBase64(stripPrefix(key))],
  ["secret.altered", "without what stands around it", listTokens],
  ["secret.altered", "as the value of its line", readAssignedValue],
  ["secret.altered", "as the value in its JSON", readJsonValue],
  ["secret.altered", "decoded from percent encoding", decodePercent],
  ["secret.transformed", "decoded from base64 as a whole", decodeBase64],
  ["secret.transformed", "decoded from hex", (secret) => decodeHex(stripPrefix(secret))],
];

/** A variable that a shell, or an interpreter of .env files, reads in a text, and that is not set. */
const VARIABLE = /\$(?:\{\w+\}|[A-Za-z_]\w*|\d)/g;

/** What the place that keeps the secret made of it, where the given one is right. */
// biome-ignore format: a table, one row a line
const STORED_FAULTS: readonly SecretFault[] = [
  ["secret.whitespace", "with LF after it", (secret) => `${secret}\n`],
  ["secret.whitespace", "with CR after it", (secret) => `${secret}\r`],
  ["secret.whitespace", "with CRLF after it", (secret) => `${secret}\r\n`],
  ["secret.whitespace", "with a space after it", (secret) => `${secret} `],
  ["secret.whitespace", "with a space before it", (secret) => ` ${secret}`],
  ["secret.whitespace", "with a no-break space after it", (secret) => `${secret}\u00a0`],
  ["secret.altered", "with a byte order mark before it", (secret) => `\ufeff${secret}`],
  ["secret.altered", "with a backslash and n after it, in place of a line end", (secret) => `${secret}\\n`],
  ["secret.altered", "in double quotes", (secret) => `"${secret}"`],
  ["secret.altered", "in single quotes", (secret) => `'${secret}'`],
  ["secret.altered", "with its characters escaped as in HTML, such as &amp;", encodeEntities],
  ["secret.altered", "without its $NAME, read as a variable that is not set", (secret) => secret.replace(VARIABLE, "")],
];

const listKeys = (undo: SecretFault[2], secret: string): readonly Bytes[] => [undo(secret) ?? []].flat();

const SECRET_FAULTS = [...GIVEN_FAULTS, ...STORED_FAULTS];

/** The texts that the secret may have been before one fault. */
export const undoSecretFaults = (secret: string): readonly string[] =>
  SECRET_FAULTS.flatMap(([, , undo]) => listKeys(undo, secret)).filter((each) => typeof each === "string");

/** What programs make of a variable that is not set. Bytes have no further fault. */
const UNSET_KEYS = ["undefined", "null", "None"].map((word) =>
  withFault<Bytes>(
    Buffer.from(word),
    "secret.placeholder",
    `the word ${word} as the key, as of a variable that is not set`,
  ),
);

/** The keys as given, with one fault undone and with two. */
export interface SecretVariants extends Variants<Bytes> {
  readonly two: () => readonly Variant<Bytes>[];
}

/** Each key occurs once. */
export function secretVariants(
  secrets: readonly string[],
  candidates: readonly CandidateSecret[],
  work: WorkBudget,
): SecretVariants {
  const seen = new Set<string>();
  const isNew = ({ value }: Variant<Bytes>): boolean => {
    if (!work.trySpend(COST.secret + value.length * COST.byteRead)) return false;
    const text = Buffer.from(value as string).toString("base64");
    return !seen.has(text) && Boolean(seen.add(text));
  };
  /** Text can have one more fault, such as quotes inside white space; decoded bytes cannot. */
  const undoFaults = ({ value: secret, faults }: Variant<Bytes>, name: string): Variant<Bytes>[] =>
    SECRET_FAULTS.flatMap(([id, how, undo]) => {
      if (typeof secret !== "string" || faults.some(({ description }) => description.endsWith(how)))
        return [];
      const all = [...faults, { id, description: `${name} ${how}` }];
      return listKeys(undo, secret).map((value) => ({ value, faults: all }));
    }).filter(isNew);
  // Anyone can sign with an empty key, so a match with it is always a fault.
  const given = secrets.flatMap((secret, index) =>
    secret === "" ? [] : [{ ...withoutFaults<Bytes>(secret), name: `secret ${index + 1}` }],
  );
  const none = given.filter(isNew);
  const one = [
    ...candidates.map(candidateVariant).filter(isNew),
    ...given.flatMap((variant) => undoFaults(variant, variant.name)),
    ...[withFault<Bytes>("", "secret.empty", "an empty key"), ...UNSET_KEYS].filter(isNew),
  ];
  return { none, one, two: memoize(() => one.flatMap((variant) => undoFaults(variant, "the same"))) };
}

const candidateVariant = ({ kind, secret }: CandidateSecret): Variant<Bytes> =>
  withFault<Bytes>(
    secret,
    kind === "api_key" || kind === "client_secret" ? "secret.wrong_credential" : `secret.${kind}`,
    `the candidate secret with the fingerprint ${fingerprint(secret)}`,
  );

/** What is odd about a delivery, but is not why its signature does not match. */
export const REMARKS = {
  "secret.shape": "a secret does not look like a signing secret",
  "secret.other_prefix": "the secret that signed is not the one of the endpoint with this secretPrefix",
} as const satisfies Record<string, string>;

export interface Remark {
  readonly id: keyof typeof REMARKS;
  readonly title: string;
  /** Never a secret. */
  readonly evidence: string;
}

/**
 * The interface shows no prefix of secrets: with a secret that verifies, none is missing.
 *
 * @param secretPrefix that the endpoint has, if known
 */
export function remarkOnSecrets(
  secrets: readonly string[],
  { secretIndex }: VerifyResult,
  secretPrefix: string | undefined,
): readonly Remark[] {
  const shapes = secrets.flatMap((secret, index) => {
    const changes = GIVEN_FAULTS.flatMap(([id, description, undo]) => {
      const isShape = id === "secret.whitespace" || id === "secret.altered";
      const isOther = (key: Bytes) => key !== secret && key.length <= secret.length;
      return isShape && listKeys(undo, secret).some(isOther) ? [description] : [];
    });
    const missing =
      secretIndex !== null || secret === "" || /whsec_/i.test(secret)
        ? []
        : [`with ${SECRET_PREFIX} before it`];
    const all = [...changes, ...missing].join(", ");
    return all === "" ? [] : [remark("secret.shape", `secret ${index + 1} is probably meant ${all}`)];
  });
  const signer = secretIndex === null ? undefined : secrets[secretIndex];
  const isOther = signer !== undefined && secretPrefix !== undefined && !signer.startsWith(secretPrefix);
  return isOther
    ? [...shapes, remark("secret.other_prefix", `it does not begin with ${secretPrefix}`)]
    : shapes;
}

const remark = (id: Remark["id"], evidence: string): Remark => ({ id, title: REMARKS[id], evidence });
