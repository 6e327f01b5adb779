import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Starts a TCP proxy. During an interruption, its connections are reset, and new ones are refused. */
export async function startInterruptibleProxy(target: string) {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = connect(Number(targetPort), hostname);
    for (const end of [socket, upstream]) {
      sockets.add(end);
      end
        .on("error", () => {})
        .on("close", () => {
          sockets.delete(end);
          socket.destroy();
          upstream.destroy();
        });
    }
    socket.pipe(upstream).pipe(socket);
  });
  const listen = (port: number) => once(server.listen(port, "127.0.0.1"), "listening");
  const stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  onTestFinished(stop);
  return {
    url: `http://127.0.0.1:${port}`,
    /** Interrupts until the caller has seen what it waits for. A duration alone could end before a slow client noticed. */
    async interruptUntil(noticed: () => Promise<unknown>): Promise<void> {
      stop();
      await noticed();
      await listen(port);
    },
  };
}
