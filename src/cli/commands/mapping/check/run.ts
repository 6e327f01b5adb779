import { Compile } from "typebox/schema";
import { withoutNull } from "../../../../contract/json-schema.ts";
import { checkMappingText, type MappingMistake } from "../../../../contract/mapping/check.ts";
import { hasLines } from "../../../../contract/mapping/lines.ts";
import type { ListItem } from "../../../../contract/mapping/list.ts";
import type { Mapping } from "../../../../contract/mapping/mapping.ts";
import { listResources, type Resource } from "../../../../contract/mapping/resources.ts";
import { rejectedError, verificationError } from "../../../../domain/errors.ts";
import { dropByteOrderMark, quoteValue } from "../../../../domain/json.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { resolveConnection } from "../../../connection/connection.ts";
import { openConnection } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { readInput } from "../../../files/input-file.ts";
import { type Output, toListOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { readList } from "../read-list.ts";
import type { CheckInvocation } from "./check.ts";

/** Above the limit of a mapping, so that one that is too large is a mistake of the mapping, not of the command. */
const MAX_READ_MIB = 16;

/** Names each mistake with its place. Without one, and with a service, it reads the service through the mapping. */
export async function runCheck(context: Context, call: CheckInvocation): Promise<Output> {
  const { file } = call.args;
  const text = (await readInput(context, file, MAX_READ_MIB)).toString("utf8");
  const mistakes = checkMappingText(text);
  const { profile, baseUrl, sandbox, sandboxName } = call.global;
  const isLive = [profile, baseUrl, sandbox, sandboxName].some(
    (given) => given !== undefined && given !== false,
  );
  return mistakes.length > 0 || !isLive
    ? printMistakes(file, mistakes)
    : checkLive(context, call, JSON.parse(dropByteOrderMark(text)));
}

const printMistakes = (file: string, mistakes: readonly MappingMistake[]): Output =>
  toListOutput({
    items: mistakes,
    columns: [
      { name: "key", display: ({ key }) => key ?? "(the file)" },
      { name: "message", canWrap: true },
    ],
    idOf: ({ key }) => key,
    emptyMessage: `${file} has no mistake`,
    failure: () =>
      mistakes.length === 0
        ? undefined
        : rejectedError("mapping_invalid", `${file} has ${formatCount(mistakes.length, "mistake")}`, {
            hint: "the rows on stdout name the key of each; `claims help mapping` says what it takes",
          }),
  });

/** Reads every list that the mapping has a line for, to its end. */
async function checkLive(context: Context, call: CheckInvocation, mapping: Mapping): Promise<Output> {
  const { file } = call.args;
  const connection = await resolveConnection(context, call);
  const { client } = await openConnection(context, call, { ...connection, mapping: file }, {});
  const items: { list: string; rows: number; problem: string }[] = [];
  for (const resource of listResources()) {
    const { name, isList, operations } = resource;
    const [operation] = operations;
    if (!isList || !hasLines(mapping, name) || !operation) continue;
    const { items: rows, fault } = await readList(client, operation, mapping);
    items.push({ list: name, rows: rows.length, problem: fault ?? "" });
    for (const text of listContradictions(resource, rows)) printMessage(context, `note: ${text}`);
  }
  const differing = items.filter(({ problem }) => problem !== "").map(({ list }) => list);
  return toListOutput({
    items,
    columns: [{ name: "list" }, { name: "rows" }, { name: "problem", canWrap: true }],
    idOf: ({ list, problem }) => (problem === "" ? null : list),
    emptyMessage: "the mapping has no list",
    failure: () =>
      differing.length === 0
        ? undefined
        : verificationError(
            "mapping_differs",
            `the service differs from ${file} in ${differing.join(", ")}`,
            {
              hint: "correct the lines of these lists, or learn them again: claims mapping learn",
            },
          ),
  });
}

/** What the items of a list contradict in the interface: findings about the service. */
function listContradictions({ name, schema }: Resource, items: readonly ListItem[]): readonly string[] {
  const documented = Object.entries(schema.properties ?? {}).filter(
    ([, field]) => field["x-basis"] === "documented",
  );
  return documented.flatMap(([field, given]) => {
    const values = items.map(({ value }) => value[field]).filter((value) => value !== undefined);
    // A service may leave out what it would send as null.
    if (values.length === 0)
      return items.length > 0 && withoutNull(given) === given
        ? [`${name}: no ${field} is found, but ${given["x-source"]}`]
        : [];
    // Of the others, the interface gives no values.
    if (!given.enum && !given.format) return [];
    const validator = Compile(given);
    const wrong = values.find((value) => !validator.Check(value));
    return wrong === undefined ? [] : [`${name}: ${field} is ${quoteValue(wrong)}, but ${given["x-source"]}`];
  });
}
