import { Memo } from "../entries/memo.ts";

/** Lower-case, every run of other characters than letters and digits as one space. */
function normaliseName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/**
 * Tells whether an importer is the seller or one of its branches (diligence-model §3); blank names pass, and so does
 * every name where no seller is given.
 */
export function createSellerMatcher(sellerName: string): (importerName: string | null) => boolean {
  if (sellerName === "") return () => true;
  const seller = normaliseName(sellerName);
  const matches = new Memo(
    (name) => {
      const importer = normaliseName(name);
      return importer === "" || importer === seller || importer.startsWith(`${seller} `);
    },
    5_000,
    200,
  );
  return (importerName) => importerName === null || matches.get(importerName);
}
