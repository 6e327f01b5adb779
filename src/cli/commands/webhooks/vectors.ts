import { createReadStream } from "node:fs";
import { join } from "node:path";
import { command } from "../../framework/command.ts";

export const vectors = command({
  name: "vectors",
  summary: "print deliveries with their verdicts, to test a receiver",
  output: "bytes",
  examples: ["claims webhooks vectors --out vectors.json", "claims webhooks vectors | jq '.vectors[].name'"],
  async run({ packageDirectory }) {
    const path = join(packageDirectory, "fixtures", "signatures", "vectors.json");
    return { kind: "stream", body: createReadStream(path) };
  },
});
