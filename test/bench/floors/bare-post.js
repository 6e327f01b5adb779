// The floor of deliveries: undici.request with a body of 1 KB, with the concurrency of the sandbox, without signatures and
// records.
import { Agent } from "undici";

const [, , url = "", count = "0", concurrency = "1"] = process.argv;
const { origin, pathname } = new URL(url);
const agent = new Agent({ pipelining: 1 });
const headers = {
  "Content-Type": "application/json",
  "User-Agent": "bench",
  "X-Service-Event": "bench.delivery",
  "X-Service-Timestamp": "1763596800",
  "X-Service-Signature": "0".repeat(64),
};
const body = Buffer.alloc(1024, "x");

/** @param {number} total */
async function post(total) {
  let remaining = total;
  const worker = async () => {
    while (remaining > 0) {
      remaining -= 1;
      const response = await agent.request({ origin, path: pathname, method: "POST", headers, body });
      await response.body.dump();
    }
  };
  await Promise.all(Array.from({ length: Number(concurrency) }, worker));
}

await post(Math.min(Number(count), 5_000));
const before = process.cpuUsage();
const start = performance.now();
await post(Number(count));
const seconds = (performance.now() - start) / 1000;
const { user, system } = process.cpuUsage(before);
await agent.close();
console.log(
  JSON.stringify({
    perSecond: Number(count) / seconds,
    perProcessorSecond: Number(count) / ((user + system) / 1e6),
  }),
);
