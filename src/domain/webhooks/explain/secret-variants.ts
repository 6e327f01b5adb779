import { createHash } from "node:crypto";
import { Buffer } from "../buffer.ts";
import { fingerprint } from "../fingerprint.ts";
import type { Bytes } from "../hmac.ts";
import type { CauseId } from "./causes.ts";
import { decodeBase64, decodeHex, decodePercent } from "./encodings.ts";
import {
  decodeBase64Secret,
  extractSecret,
  readAssignedValue,
  readJsonValue,
  removeInvisible,
  SECRET_PREFIX,
  splitLines,
  stripQuotes,
  trimAscii,
  trimPunctuation,
} from "./secret-shape.ts";
import {
  createVariant,
  memoize,
  type Variant,
  type VariantsByFaultCount,
  withFault,
  withoutFaults,
} from "./variants.ts";
import { COST, type WorkBudget } from "./work-budget.ts";

/** A secret that the signer may have used in place of the right one. */
export interface CandidateSecret {
  readonly kind: "api_key" | "client_secret" | "other_endpoint" | "other_environment" | "older";
  readonly secret: string;
}

const stripPrefix = (secret: string): string =>
  secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;

const takeHalf = (secret: string): string | null => {
  const text = trimAscii(secret);
  const half = text.slice(0, text.length / 2);
  return text !== "" && half + half === text ? half : null;
};

const sha256 = (secret: string) => createHash("sha256").update(secret);

