import { ClaimsError } from "../../../src/domain/errors.ts";
import type { FaultSpec } from "../../../src/domain/faults/fault.ts";
import { FAULT_PRESETS, isFaultPreset } from "../../../src/domain/faults/presets.ts";
import { createFault, type Fault } from "../../engine/faults/fault.ts";
import { parseRule } from "../../engine/faults/rule.ts";
import { ProblemError } from "../../wire/problem-error.ts";

/** Asks the sandbox to make this request fail; in a response, the source of the fault. A real service ignores it. */
export const FAULT_HEADER = "X-Sandbox-Fault";

const INVALID_HEADER = { status: 400, code: "fault_header_invalid", title: `${FAULT_HEADER} is invalid` };

const SYNTAX =
  `a preset (${Object.keys(FAULT_PRESETS).join(", ")}) or parts separated by semicolons, or both: status=503, ` +
  "retry-after=2, delay=2s, phase=after, reset, hang, truncate, bad-chunk, garbage";

/** Parses `flaky` or `status=503;retry-after=2;phase=after`; ignores the match and the counts of a preset. */
export function parseFaultHeader(text: string): Fault {
  try {
    return createFault(parseRule(parseRuleText(text)), `${FAULT_HEADER} ${text}`);
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    const detail = `${FAULT_HEADER}: ${error.message}. It takes ${SYNTAX}.`;
    throw new ProblemError(INVALID_HEADER, detail, { headers: { [FAULT_HEADER]: "unreadable" } });
  }
}

function parseRuleText(text: string): FaultSpec {
  const [first = "", ...rest] = text.split(";").map((part) => part.trim());
  const preset: FaultSpec | null = isFaultPreset(first) ? FAULT_PRESETS[first].rule : null;
  const parts = (preset ? rest : [first, ...rest]).map(parsePart);
  const names = parts.map(([name]) => name);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) throw invalidHeader(`${duplicate}: given more than once`);
  const { phase = preset?.phase, ...then } = Object.fromEntries(parts);
  // Not valid yet: parseRule checks it.
  return { ...(phase !== undefined && { phase }), then: { ...preset?.then, ...then } } as FaultSpec;
}

const SWITCHES = ["reset", "hang", "truncate", "bad-chunk", "garbage"];
const VALUES = ["status", "retry-after", "delay", "phase"];

function parsePart(text: string): readonly [name: string, value: unknown] {
  const [, name = text, value] = /^([a-z-]+)\s*=\s*(.+)$/.exec(text) ?? [];
  const isKnown = value === undefined ? SWITCHES.includes(name) : VALUES.includes(name);
  if (!isKnown) throw invalidHeader(`"${text}" is not a part of it`);
  return [
    name.replace(/-[a-z]/g, ([, letter = ""]) => letter.toUpperCase()),
    value === undefined || (/^\d{1,9}$/.test(value) ? Number(value) : value),
  ];
}

const invalidHeader = (message: string): ClaimsError =>
  new ClaimsError("usage", "fault_invalid", message, { hint: SYNTAX });
