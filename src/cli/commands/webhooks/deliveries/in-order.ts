import type { Item } from "../../../paged-list.ts";
import { recordTime } from "../../../record-time.ts";

/** The oldest first. In which order a list comes is not shown (interface §4): it counts where the records tell no time. */
export function oldestFirst(deliveries: readonly Item[]): readonly Item[] {
  const listed = deliveries.toReversed();
  const at = new Map(listed.map((each) => [each, recordTime(each.createdAt)]));
  if ([...at.values()].includes(null)) return listed;
  return listed.toSorted((one, other) => (at.get(one) ?? 0) - (at.get(other) ?? 0));
}
