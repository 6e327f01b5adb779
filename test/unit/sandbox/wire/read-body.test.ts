import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { CapturedBody } from "../../../../sandbox/engine/request-log/captured-body.ts";
import { readBytes } from "../../../../sandbox/wire/read-body.ts";
import { singleBytes } from "../../../support/single-bytes.ts";

describe("readBytes", () => {
  it("keeps no piece of a body that arrives in single bytes, nor does the request log", async () => {
    const captured = new CapturedBody();
    const body = await readBytes(
      { iterator: () => singleBytes("grant_type=x") } as unknown as IncomingMessage,
      captured,
    );
    expect(body.toString()).toBe("grant_type=x");
    expect(captured.bytes().toString()).toBe("grant_type=x");
    expect(captured).toMatchObject({ size: 12, capturedBytes: 12, isWhole: true });
  });
});
