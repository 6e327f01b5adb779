import { contract } from "../../src/contract/openapi.ts";
import type { HandlersOf } from "./handler.ts";

export const document = {
  openapi() {
    const { canonical, hash } = contract();
    return { text: canonical, headers: { ETag: `"${hash}"` } };
  },
} satisfies HandlersOf<"document">;
