import { EVENT_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { sign } from "../signature.ts";

/** What the deliveries of a probe are made from. */
export interface ProbeInput {
  /** The secret that the receiver verifies with. */
  readonly secret: string;
  readonly event: string;
  /** The event's own id: a receiver may know what it has seen. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A delivery as it is sent: names as they are spelled, a body that is its UTF-8. */
export interface ProbeDelivery {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** What may differ from a genuine delivery; null leaves a header out. */
interface DeliveryOverrides {
  readonly body?: string;
  readonly event?: string;
  readonly timestamp?: string | null;
  readonly signature?: string | null;
}

/** Unix seconds, as the sandbox has them: the format is not shown (interface §6). */
export const toUnixSeconds = (now: number): string => String(Math.floor(now / 1000));

/** A delivery that is right, but for what departs from it. */
export function buildDelivery(genuine: ProbeInput, departure: DeliveryOverrides = {}): ProbeDelivery {
  const {
    body = buildPayload(genuine),
    event = genuine.event,
    timestamp = toUnixSeconds(genuine.now),
  } = departure;
  const right = () => sign({ secret: genuine.secret, timestamp: timestamp ?? "", body });
  const { signature = right() } = departure;
  const headers = [
    ["Content-Type", "application/json"],
    [EVENT_HEADER, event],
    [TIMESTAMP_HEADER, timestamp],
    [SIGNATURE_HEADER, signature],
  ] as const;
  return {
    headers: headers.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
    body,
  };
}

/**
 * A compact payload with its keys in the order of the alphabet, so that a printer that sorts them leaves it as it is.
 *
 * @param data the text of its data field
 */
export function buildPayload({ event, id, now }: ProbeInput, data = '{"amount":12,"note":"probe"}'): string {
  const text = JSON.stringify;
  const createdAt = new Date(now).toISOString();
  return `{"createdAt":${text(createdAt)},"data":${data},"environment":"sandbox","id":${text(id)},"type":${text(event)}}`;
}
