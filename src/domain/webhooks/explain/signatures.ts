import { Buffer } from "../buffer.ts";
import type { CauseId } from "./causes.ts";
import { isBase64 } from "./encodings.ts";
import type { Step } from "./variant.ts";
import type { Work } from "./work.ts";

/** A signature as it can be read: the digest, or its beginning, and the faults that reading it undoes. */
export interface Reading {
  readonly digest: Buffer;
  readonly algorithm: "sha1" | "sha256" | "sha512";
  readonly steps: readonly Step[];
}

const HEX_DIGITS = { sha1: 40, sha256: 64, sha512: 128 } as const;
const ALGORITHMS = ["sha256", "sha1", "sha512"] as const;

/** Fewer bytes of a digest could fit by accident among thousands of hypotheses. */
const SHORTEST_PROOF = 8;

const step = (id: CauseId, undone: string): Step => ({ id, undone, cost: 1 });

/** Signatures that are looked at: two are sent while one secret replaces another. */
const MAX_SIGNATURES = 16;

/** Every way to read the signature header; none where it is no digest of any kind. */
export function signatureReadings(values: readonly string[], work: Work): readonly Reading[] {
  const all = values.flatMap((value) => (value.includes(", ") ? value.split(/,\s*/) : [value]));
  const doubled = all.length > 1 ? [step("signature.doubled", "one of the signature headers")] : [];
  if (all.length > MAX_SIGNATURES) work.leaveOut();
  return all.slice(0, MAX_SIGNATURES).flatMap((value) => readingsOf(value, doubled));
}

function readingsOf(value: string, before: readonly Step[]): Reading[] {
  const steps = [...before];
  let text = value;
  const peel = (rest: string, fault: Step) => {
    if (rest !== text) steps.push(fault);
    text = rest;
  };
  peel(withoutQuotes(text), step("signature.whitespace", "the signature without what is around it"));
  peel(
    text.replace(/^(?:hmac-)?(?:sha-?(?:1|256|512)|v\d)[=:,]\s*/i, ""),
    step("signature.prefix", "the signature without its prefix"),
  );
  return [...hexReadings(text, steps), ...base64Readings(text, steps)];
}

/** From both ends: a pattern for the end would start again at each white space and each quote before it. */
function withoutQuotes(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && /[\s"']/.test(text.charAt(start))) start += 1;
  while (end > start && /[\s"']/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function hexReadings(text: string, steps: readonly Step[]): Reading[] {
  if (!/^[0-9a-f]+$/i.test(text)) return [];
  const spelled = /[A-F]/.test(text)
    ? [...steps, step("signature.uppercase", "the signature in small letters")]
    : steps;
  const digest = Buffer.from(text.slice(0, text.length - (text.length % 2)), "hex");
  const whole = ALGORITHMS.filter((name) => HEX_DIGITS[name] === text.length).map((algorithm) => ({
    digest,
    algorithm,
    steps: [...spelled, ...otherAlgorithm(algorithm)],
  }));
  if (text.length >= HEX_DIGITS.sha256 || digest.length < SHORTEST_PROOF) return whole;
  const cut = step("signature.truncated", `the first ${text.length} of 64 digits`);
  return [...whole, { digest, algorithm: "sha256", steps: [...spelled, cut] }];
}

function base64Readings(text: string, steps: readonly Step[]): Reading[] {
  if (!isBase64(text)) return [];
  const digest = Buffer.from(text, "base64");
  return ALGORITHMS.filter((name) => HEX_DIGITS[name] / 2 === digest.length).map((algorithm) => ({
    digest,
    algorithm,
    steps: [
      ...steps,
      step("signature.base64", "the signature decoded from base64"),
      ...otherAlgorithm(algorithm),
    ],
  }));
}

function otherAlgorithm(algorithm: Reading["algorithm"]): Step[] {
  if (algorithm === "sha256") return [];
  return [step(`signature.${algorithm}`, `HMAC-${algorithm.toUpperCase()}`)];
}
