// Arguments and options in words, for the reference and the man page.

/** @typedef {import("../../src/cli/documents/capabilities.ts").CommandEntry["arguments"][number]} Argument */
/** @typedef {import("../../src/cli/documents/capabilities.ts").OptionEntry} Option */
/** @typedef {(text: string) => string} Style */

/** @param {Option} option */
export const formatFlag = ({ flag, kind }) => (kind === "switch" ? flag : `${flag} <${kind}>`);

/** @param {Argument} argument @param {Style} code */
export const describeArgument = ({ summary, required, ...facts }, code) =>
  [summary, ...factsOf(facts, code), ...(required ? [] : ["optional"])].join("; ");

/** @param {Option} option @param {Style} code */
export const describeOption = ({ summary, required, repeats, variable, ...facts }, code) =>
  [
    summary,
    ...factsOf(facts, code),
    ...(variable === undefined ? [] : [`variable: ${code(variable)}`]),
    ...(required ? ["required"] : []),
    ...(repeats ? ["repeatable"] : []),
  ].join("; ");

/** @param {Pick<Option, "choices" | "default">} facts @param {Style} code */
const factsOf = ({ choices, default: value }, code) => [
  ...(choices ? [`choices: ${choices.map(code).join(", ")}`] : []),
  ...(value === undefined ? [] : [`default: ${value}`]),
];
