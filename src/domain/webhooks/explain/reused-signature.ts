import { createCause } from "./causes.ts";
import type { Explanation } from "./explain.ts";

/**
 * Of two deliveries with one signature, the one that verifies was signed.
 *
 * @param signedAt where a delivery with the same signature is that verifies, if there is one
 */
export function explainReuse<T extends Pick<Explanation, "verdict" | "causes" | "computed">>(
  explanation: T,
  signedAt: string | undefined,
): T {
  const { verdict, causes, computed } = explanation;
  const isKnown = computed !== null || causes.some(({ certainty }) => certainty === "proved");
  if (signedAt === undefined || verdict !== "mismatch" || isKnown) return explanation;
  const evidence = `${signedAt} has the same signature and another body or timestamp, and verifies`;
  return { ...explanation, causes: [createCause("signature.reused", "proved", evidence)] };
}
