import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { readDelivery } from "../../../../../../../src/cli/commands/webhooks/listen/delivery.ts";

describe("readDelivery", () => {
  it("keeps no piece of a body that arrives in single bytes", async () => {
    const piece = Buffer.alloc(1);
    async function* arrive() {
      for (const byte of Buffer.from('{"id":1}')) {
        piece[0] = byte;
        yield piece;
      }
    }
    const request = Object.assign(arrive(), { rawHeaders: [], url: "/hook" }) as unknown as IncomingMessage;
    const { body, size } = await readDelivery(request, 0);
    expect({ body: Buffer.from(body).toString(), size }).toEqual({ body: '{"id":1}', size: 8 });
  });
});
