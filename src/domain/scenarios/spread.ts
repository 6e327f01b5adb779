/** Which entries of a file are special: `first` and every `step`th after it, at most `most` of them. */
export interface Spread {
  /** Position, the first entry of the file being 0. */
  readonly first: number;
  readonly step: number;
  readonly max: number;
}

/** How many of that many entries are special. */
export function countSpecialEntries({ first, step, max: most }: Spread, entries: number): number {
  return entries <= first ? 0 : Math.min(most, Math.floor((entries - 1 - first) / step) + 1);
}

/** The how manieth special entry stands at a position, from 0; -1 for an ordinary one. */
export function findRank({ first, step, max: most }: Spread, position: number): number {
  const rank = (position - first) / step;
  return rank >= 0 && rank < most && Number.isInteger(rank) ? rank : -1;
}
