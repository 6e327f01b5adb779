import { Buffer } from "node:buffer";
import { CONSTANT_TEXTS } from "../explain/constant-texts.ts";
import { hmacSha256 } from "../hmac.ts";
import { type SignInput, sign } from "../signature.ts";
import { buildDelivery, type ProbeDelivery, type ProbeInput, secondsBefore } from "./probe-case.ts";

/** A delivery for a receiver that refuses everything: if it accepts this one, that is why. */
export interface Trial {
  readonly id: string;
  readonly sends: string;
  /** The id of what is wrong with a receiver that accepts it. */
  readonly diagnosis: string;
  /** What the receiver does; continues a sentence that starts with "the receiver". */
  readonly title: string;
  readonly fix: string;
  readonly make: (input: ProbeInput) => ProbeDelivery;
}

const signedBy =
  (signature: (signed: SignInput) => string): Trial["make"] =>
  (input) =>
    buildDelivery(input, { signature });

const TEXT_FIX =
  "the program has no raw body where it verifies: find what reads the request before, keep the bytes there, and verify those";

const ofText = ([text, description]: (typeof CONSTANT_TEXTS)[number]): Trial => ({
  id: `text.${text.replace(/\W+/g, "_").replace(/^_|_$/g, "") || "empty"}`,
  sends: `signed for ${description}`,
  diagnosis: "hashes_fixed_text",
  fix: TEXT_FIX,
  title: `computes the signature of ${description}, whatever arrives`,
  make: signedBy((signed) => sign({ ...signed, body: text })),
});

const MINUTES = [10, 20, 30, 60, 120, 180];

const ofClock = (minutes: number): Trial => {
  const time = `${Math.abs(minutes) < 60 ? `${Math.abs(minutes)} min` : `${Math.abs(minutes) / 60} h`} ${minutes < 0 ? "ahead" : "ago"}`;
  return {
    id: `clock.${minutes}_min`,
    sends: `signed ${time}`,
    diagnosis: "clock_differs",
    title: `accepts only what is signed ${time}: its clock is off by that, or it reads the time in another zone`,
    fix: "set the clock of the receiver by NTP, and compare X-Service-Timestamp with the time in UTC",
    make: (input) => buildDelivery(input, { timestamp: secondsBefore(input, minutes * 60) }),
  };
};

const SECRET_FIX = "use the whole signingSecret as the key, exactly as it was shown (rule 2)";
const withoutPrefix = (secret: string): string => secret.replace(/^whsec_/, "");

const ofKey = (id: string, what: string, key: (secret: string) => string | Uint8Array): Trial => ({
  id: `secret.${id}`,
  sends: `signed with ${what}`,
  diagnosis: `secret_${id}`,
  fix: SECRET_FIX,
  title: `has ${what} as its key`,
  make: signedBy(({ secret, timestamp, body }) => hmacSha256(key(secret), [timestamp, ".", body])),
});

const HEADER_FIX = "compare with the whole header: 64 of the characters 0-9 and a-f, and nothing before them";

const ofHeader = (id: string, what: string, make: Trial["make"], fix = HEADER_FIX): Trial => ({
  id: `header.${id}`,
  sends: what,
  diagnosis: `expects_${id}`,
  fix,
  make,
  title: `accepts only ${what}`,
});

/** In the order of sending: the most frequent first. */
export const TRIALS: readonly Trial[] = [
  ...CONSTANT_TEXTS.map(ofText),
  ...MINUTES.flatMap((minutes) => [ofClock(minutes), ofClock(-minutes)]),
  ofKey("without_prefix", "the secret without whsec_", withoutPrefix),
  ofKey("decoded", "the base64-decoded secret", (secret) => Buffer.from(withoutPrefix(secret), "base64")),
  ofKey("line_feed", "the secret with a line feed after it", (secret) => `${secret}\n`),
  ofHeader(
    "base64",
    "the signature in base64",
    signedBy((signed) => Buffer.from(sign(signed), "hex").toString("base64")),
  ),
  ofHeader(
    "prefix",
    "the signature after sha256=",
    signedBy((signed) => `sha256=${sign(signed)}`),
  ),
  ofHeader(
    "milliseconds",
    "a timestamp in milliseconds",
    (input) => buildDelivery(input, { timestamp: String(input.now) }),
    "read a timestamp of ten digits as seconds: the interface does not show the unit (§6), and the sandbox sends seconds",
  ),
];
