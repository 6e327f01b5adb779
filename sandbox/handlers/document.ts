import { getContract } from "../../src/contract/openapi.ts";
import type { HandlersOf } from "./handler.ts";

export const document = {
  openapi() {
    const { canonicalJson: canonical, hash } = getContract();
    return { text: canonical, headers: { ETag: `"${hash}"` } };
  },
} satisfies HandlersOf<"document">;
