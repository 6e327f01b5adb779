import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { readDelivery } from "../../../../../../../src/cli/commands/webhooks/listen/delivery.ts";
import { singleBytes } from "../../../../../../support/single-bytes.ts";

describe("readDelivery", () => {
  it("keeps no piece of a body that arrives in single bytes", async () => {
    const request = Object.assign(singleBytes('{"id":1}'), { rawHeaders: [], url: "/hook" });
    const { body, size } = await readDelivery(request as unknown as IncomingMessage, 0);
    expect({ body: Buffer.from(body).toString(), size }).toEqual({ body: '{"id":1}', size: 8 });
  });
});
