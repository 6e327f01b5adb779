import type { HeaderList } from "../../http-headers.ts";
import { EVENT_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import { type SignInput, sign } from "../signature.ts";

export interface ProbeInput {
  /** The secret that the receiver verifies with. */
  readonly secret: string;
  readonly event: string;
  /** The id of the event, which is new: a receiver can ignore an event that it knows. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface ProbeDelivery {
  readonly headers: HeaderList;
  /** Sent as UTF-8. */
  readonly body: string;
  /** The receiver gets the body in two parts, of which the first has so many bytes. */
  readonly splitAt?: number;
}

/** Differences from a genuine delivery; null leaves a header out. */
interface DeliveryOverrides {
  readonly body?: string;
  readonly event?: string;
  readonly timestamp?: string | null;
  readonly signature?: (signed: SignInput) => string | null;
}

/** Unix seconds, as the sandbox sends: interface §6 does not show the format. */
export const secondsBefore = ({ now }: ProbeInput, seconds: number): string =>
  String(Math.floor(now / 1000) - seconds);

export function buildDelivery(input: ProbeInput, overrides: DeliveryOverrides = {}): ProbeDelivery {
  const { body = buildPayload(input), event = input.event, signature = sign } = overrides;
  const { timestamp = secondsBefore(input, 0) } = overrides;
  const headers = [
    ["Content-Type", "application/json"],
    [EVENT_HEADER, event],
    [TIMESTAMP_HEADER, timestamp],
    [SIGNATURE_HEADER, signature({ secret: input.secret, timestamp: timestamp ?? "", body })],
  ] as const;
  return {
    headers: headers.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
    body,
  };
}

/**
 * A compact payload with sorted keys, so that a printer that sorts keys does not change it.
 *
 * @param data the JSON text of its data field
 */
export function buildPayload({ event, id, now }: ProbeInput, data = '{"amount":12,"note":"probe"}'): string {
  const text = JSON.stringify;
  const createdAt = new Date(now).toISOString();
  return `{"createdAt":${text(createdAt)},"data":${data},"environment":"sandbox","id":${text(id)},"type":${text(event)}}`;
}

export const indentedPayload = (input: ProbeInput): string =>
  JSON.stringify(JSON.parse(buildPayload(input)), null, 2);

export const spacedPayload = (input: ProbeInput): string =>
  buildPayload(input).replaceAll('":', '": ').replaceAll(',"', ', "');

export interface ProbeCase {
  readonly sends: string;
  readonly expects: "accept" | "reject" | "either";
  /** A documented rule decides the exit code; an assumption and our advice do not. */
  readonly basis: "documented" | "assumed" | "advice";
  /** The rule in the interface, or the reason for the advice. */
  readonly source: string;
  /** One delivery, or several that are sent one after the other. */
  readonly make: (input: ProbeInput) => readonly ProbeDelivery[];
}
