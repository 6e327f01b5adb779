import { Buffer } from "../buffer.ts";
import { fingerprint } from "../fingerprint.ts";
import type { CauseId } from "./causes.ts";
import { isBase64, isHex } from "./encodings.ts";
import { memoize, type Variant, type VariantsByFaultCount, withoutFaults } from "./variant.ts";
import { COST, type WorkBudget } from "./work-budget.ts";

/** A secret that may have been used in place of the right one. */
export interface CandidateSecret {
  readonly kind: "api_key" | "client_secret" | "other_endpoint" | "other_environment" | "older";
  readonly secret: string;
}

/** What a key is made of: a string is its UTF-8. */
export type HmacKey = string | Uint8Array;

const PREFIX = "whsec_";

interface SecretFault {
  readonly id: CauseId;
  readonly description: string;
  readonly cost: number;
  /** The key as it was used; null where the fault cannot be there. */
  readonly undo: (secret: string) => HmacKey | null;
}

const stripPrefix = (secret: string): string =>
  secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;

const decodeBase64 = (text: string): Uint8Array | null =>
  text.length >= 4 && isBase64(text) ? Buffer.from(text, "base64") : null;

const decodeHex = (text: string): Uint8Array | null => (isHex(text) ? Buffer.from(text, "hex") : null);

const QUOTES = ['"', "'", "`"];

const stripQuotes = (text: string): string | null =>
  text.length >= 2 && text.at(0) === text.at(-1) && QUOTES.includes(text.charAt(0))
    ? text.slice(1, -1)
    : null;

const SECRET_FAULTS: readonly SecretFault[] = [
  {
    id: "secret.whitespace",
    description: "without the white space around it",
    cost: 1,
    undo: (secret) => secret.trim(),
  },
  {
    id: "secret.quotes",
    description: "without the quotes around it",
    cost: 1,
    undo: stripQuotes,
  },
  {
    id: "secret.prefix_dropped",
    description: `with ${PREFIX} before it`,
    cost: 1,
    undo: (secret) => (secret.startsWith(PREFIX) ? null : PREFIX + secret),
  },
  {
    id: "secret.prefix_dropped",
    description: `without ${PREFIX}`,
    cost: 1,
    undo: (secret) => stripPrefix(secret),
  },
  {
    id: "secret.base64_decoded",
    description: `decoded from base64 after ${PREFIX}`,
    cost: 1,
    undo: (secret) => decodeBase64(stripPrefix(secret)),
  },
  { id: "secret.base64_decoded", description: "decoded from base64 as a whole", cost: 2, undo: decodeBase64 },
  {
    id: "secret.hex_decoded",
    description: "decoded from hex",
    cost: 2,
    undo: (secret) => decodeHex(stripPrefix(secret)),
  },
  { id: "secret.whitespace", description: "with LF after it", cost: 2, undo: (secret) => `${secret}\n` },
  { id: "secret.whitespace", description: "with CRLF after it", cost: 3, undo: (secret) => `${secret}\r\n` },
];

/** A fault that leaves text can be followed by another: quotes inside white space, a prefix behind quotes. */
const isTextVariant = (variant: Variant<HmacKey>): variant is Variant<string> =>
  typeof variant.value === "string";

/** The keys as they were given, and with one fault undone, and with two; each key once. */
export function secretVariants(
  secrets: readonly string[],
  suspects: readonly CandidateSecret[],
  work: WorkBudget,
): VariantsByFaultCount<HmacKey> {
  const seen = new Set<string>();
  const isNew = ({ value }: Variant<HmacKey>): boolean => {
    if (!work.trySpend(COST.secret + value.length * COST.byteRead)) return false;
    const text = Buffer.from(value as string).toString("base64");
    return !seen.has(text) && Boolean(seen.add(text));
  };
  // With an empty key anybody can sign: that fits as a fault or not at all.
  const given = secrets.flatMap((secret, index) =>
    secret === "" ? [] : [{ ...withoutFaults<HmacKey>(secret), name: `secret ${index + 1}` }],
  );
  const undoFaults = (variant: Variant<HmacKey>, name: string): Variant<HmacKey>[] =>
    isTextVariant(variant)
      ? SECRET_FAULTS.flatMap(({ undo, description: how, id, cost }) => {
          const value = undo(variant.value);
          if (value === null || variant.faults.some((step) => step.id === id)) return [];
          return [{ value, faults: [...variant.faults, { id, cost, description: `${name} ${how}` }] }].filter(
            isNew,
          );
        })
      : [];
  const withoutFault = given.filter(isNew);
  const withOneFault = memoize(() => [
    ...suspects.map(toVariant).filter(isNew),
    ...given.flatMap((variant) => undoFaults(variant, variant.name)),
    ...[EMPTY_KEY].filter(isNew),
  ]);
  const withTwoFaults = memoize(() => withOneFault().flatMap((variant) => undoFaults(variant, "the same")));
  return [() => withoutFault, withOneFault, withTwoFaults];
}

const EMPTY_KEY: Variant<HmacKey> = {
  value: "",
  faults: [{ id: "secret.empty", description: "an empty key", cost: 2 }],
};

const toVariant = ({ kind: as, secret }: CandidateSecret): Variant<HmacKey> => ({
  value: secret,
  faults: [
    {
      id: `secret.${as}`,
      description: `the suspected secret with the fingerprint ${fingerprint(secret)}`,
      cost: 1,
    },
  ],
});
