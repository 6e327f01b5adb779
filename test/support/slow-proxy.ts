import { createServer, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listenOnLoopback } from "./listen.ts";

/** Passes requests on to a service and takes its time before and after, so that a kill can hit either. */
export async function startSlowProxy(
  target: string,
  { before, after }: { before: number; after: number },
): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const { method, url = "/", headers } = incoming;
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("error", () => {});
    incoming.on("end", async () => {
      await sleep(before, undefined, { ref: false });
      const { host: _, ...rest } = headers;
      const passed = request(new URL(url, target), { method, headers: rest }, async (answer) => {
        await sleep(after, undefined, { ref: false });
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      // The client may be dead by now, and the test may have stopped the service.
      passed.on("error", () => outgoing.destroy());
      passed.end(Buffer.concat(chunks));
    });
  });
  return `http://${await listenOnLoopback(server)}`;
}
