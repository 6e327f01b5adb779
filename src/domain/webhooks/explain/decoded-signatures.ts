import { Buffer } from "../buffer.ts";
import type { CauseId } from "./causes.ts";
import { isBase64 } from "./encodings.ts";
import type { UndoneFault } from "./variant.ts";
import type { WorkBudget } from "./work-budget.ts";

/** A signature as it can be read: the digest, or its beginning, and the faults that reading it undoes. */
export interface DecodedSignature {
  readonly digest: Buffer;
  readonly algorithm: "sha1" | "sha256" | "sha512";
  readonly faults: readonly UndoneFault[];
}

const HEX_DIGITS = { sha1: 40, sha256: 64, sha512: 128 } as const;
const ALGORITHMS = ["sha256", "sha1", "sha512"] as const;

/** Fewer bytes of a digest could fit by accident among thousands of hypotheses. */
const MIN_DIGEST_BYTES = 8;

const createFault = (id: CauseId, undone: string): UndoneFault => ({ id, description: undone, cost: 1 });

/** Signatures that are looked at: two are sent while one secret replaces another. */
const MAX_SIGNATURES = 16;

/** Every way to read the signature header; none where it is no digest of any kind. */
export function decodeSignatures(values: readonly string[], work: WorkBudget): readonly DecodedSignature[] {
  const all = values.flatMap((value) => (value.includes(", ") ? value.split(/,\s*/) : [value]));
  const doubled = all.length > 1 ? [createFault("signature.doubled", "one of the signature headers")] : [];
  if (all.length > MAX_SIGNATURES) work.markIncomplete();
  return all.slice(0, MAX_SIGNATURES).flatMap((value) => decodeSignature(value, doubled));
}

function decodeSignature(value: string, before: readonly UndoneFault[]): DecodedSignature[] {
  const steps = [...before];
  let text = value;
  const peel = (rest: string, fault: UndoneFault) => {
    if (rest !== text) steps.push(fault);
    text = rest;
  };
  peel(stripQuotes(text), createFault("signature.whitespace", "the signature without what is around it"));
  peel(
    text.replace(/^(?:hmac-)?(?:sha-?(?:1|256|512)|v\d)[=:,]\s*/i, ""),
    createFault("signature.prefix", "the signature without its prefix"),
  );
  return [...decodeHex(text, steps), ...decodeBase64(text, steps)];
}

/** From both ends: a pattern for the end would start again at each white space and each quote before it. */
function stripQuotes(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && /[\s"']/.test(text.charAt(start))) start += 1;
  while (end > start && /[\s"']/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function decodeHex(text: string, steps: readonly UndoneFault[]): DecodedSignature[] {
  if (!/^[0-9a-f]+$/i.test(text)) return [];
  const caseFaults = /[A-F]/.test(text)
    ? [...steps, createFault("signature.uppercase", "the signature in small letters")]
    : steps;
  const digest = Buffer.from(text.slice(0, text.length - (text.length % 2)), "hex");
  const whole = ALGORITHMS.filter((name) => HEX_DIGITS[name] === text.length).map((algorithm) => ({
    digest,
    algorithm,
    faults: [...caseFaults, ...algorithmFaults(algorithm)],
  }));
  if (text.length >= HEX_DIGITS.sha256 || digest.length < MIN_DIGEST_BYTES) return whole;
  const cut = createFault("signature.truncated", `the first ${text.length} of 64 digits`);
  return [...whole, { digest, algorithm: "sha256", faults: [...caseFaults, cut] }];
}

function decodeBase64(text: string, steps: readonly UndoneFault[]): DecodedSignature[] {
  if (!isBase64(text)) return [];
  const digest = Buffer.from(text, "base64");
  return ALGORITHMS.filter((name) => HEX_DIGITS[name] / 2 === digest.length).map((algorithm) => ({
    digest,
    algorithm,
    faults: [
      ...steps,
      createFault("signature.base64", "the signature decoded from base64"),
      ...algorithmFaults(algorithm),
    ],
  }));
}

function algorithmFaults(algorithm: DecodedSignature["algorithm"]): UndoneFault[] {
  if (algorithm === "sha256") return [];
  return [createFault(`signature.${algorithm}`, `HMAC-${algorithm.toUpperCase()}`)];
}
