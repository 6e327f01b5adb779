import type { Block } from "../../output/output.ts";
import type { Item } from "../../paged-list.ts";
import { recordCard, recordsTable } from "../../record-card.ts";

/** A record whose amounts are split by grade, as claims and offers are. */
export function gradedBlocks(title: string, { byGrade, ...record }: Item): readonly Block[] {
  const grades = recordsTable("By grade", byGrade, "grade");
  return [recordCard(grades ? record : { ...record, byGrade }, title), ...(grades ? [grades] : [])];
}
