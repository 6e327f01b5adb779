// `node test/bench/run.js [suite…] [--quick]` measures; `--save` stores the results as those of docs/reference.
import { instruments } from "./instruments.js";
import { million } from "./million.js";
import { asText, describeMachine, writeResults } from "./report.js";
import { signatures } from "./signatures.js";
import { startup } from "./startup.js";
import { throughput } from "./throughput.js";
import { webhooks } from "./webhooks.js";

const SUITES = { startup, instruments, throughput, webhooks, signatures, million };

const words = process.argv.slice(2);
const known = [...Object.keys(SUITES), "--quick", "--save"];
const unknown = words.filter((word) => !known.includes(word));
if (unknown.length > 0) throw new Error(`${unknown.join(", ")}: there is ${known.join(", ")}`);

await measure();

async function measure() {
  const quick = words.includes("--quick");
  const named = words.filter((word) => word in SUITES);
  const figures = [];
  for (const [name, suite] of Object.entries(SUITES)) {
    if (named.length > 0 && !named.includes(name)) continue;
    process.stderr.write(`${name} …\n`);
    figures.push(...(await suite({ quick })));
  }
  const results = {
    measuredAt: new Date().toISOString(),
    complete: !quick && named.length === 0,
    machine: describeMachine(),
    figures,
  };
  writeResults(results, { isSaved: words.includes("--save") });
  console.log(asText(results));
}
