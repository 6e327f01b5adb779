// `node test/bench/run.js [suite…]` measures; `--save` stores the results for docs/reference.
import { measureEmbedded } from "./embedded.js";
import { measureInspector } from "./inspector.js";
import { measureMillion } from "./million.js";
import { measureMixedRequests } from "./mixed-requests.js";
import { measurePeers } from "./peers.js";
import { describeMachine, measureLoad, renderFigures, writeResults } from "./report.js";
import { measureSignatures } from "./signatures.js";
import { measureStartup } from "./startup.js";
import { measureThroughput } from "./throughput.js";
import { measureTriage } from "./triage.js";
import { measureWebhooks } from "./webhooks.js";

const SUITES = {
  startup: measureStartup,
  embedded: measureEmbedded,
  inspector: measureInspector,
  throughput: measureThroughput,
  mixed: measureMixedRequests,
  webhooks: measureWebhooks,
  signatures: measureSignatures,
  triage: measureTriage,
  million: measureMillion,
  peers: measurePeers,
};

const args = process.argv.slice(2);
const choices = [...Object.keys(SUITES), "--save"];
const unknown = args.filter((word) => !choices.includes(word));
if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(", ")}; use ${choices.join(", ")}`);

await runSuites();

async function runSuites() {
  const suites = args.filter((word) => word in SUITES);
  const figures = [];
  const load = measureLoad();
  let hasFailed = false;
  for (const [name, suite] of Object.entries(SUITES)) {
    if (suites.length > 0 && !suites.includes(name)) continue;
    const start = performance.now();
    process.stderr.write(`${name} … `);
    try {
      figures.push(...(await suite()));
    } catch (error) {
      // The others took minutes: their figures are printed, but not saved.
      hasFailed = true;
      console.error(`${name}:`, error);
    }
    process.stderr.write(`${Math.round((performance.now() - start) / 1_000)} s\n`);
  }
  const results = {
    measuredAt: new Date().toISOString(),
    complete: suites.length === 0 && !hasFailed,
    machine: describeMachine(),
    load,
    figures,
  };
  writeResults(results, { isSaved: args.includes("--save") && !hasFailed });
  console.log(renderFigures(results));
  if (hasFailed) process.exitCode = 1;
}
