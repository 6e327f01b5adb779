import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it } from "vitest";
import { CapturedBody } from "../../../../sandbox/engine/request-log/captured-body.ts";
import { readBytes, readChunks } from "../../../../sandbox/wire/read-body.ts";
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

describe("readChunks", () => {
  it("refuses a body whose sender has disconnected after its last byte, as one that ended too early", async () => {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}");
    const [request] = (await once(server, "request")) as [IncomingMessage];
    const closed = once(request, "close").catch((error: unknown) => error);
    socket.destroy();
    await closed;
    expect(request).toMatchObject({ complete: true, destroyed: true });
    await expect(readChunks(request).next()).rejects.toMatchObject({ code: "malformed_request" });
    server.close();
  });
});
