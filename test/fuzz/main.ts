import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { fuzz } from "./fuzz.ts";
import { TARGETS } from "./targets/index.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    inputs: { type: "string", default: "Infinity" },
    target: { type: "string", multiple: true, default: [] },
  },
});

const { CLAIMS_FUZZ_CURRENT_INPUT: currentInputFile = "" } = process.env;
setFlagsFromString("--expose-gc");
const isChosen = ({ name }: { readonly name: string }) =>
  values.target.length === 0 || values.target.includes(name);

const isSuccess = await fuzz({
  targets: TARGETS.filter(isChosen),
  seed: Number(values.seed),
  minutes: Number(values.minutes),
  inputs: Number(values.inputs),
  currentInputFile,
  print: (line) => void process.stdout.write(`${line}\n`),
  gc: runInNewContext("gc"),
});
// Not through the event loop: what an input left running must not keep the process.
process.exit(isSuccess ? 0 : 1);
