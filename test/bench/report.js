// Renders figures as the Markdown of docs/reference/figures.md.
import { writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { judgeAim, ratioOf } from "./figure.js";
import { ROOT } from "./processes.js";

/** @typedef {import("./figure.js").Figure} Figure */
/** @typedef {ReturnType<typeof describeMachine>} Machine */
/**
 * `load` is that of the machine before the run, in processes that want to run: other work makes every figure worse.
 * @typedef {{ measuredAt: string, complete: boolean, machine: Machine, load?: number, figures: Figure[] }} Results
 */

const RESULTS = join(ROOT, "bench-results.json");
const SAVED = join(ROOT, "test", "bench", "figures.json");
const HEADINGS = ["what", "floor or peer", "ours", "spread", "ratio", "aim", "met"];

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

export const measureLoad = () => Math.round((loadavg()[0] ?? 0) * 10) / 10;

/** @param {Results} results @param {{ isSaved: boolean }} options `isSaved` also writes the figures of the reference */
export function writeResults(results, { isSaved }) {
  const { figures, ...run } = results;
  // One line for each figure, so that a difference of two runs names what changed.
  const lines = figures.map((figure) => JSON.stringify(figure)).join(",\n");
  const text = `${JSON.stringify(run).slice(0, -1)},"figures":[\n${lines}\n]}\n`;
  writeFileSync(RESULTS, text);
  if (isSaved) writeFileSync(SAVED, text);
}

/** Markdown, for the terminal and the reference. @param {Results} results */
export function renderFigures({ machine, load, figures, measuredAt, complete }) {
  const row = (/** @type {readonly string[]} */ cells) => `| ${cells.join(" | ")} |`;
  const rows = [HEADINGS, HEADINGS.map(() => "---"), ...figures.map(renderCells)];
  return [
    "`npm run bench` measures each figure and its floor in the same run and prints the ratio; `npm run bench -- --save` stores them. A peer is a program that somebody would use instead; the note of its row says what it does not do.",
    `Measured on ${measuredAt.slice(0, 10)}${complete ? "" : ", in part"}: ${renderMachine(machine, load)}`,
    rows.map(row).join("\n"),
    figures.flatMap(({ what, note }) => (note ? [`- ${what}: ${note}`] : [])).join("\n"),
  ].join("\n\n");
}

/** @param {Machine} machine @param {number | undefined} load */
const renderMachine = ({ cores, cpu, memoryGiB, node, platform }, load) =>
  `${cores} cores (${cpu}), ${memoryGiB} GiB, ${platform}, Node ${node}${load === undefined ? "" : `; load before the run ${load}`}.`;

/** @param {Figure} figure */
function renderCells(figure) {
  const ratio = ratioOf(figure);
  return [
    figure.what,
    figure.floor ? `${formatNumber(figure.floor.value)} ${figure.unit} (${figure.floor.name})` : "–",
    `${formatNumber(figure.ours)} ${figure.unit}`,
    figure.spread === undefined ? "–" : `± ${Math.round(figure.spread * 100)} %`,
    ratio === null ? "–" : `${ratio.toFixed(2)} ×`,
    renderAim(figure),
    judgeAim(figure) ?? "–",
  ];
}

/** @param {Figure} figure */
function renderAim({ aim, unit }) {
  if (aim?.most !== undefined) return `≤ ${aim.most} ×`;
  if (aim?.least !== undefined) return `≥ ${aim.least} ×`;
  return aim?.mostValue === undefined ? "–" : `≤ ${aim.mostValue} ${unit}`;
}

/** @param {number} value */
const formatNumber = (value) => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString("en"));
