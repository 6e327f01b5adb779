import { copyText } from "../entries/csv/copy-text.ts";

/** Characters (product.md §5). */
export const MAX_SELLER_NAME_LENGTH = 200;

const MAX_KNOWN_NAMES = 5_000;
const MAX_KNOWN_LENGTH = 200;

/** Whether an importer is the seller or its branch (diligence-model §3). A blank name matches, any one without a seller. */
export function createSellerMatcher(sellerName: string): (importerName: string | null) => boolean {
  if (sellerName === "") return () => true;
  const seller = normalizeName(sellerName);
  const known = new Map<string, boolean>();
  return (name) => {
    if (name === null) return true;
    const remembered = known.get(name);
    if (remembered !== undefined) return remembered;
    const importer = normalizeName(name);
    const result = importer === "" || importer === seller || importer.startsWith(`${seller} `);
    if (known.size >= MAX_KNOWN_NAMES) known.clear();
    if (name.length <= MAX_KNOWN_LENGTH) known.set(copyText(name), result);
    return result;
  };
}

/** Whether two names differ in letter case and punctuation alone. */
export const isSameName = (one: string, other: string): boolean =>
  normalizeName(one) === normalizeName(other);

/** Composed and in lower case, with a space for each run of other characters than letters and digits. */
const normalizeName = (name: string): string =>
  name
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
