import { expect, it } from "vitest";
import { createLineQueue } from "../../../../../../../src/cli/commands/webhooks/listen/run.ts";

it("drops deliveries while nothing reads, and counts them", async () => {
  const queue = createLineQueue((count) => `dropped ${count}\n`);
  const line = `${"a".repeat(1024 * 1024 - 1)}\n`;
  for (let number = 0; number < 30; number += 1) queue.pushDelivery(line);
  queue.end();
  let text = "";
  for await (const chunk of queue.lines) text += chunk;
  const lines = text.trimEnd().split("\n");
  expect(lines.at(-1)).toBe("dropped 13");
  expect(lines).toHaveLength(18);
});
