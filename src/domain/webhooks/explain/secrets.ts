import { Buffer } from "../buffer.ts";
import { fingerprint } from "../fingerprint.ts";
import type { CauseId } from "./causes.ts";
import { isBase64, isHex } from "./encodings.ts";
import { asGiven, type Depths, memoize, type Variant } from "./variant.ts";
import { COST, type Work } from "./work.ts";

/** A secret that may have been used in place of the right one. */
export interface Suspect {
  readonly as: "api_key" | "client_secret" | "other_endpoint" | "other_environment" | "older";
  readonly secret: string;
}

/** What a key is made of: a string is its UTF-8. */
export type Key = string | Uint8Array;

const PREFIX = "whsec_";

interface SecretRow {
  readonly id: CauseId;
  readonly undone: string;
  readonly cost: number;
  /** The key as it was used; null where the fault cannot be there. */
  readonly undo: (secret: string) => Key | null;
}

const bare = (secret: string): string => (secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);

const fromBase64 = (text: string): Uint8Array | null =>
  text.length >= 4 && isBase64(text) ? Buffer.from(text, "base64") : null;

const fromHex = (text: string): Uint8Array | null => (isHex(text) ? Buffer.from(text, "hex") : null);

const QUOTES = ['"', "'", "`"];

const withoutQuotes = (text: string): string | null =>
  text.length >= 2 && text.at(0) === text.at(-1) && QUOTES.includes(text.charAt(0))
    ? text.slice(1, -1)
    : null;

const ROWS: readonly SecretRow[] = [
  {
    id: "secret.whitespace",
    undone: "without the white space around it",
    cost: 1,
    undo: (secret) => secret.trim(),
  },
  {
    id: "secret.quotes",
    undone: "without the quotes around it",
    cost: 1,
    undo: withoutQuotes,
  },
  {
    id: "secret.prefix_dropped",
    undone: `with ${PREFIX} before it`,
    cost: 1,
    undo: (secret) => (secret.startsWith(PREFIX) ? null : PREFIX + secret),
  },
  { id: "secret.prefix_dropped", undone: `without ${PREFIX}`, cost: 1, undo: (secret) => bare(secret) },
  {
    id: "secret.base64_decoded",
    undone: `decoded from base64 after ${PREFIX}`,
    cost: 1,
    undo: (secret) => fromBase64(bare(secret)),
  },
  { id: "secret.base64_decoded", undone: "decoded from base64 as a whole", cost: 2, undo: fromBase64 },
  { id: "secret.hex_decoded", undone: "decoded from hex", cost: 2, undo: (secret) => fromHex(bare(secret)) },
  { id: "secret.whitespace", undone: "with LF after it", cost: 2, undo: (secret) => `${secret}\n` },
  { id: "secret.whitespace", undone: "with CRLF after it", cost: 3, undo: (secret) => `${secret}\r\n` },
];

/** A fault that leaves text can be followed by another: quotes inside white space, a prefix behind quotes. */
const isText = (variant: Variant<Key>): variant is Variant<string> => typeof variant.value === "string";

/** The keys as they were given, and with one fault undone, and with two; each key once. */
export function secretVariants(
  secrets: readonly string[],
  suspects: readonly Suspect[],
  work: Work,
): Depths<Key> {
  const seen = new Set<string>();
  const isNew = ({ value }: Variant<Key>): boolean => {
    if (!work.spend(COST.secret + value.length * COST.byteRead)) return false;
    const text = Buffer.from(value as string).toString("base64");
    return !seen.has(text) && Boolean(seen.add(text));
  };
  // With an empty key anybody can sign: that fits as a fault or not at all.
  const given = secrets.flatMap((secret, index) =>
    secret === "" ? [] : [{ ...asGiven<Key>(secret), name: `secret ${index + 1}` }],
  );
  const undone = (variant: Variant<Key>, name: string): Variant<Key>[] =>
    isText(variant)
      ? ROWS.flatMap(({ undo, undone: how, id, cost }) => {
          const value = undo(variant.value);
          if (value === null || variant.steps.some((step) => step.id === id)) return [];
          return [{ value, steps: [...variant.steps, { id, cost, undone: `${name} ${how}` }] }].filter(isNew);
        })
      : [];
  const zero = given.filter(isNew);
  const one = memoize(() => [
    ...suspects.map(suspected).filter(isNew),
    ...given.flatMap((variant) => undone(variant, variant.name)),
    ...[EMPTY].filter(isNew),
  ]);
  const two = memoize(() => one().flatMap((variant) => undone(variant, "the same")));
  return [() => zero, one, two];
}

const EMPTY: Variant<Key> = {
  value: "",
  steps: [{ id: "secret.empty", undone: "an empty key", cost: 2 }],
};

const suspected = ({ as, secret }: Suspect): Variant<Key> => ({
  value: secret,
  steps: [
    {
      id: `secret.${as}`,
      undone: `the suspected secret with the fingerprint ${fingerprint(secret)}`,
      cost: 1,
    },
  ],
});