/** `undo` returns the key that was used, or null where the fault is impossible. */
// biome-ignore format: a table, one row a line
const SECRET_FAULTS: readonly (readonly [
  id: CauseId, cost: number, description: string, undo: (secret: string) => Bytes | null])[] = [
  ["secret.altered", 1, `with ${SECRET_PREFIX} once`, (secret) => secret.replace(/^(?:whsec_){2,}/, SECRET_PREFIX)],
  ["secret.altered", 1, "once, which is there twice", takeHalf],
  ["secret.whitespace", 1, "without the white space around it", trimAscii],
  ["secret.whitespace", 1, "without the white space in it", (secret) => secret.replace(/[ \t\r\n\f\v]+/g, "")],
  ["secret.altered", 1, "without the quotes around it", stripQuotes],
  ["secret.altered", 1, "without its invisible characters", removeInvisible],
  ["secret.altered", 1, `with ${SECRET_PREFIX} in lowercase`, (secret) => secret.replace(/^whsec_/i, SECRET_PREFIX)],
  ["secret.prefix_dropped", 1, `with ${SECRET_PREFIX} before it`, (secret) => (secret.startsWith(SECRET_PREFIX) ? null : SECRET_PREFIX + secret)],
  ["secret.prefix_dropped", 1, `without ${SECRET_PREFIX}`, stripPrefix],
  ["secret.base64_encoded", 1, "decoded from base64", decodeBase64Secret],
  ["secret.transformed", 1, `decoded from base64 after ${SECRET_PREFIX}`, (key) => decodeBase64(stripPrefix(key))],
  ["secret.transformed", 2, "decoded from base64 as a whole", decodeBase64],
  ["secret.altered", 1, "without what stands around it", extractSecret],
  ["secret.altered", 2, "without punctuation at its ends", trimPunctuation],
  ["secret.altered", 2, "in the other alphabet of base64, with - and _", (secret) => secret.replaceAll("+", "-").replaceAll("/", "_")],
  ["secret.transformed", 2, "decoded from hex", (secret) => decodeHex(stripPrefix(secret))],
  ["secret.altered", 1, "without the comment after it", (secret) => secret.replace(/\s+#.*$/s, "")],
  ["secret.altered", 2, "with its hex digits in lower case", (secret) => secret.replace(/[0-9A-F]{16,}$/, (hex) => hex.toLowerCase())],
  ["secret.altered", 1, "as the value of its line", readAssignedValue],
  ["secret.altered", 1, "as the value in its JSON", readJsonValue],
  ["secret.altered", 1, "cut after its first line", (secret) => splitLines(secret)?.[0] ?? null],
  ["secret.altered", 1, "cut to its last line", (secret) => splitLines(secret)?.at(-1) ?? null],
  ["secret.altered", 1, "decoded from percent encoding", decodePercent],
  ["secret.altered", 2, "with plus signs in place of its spaces", (secret) => trimAscii(secret).replaceAll(" ", "+")],
  // Bytes have no further fault.
  ["secret.transformed", 3, "as hex", (secret) => Buffer.from(Buffer.from(secret).toString("hex"))],
  ["secret.transformed", 3, "as its SHA-256", (secret) => sha256(secret).digest()],
  ["secret.transformed", 3, "as its SHA-256 in hex", (secret) => Buffer.from(sha256(secret).digest("hex"))],
  ["secret.whitespace", 2, "with LF after it", (secret) => `${secret}\n`],
  ["secret.whitespace", 3, "with CRLF after it", (secret) => `${secret}\r\n`],
];

/** The texts that the secret may have been before one fault. */
export const undoSecretFaults = (secret: string): readonly string[] =>
  SECRET_FAULTS.map(([, , , undo]) => undo(secret)).filter((each) => typeof each === "string");

/** The keys as given, with one fault undone and with two. Each key occurs once. */
export function secretVariants(
  secrets: readonly string[],
  candidates: readonly CandidateSecret[],
  work: WorkBudget,
): VariantsByFaultCount<Bytes> {
  const seen = new Set<string>();
  const isNew = ({ value }: Variant<Bytes>): boolean => {
    if (!work.trySpend(COST.secret + value.length * COST.byteRead)) return false;
    const text = Buffer.from(value as string).toString("base64");
    return !seen.has(text) && Boolean(seen.add(text));
  };
  /** Text can have one more fault, such as quotes inside white space; decoded bytes cannot. */
  const undoFaults = ({ value: secret, faults }: Variant<Bytes>, name: string): Variant<Bytes>[] =>
    SECRET_FAULTS.flatMap(([id, cost, how, undo]) => {
      const value = typeof secret === "string" ? undo(secret) : null;
      if (value === null || faults.some(({ description }) => description.endsWith(how))) return [];
      const variant = createVariant(value, [...faults, { id, cost, description: `${name} ${how}` }]);
      return isNew(variant) ? [variant] : [];
    });
  // Anyone can sign with an empty key, so a match with it is always a fault.
  const given = secrets.flatMap((secret, index) =>
    secret === "" ? [] : [{ ...withoutFaults<Bytes>(secret), name: `secret ${index + 1}` }],
  );
  const none = given.filter(isNew);
  const one = memoize(() => [
    ...candidates.map(candidateVariant).filter(isNew),
    ...given.flatMap((variant) => undoFaults(variant, variant.name)),
    ...[withFault<Bytes>("", "secret.empty", 2, "an empty key")].filter(isNew),
  ]);
  const two = memoize(() => one().flatMap((variant) => undoFaults(variant, "the same")));
  return [() => none, one, two];
}

const SECRET_CHARACTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"];

const MISREAD = ["0Oo", "1lI", "5S", "8B", "2Z"];

/** The texts with one character in place of a similar one, as somebody reads them from a screen. */
const listMisread = (text: string): string[] =>
  [...text.slice(0, 100)].flatMap((character, at) =>
    [...(MISREAD.find((group) => group.includes(character)) ?? "")]
      .filter((other) => other !== character)
      .map((other) => text.slice(0, at) + other + text.slice(at + 1)),
  );

/** What programs make of a variable that is not set. */
const UNSET = ["None", "undefined", "null", "nil", "(null)", "[object Object]", "false"];

/** Keys to try with no other fault, because they are many: a character lost or added at an end, or none of the secret. */
export function rareSecrets(secrets: readonly string[]): readonly Variant<Bytes>[] {
  const ofGiven = secrets.map(trimAscii).flatMap((text, index) => {
    const changes: readonly (readonly [value: string, how: string])[] = [
      [text.slice(1), "without its first character"],
      [text.slice(0, -1), "without its last character"],
      [`"${text}"`, "in double quotes"],
      [`'${text}'`, "in single quotes"],
      [`${text}\r`, "with CR after it"],
      ...listMisread(text).map(
        (each) => [each, "with a letter and a digit that look alike exchanged"] as const,
      ),
      ...SECRET_CHARACTERS.flatMap(
        (each) =>
          [
            [text + each, "with the character that is missing at its end"],
            [each + text, "with the character that is missing before it"],
          ] as const,
      ),
    ];
    return (text === "" ? [] : changes).map(([value, how]) =>
      withFault<Bytes>(value, "secret.altered", 4, `secret ${index + 1} ${how}`),
    );
  });
  const unset = UNSET.map((word) => {
    const description = `the word ${word} as the key, as of a variable that is not set`;
    return withFault<Bytes>(word, "secret.placeholder", 4, description);
  });
  return [...ofGiven, ...unset];
}

const candidateVariant = ({ kind, secret }: CandidateSecret): Variant<Bytes> =>
  withFault<Bytes>(
    secret,
    kind === "api_key" || kind === "client_secret" ? "secret.wrong_credential" : `secret.${kind}`,
    1,
    `the candidate secret with the fingerprint ${fingerprint(secret)}`,
  );
