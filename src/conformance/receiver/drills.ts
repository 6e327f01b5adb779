import {
  buildDelivery,
  buildPayload,
  type ProbeDelivery,
  toUnixSeconds,
} from "../../domain/webhooks/probe/cases.ts";

export interface DrillInput {
  /** The secret of the endpoint, and the one that replaces it or that a second endpoint has. */
  readonly secrets: readonly [string, ...string[]];
  readonly event: string;
  /** The id of a new event. */
  readonly createId: () => string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

interface Drill {
  readonly sends: string;
  readonly needsSecondSecret?: true;
  /** All of its deliveries are of one event, so that a counter of processed events rises by one. */
  readonly repeatsEvent?: true;
  /** Genuine deliveries in rounds. Those of a round are sent together, and a round starts after the one before it. */
  readonly make: (input: DrillInput) => readonly (readonly ProbeDelivery[])[];
}

const BURST_SIZE = 200;

/** More at once would test how many connections the operating system keeps for the receiver. */
export const MAX_IN_FLIGHT = 20;

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const THREE_DAYS_MS = 259_200_000;

interface EventOptions {
  readonly id?: string;
  readonly secret?: string;
  /** How long ago the event occurred, and the attempt was signed. */
  readonly ageMs?: number;
  readonly signedMsAgo?: number;
}

function deliver(input: DrillInput, options: EventOptions = {}): ProbeDelivery {
  const { id = input.createId(), secret = input.secrets[0], ageMs = 0, signedMsAgo = 0 } = options;
  const { event, now } = input;
  return buildDelivery(
    { secret, event, id, now },
    {
      body: buildPayload({ secret, event, id, now: now - ageMs }),
      timestamp: toUnixSeconds(now - signedMsAgo),
    },
  );
}

/** Situations that a receiver meets in production and rarely in a test, in the order of sending. */
export const DRILLS = {
  "drill.duplicate": {
    sends: "an event, and the same event again, as after a response that was lost",
    repeatsEvent: true,
    make: (input) => {
      const id = input.createId();
      // Two attempts never have the same timestamp, so that a signature identifies an attempt, not an event.
      return [[deliver(input, { id, signedMsAgo: 2 * SECOND_MS })], [deliver(input, { id })]];
    },
  },
  "drill.two_endpoints": {
    sends: "one event twice at once, as to two endpoints with one URL",
    repeatsEvent: true,
    make: (input) => {
      const id = input.createId();
      const [first, second = first] = input.secrets;
      return [[first, second].map((secret) => deliver(input, { id, secret }))];
    },
  },
  "drill.late_retry": {
    sends: "an event of three days ago, signed now, as in the last retries",
    make: (input) => [[deliver(input, { ageMs: THREE_DAYS_MS })]],
  },
  "drill.out_of_order": {
    sends: "an event, then one that occurred a minute before it",
    make: (input) => [[deliver(input)], [deliver(input, { ageMs: MINUTE_MS })]],
  },
  "drill.rotation": {
    sends: "events that are signed with the old secret and with the new one, in turn",
    needsSecondSecret: true,
    make: (input) => {
      const [old, replacement] = input.secrets;
      return [old, replacement, old, replacement].map((secret = old) => [deliver(input, { secret })]);
    },
  },
  "drill.burst": {
    sends: `${BURST_SIZE} events, of which ${MAX_IN_FLIGHT} are in progress`,
    make: (input) => [Array.from({ length: BURST_SIZE }, () => deliver(input))],
  },
} as const satisfies Record<string, Drill>;

export type DrillId = keyof typeof DRILLS;

/** Widens the type of the table's row. */
export const getDrill = (id: DrillId): Drill => DRILLS[id];

export const isDrillId = (id: string): id is DrillId => Object.hasOwn(DRILLS, id);
