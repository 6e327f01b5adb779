import { command } from "../../framework/command.ts";

export const vectors = command({
  name: "vectors",
  summary: "print deliveries with their verdicts, to test a receiver",
  output: "bytes",
  examples: ["claims webhooks vectors --out vectors.json", "claims webhooks vectors | jq '.vectors[].name'"],
  async run() {
    const { default: text } = await import("../../../../fixtures/signatures/vectors.json?text");
    return { kind: "stream", body: [text] };
  },
});
