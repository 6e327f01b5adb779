import { CONSTANT_TEXTS } from "../explain/constant-texts.ts";
import { sign } from "../signature.ts";
import { buildDelivery, type ProbeDelivery, type ProbeInput, secondsBefore } from "./cases.ts";
import type { Diagnosis } from "./diagnoses.ts";

/** A delivery for a receiver that refuses everything: if it accepts this one, that is why. */
export interface Trial extends Omit<Diagnosis, "evidence"> {
  readonly name: string;
  readonly make: (input: ProbeInput) => ProbeDelivery;
}

const ofConstant = ([text, description]: (typeof CONSTANT_TEXTS)[number]): Trial => ({
  name: `text.${text.replace(/\W+/g, "_").replace(/^_|_$/g, "") || "empty"}`,
  id: "receiver.hashes_fixed_text",
  title: `computes the signature of ${description}, whatever arrives`,
  fix: "the program has no raw body where it verifies: find what reads the request before, keep the bytes there, and verify those",
  make: (input) => buildDelivery(input, { signature: (signed) => sign({ ...signed, body: text }) }),
});

const MINUTES = [10, 20, 30, 60, 120, 180];

function ofClock(minutes: number): Trial {
  const size = Math.abs(minutes);
  const time = `${size < 60 ? `${size} min` : `${size / 60} h`} ${minutes < 0 ? "ahead" : "ago"}`;
  return {
    name: `clock.${minutes}_min`,
    id: "receiver.clock_differs",
    title: `accepts only what is signed ${time}: its clock is off by that, or it reads the time in another zone`,
    fix: "set the clock of the receiver by NTP, and compare X-Service-Timestamp with the time in UTC",
    make: (input) => buildDelivery(input, { timestamp: secondsBefore(input, minutes * 60) }),
  };
}

const OF_MILLISECONDS: Trial = {
  name: "header.milliseconds",
  id: "receiver.expects_milliseconds",
  title: "accepts only a timestamp in milliseconds",
  fix: "read a timestamp of ten digits as seconds: the interface does not show the unit (§6), and the sandbox sends seconds",
  make: (input) => buildDelivery(input, { timestamp: String(input.now) }),
};

/** In the order of sending: the most frequent first. */
export const TRIALS: readonly Trial[] = [
  ...CONSTANT_TEXTS.map(ofConstant),
  ...MINUTES.flatMap((minutes) => [ofClock(minutes), ofClock(-minutes)]),
  OF_MILLISECONDS,
];
