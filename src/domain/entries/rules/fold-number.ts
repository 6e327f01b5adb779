import { foldText } from "../csv/cell-text.ts";

const MAX_SAFE_DIGITS = 15;

/** The form in which line numbers, ordinals and versions are compared: `1` equals `01` and `1.0` (diligence-model §1). */
export function foldNumber(text: string): number | string {
  const [, whole, decimals] = /^0*(\d+?)(?:\.(\d+?)0*)?$/.exec(text) ?? [];
  if (whole === undefined) return foldText(text);
  if (decimals !== undefined && decimals !== "0") return `${whole}.${decimals}`;
  return whole.length > MAX_SAFE_DIGITS ? whole : Number(whole);
}
