// `node test/bench/run.js [suite…] [--quick]` measures; `--save` stores the results for docs/reference.
import { measureInspector } from "./inspector.js";
import { measureInstruments } from "./instruments.js";
import { measureMillion } from "./million.js";
import { describeMachine, renderText, writeResults } from "./report.js";
import { measureSignatures } from "./signatures.js";
import { measureStartup } from "./startup.js";
import { measureThroughput } from "./throughput.js";
import { measureTriage } from "./triage.js";
import { measureWebhooks } from "./webhooks.js";

const SUITES = {
  startup: measureStartup,
  instruments: measureInstruments,
  inspector: measureInspector,
  throughput: measureThroughput,
  webhooks: measureWebhooks,
  signatures: measureSignatures,
  triage: measureTriage,
  million: measureMillion,
};

const args = process.argv.slice(2);
const choices = [...Object.keys(SUITES), "--quick", "--save"];
const unknown = args.filter((word) => !choices.includes(word));
if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(", ")}; use ${choices.join(", ")}`);

await runSuites();

async function runSuites() {
  const quick = args.includes("--quick");
  const suites = args.filter((word) => word in SUITES);
  const figures = [];
  let hasFailed = false;
  for (const [name, suite] of Object.entries(SUITES)) {
    if (suites.length > 0 && !suites.includes(name)) continue;
    process.stderr.write(`${name} …\n`);
    try {
      figures.push(...(await suite({ quick })));
    } catch (error) {
      // The others took minutes: their figures are printed, but not saved.
      hasFailed = true;
      console.error(`${name}:`, error);
    }
  }
  const results = {
    measuredAt: new Date().toISOString(),
    complete: !quick && suites.length === 0 && !hasFailed,
    machine: describeMachine(),
    figures,
  };
  writeResults(results, { isSaved: args.includes("--save") && !hasFailed });
  console.log(renderText(results));
  if (hasFailed) process.exitCode = 1;
}
