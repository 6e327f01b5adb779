// How figures are shown: on a terminal and in the README.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { isMet, ratioOf } from "./figure.js";
import { ROOT } from "./processes.js";

/** @typedef {import("./figure.js").Figure} Figure */
/** @typedef {ReturnType<typeof describeMachine>} Machine */
/** @typedef {{ measuredAt: string, complete: boolean, machine: Machine, figures: Figure[] }} Results */

const RESULTS = join(ROOT, "bench-results.json");
const README = join(ROOT, "README.md");
const MARK = "<!-- bench -->\n";
const HEADINGS = ["what", "floor", "ours", "ratio", "aim", "met"];

export function describeMachine() {
  const [cpu] = cpus();
  return {
    cores: cpus().length,
    cpu: cpu?.model.trim() ?? "unknown",
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    platform: process.platform,
  };
}

/** @param {Results} results */
export function writeResults({ figures, ...about }) {
  const judged = figures.map((figure) => ({ ...figure, ratio: ratioOf(figure), met: isMet(figure) }));
  writeFileSync(RESULTS, `${JSON.stringify({ ...about, figures: judged }, null, 2)}\n`);
}

/** @returns {Results} */
const readResults = () => JSON.parse(readFileSync(RESULTS, "utf8"));

/** @param {Results} results */
export function asText({ machine, figures }) {
  const rows = [HEADINGS, ...figures.map(cellsOf)];
  const widths = HEADINGS.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [...lines, "", ...notesOf(figures), "", sentence(machine), ""].join("\n");
}

/** Puts the last results behind the mark in the README, up to the next heading. */
export function writeReadme() {
  const { machine, figures, measuredAt, complete } = readResults();
  if (!complete)
    throw new Error(
      "the last results are of a --quick run or of some suites; run the benchmark in full first",
    );
  const row = (/** @type {readonly string[]} */ cells) => `| ${cells.join(" | ")} |`;
  const table = [
    row(HEADINGS),
    row(HEADINGS.map(() => "---")),
    ...figures.map((figure) => row(cellsOf(figure))),
  ];
  const text = readFileSync(README, "utf8");
  const from = text.indexOf(MARK) + MARK.length;
  if (from < MARK.length) throw new Error(`README.md has no line ${MARK.trim()}`);
  const heading = text.indexOf("\n## ", from);
  const rest = heading === -1 ? "" : text.slice(heading);
  const about = `Measured on ${measuredAt.slice(0, 10)}: ${sentence(machine)}`;
  const notes = notesOf(figures).map((note) => `- ${note}`);
  writeFileSync(
    README,
    `${text.slice(0, from)}\n${about}\n\n${[...table, "", ...notes].join("\n")}\n${rest}`,
  );
}

/**
 * What a figure is, where its name does not say it all.
 * @param {readonly Figure[]} figures
 */
const notesOf = (figures) => figures.flatMap(({ what, note }) => (note ? [`${what}: ${note}`] : []));

/** @param {Machine} machine */
const sentence = ({ cores, cpu, memoryGiB, node, platform }) =>
  `${cores} cores (${cpu}), ${memoryGiB} GiB, ${platform}, Node ${node}.`;

/** @param {Figure} figure */
function cellsOf(figure) {
  const ratio = ratioOf(figure);
  const met = isMet(figure);
  return [
    figure.what,
    figure.floor ? `${amount(figure.floor.value)} ${figure.unit} (${figure.floor.name})` : "–",
    `${amount(figure.ours)} ${figure.unit}`,
    ratio === null ? "–" : `${ratio.toFixed(2)} ×`,
    aimText(figure),
    met === null ? "–" : met ? "yes" : "no",
  ];
}

/** @param {Figure} figure */
function aimText({ aim, unit }) {
  if (aim?.most !== undefined) return `≤ ${aim.most} ×`;
  if (aim?.least !== undefined) return `≥ ${aim.least} ×`;
  return aim?.mostValue === undefined ? "–" : `≤ ${aim.mostValue} ${unit}`;
}

/** @param {number} value */
const amount = (value) => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString("en"));
