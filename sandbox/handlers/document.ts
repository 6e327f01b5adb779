import type { HandlersOf } from "./handler.ts";

export const document = {
  openapi(_, { form }) {
    const { canonicalJson: canonical, hash } = form.getContract();
    return { text: canonical, headers: { ETag: `"${hash}"` } };
  },
} satisfies HandlersOf<"document">;
