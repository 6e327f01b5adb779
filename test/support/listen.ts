import { randomInt } from "node:crypto";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Host and port of a server on loopback, which is closed after the test with all its connections. */
export async function listenOnLoopback(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  );
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The kernel gives ports from 32768 on to other programs (Linux's `ip_local_port_range`). */
const MIN_PORT = 10_240;
const MAX_PORT = 32_767;

/** A free port of loopback with nothing behind it, which no other test gets in the meantime by asking for port 0. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(MIN_PORT, MAX_PORT + 1);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
