import { editDistance } from "../../domain/text.ts";

/** The candidate that was most likely meant; null when none is near enough. */
export function closest(word: string, candidates: Iterable<string>): string | null {
  let best: string | null = null;
  let least = Math.ceil(word.length / 3);
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate);
    if (distance > least || (best !== null && distance === least)) continue;
    best = candidate;
    least = distance;
  }
  return best;
}
