import { formatTime } from "../scheduler/clock.ts";
import type { GreaseChoices } from "./choices.ts";

export type TimeFormat = GreaseChoices["timestampFormat"];

/** What a delivery is signed with, milliseconds; ungreased it is unix seconds (product.md §5). */
export function formatHeaderTime(time: number, format: TimeFormat): string {
  if (format === "milliseconds") return String(time);
  return format === "rfc3339" ? formatTime(time) : String(Math.floor(time / 1000));
}

/** A time of a record, which is RFC 3339 already, with the name of its zone in Z. */
export function formatRecordTime(text: string, format: TimeFormat): string | number {
  if (format === null) return text;
  if (format === "rfc3339") return text.replace(/\.\d+Z$/, "+00:00");
  const time = Date.parse(text);
  return format === "milliseconds" ? time : Math.floor(time / 1000);
}
