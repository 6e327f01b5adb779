// The floor of delivering: undici.request with a body of 1 KB, as many at once as the sandbox has under way, and nothing
// signed or kept.
import { Agent } from "undici";

const [, , url = "", count = "0", atOnce = "1"] = process.argv;
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
  let left = total;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const answer = await agent.request({ origin, path: pathname, method: "POST", headers, body });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: Number(atOnce) }, worker));
}

await post(Math.min(Number(count), 5_000));
const before = process.cpuUsage();
const begun = performance.now();
await post(Number(count));
const seconds = (performance.now() - begun) / 1000;
const { user, system } = process.cpuUsage(before);
await agent.close();
console.log(
  JSON.stringify({
    perSecond: Number(count) / seconds,
    perProcessorSecond: Number(count) / ((user + system) / 1e6),
  }),
);
