import { createServer, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listenOnLoopback } from "./listen.ts";

/** Starts a proxy that forwards writes after `beforeMs`, and their responses after `afterMs`; reads are not delayed. */
export async function startSlowProxy(
  target: string,
  { beforeMs = 0, afterMs = 0 }: { readonly beforeMs?: number; readonly afterMs?: number },
): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const { method, url = "/", headers } = incoming;
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("error", () => {});
    incoming.on("end", async () => {
      const pause = (ms: number) => (method === "POST" ? sleep(ms, undefined, { ref: false }) : undefined);
      await pause(beforeMs);
      const { host: _, ...rest } = headers;
      const forwarded = request(new URL(url, target), { method, headers: rest }, async (response) => {
        await pause(afterMs);
        outgoing.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(outgoing);
      });
      // The test may have killed the client or stopped the service.
      forwarded.on("error", () => outgoing.destroy());
      forwarded.end(Buffer.concat(chunks));
    });
  });
  return `http://${await listenOnLoopback(server)}`;
}
