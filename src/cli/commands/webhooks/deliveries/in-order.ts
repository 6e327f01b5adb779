import type { Item } from "../../../paged-list.ts";
import { recordTime } from "../../../record-time.ts";

/** The oldest first. In which order a list comes is not shown (interface §4): it counts where the records tell no time. */
export function sortOldestFirst(deliveries: readonly Item[]): readonly Item[] {
  const listed = deliveries.toReversed();
  const createdTimes = new Map(listed.map((each) => [each, recordTime(each.createdAt)]));
  if ([...createdTimes.values()].includes(null)) return listed;
  return listed.toSorted((one, other) => (createdTimes.get(one) ?? 0) - (createdTimes.get(other) ?? 0));
}
