import type { ServiceRecord } from "../../../records/paged-list.ts";
import { parseRecordTime } from "../../../records/record-time.ts";

/** The oldest first. In which order a list comes is not shown (interface §4): it counts where the records tell no time. */
export function sortOldestFirst(deliveries: readonly ServiceRecord[]): readonly ServiceRecord[] {
  const listed = deliveries.toReversed();
  const createdTimes = new Map(listed.map((each) => [each, parseRecordTime(each.createdAt)]));
  if ([...createdTimes.values()].includes(null)) return listed;
  return listed.toSorted((one, other) => (createdTimes.get(one) ?? 0) - (createdTimes.get(other) ?? 0));
}
