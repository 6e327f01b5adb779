import { checkMapping } from "../../../../contract/mapping/check.ts";
import type { Mapping } from "../../../../contract/mapping/mapping.ts";
import { MAX_MAPPING_LENGTH, type MappingMistake } from "../../../../contract/mapping/parse.ts";
import { rejectedError, verificationError } from "../../../../domain/errors.ts";
import { dropByteOrderMark, parseJsonText } from "../../../../domain/json.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { resolveConnection } from "../../../connection/connection.ts";
import { openConnection } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { readInput } from "../../../files/input-file.ts";
import { type Output, toListOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { readLists } from "../read-service.ts";
import type { CheckInvocation } from "./check.ts";

/** Above the limit of a mapping, so that one that is too large is a mistake of the mapping, not of the command. */
const MAX_READ_MIB = 16;

/** Names each mistake with its place. Without one, and with a service, it reads the service through the mapping. */
export async function runCheck(context: Context, call: CheckInvocation): Promise<Output> {
  const { file } = call.args;
  const text = dropByteOrderMark((await readInput(context, file, MAX_READ_MIB)).toString("utf8"));
  const mapping = parseJsonText(text);
  const mistakes = listMistakes(text, mapping);
  const { profile, baseUrl, sandbox, sandboxName } = call.global;
  const isLive = [profile, baseUrl, sandbox, sandboxName].some(
    (given) => given !== undefined && given !== false,
  );
  return mistakes.length > 0 || !isLive
    ? printMistakes(file, mistakes)
    : checkLive(context, call, mapping as Mapping);
}

function listMistakes(text: string, mapping: unknown): readonly MappingMistake[] {
  if (text.length >= MAX_MAPPING_LENGTH) return [{ key: null, message: "has 1 MiB or more" }];
  return mapping === undefined ? [{ key: null, message: "is not JSON" }] : checkMapping(mapping);
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

async function checkLive(context: Context, call: CheckInvocation, mapping: Mapping): Promise<Output> {
  const connection = await resolveConnection(context, call);
  const service = await openConnection(context, call, { ...connection, mapping: call.args.file }, {});
  const read = await readLists(service, mapping);
  for (const { contradictions } of read)
    for (const text of contradictions) printMessage(context, `note: ${text}`);
  const items = read.map(({ what, found, missing }) => ({ what, found, missing }));
  const differing = items.filter(({ missing }) => missing !== "");
  return toListOutput({
    items,
    columns: [{ name: "what" }, { name: "found", canWrap: true }, { name: "missing", canWrap: true }],
    idOf: ({ what, missing }) => (missing === "" ? null : what),
    emptyMessage: "the mapping has no list",
    failure: () =>
      differing.length === 0
        ? undefined
        : verificationError(
            "mapping_differs",
            `the service differs from ${call.args.file} in ${differing.map(({ what }) => what).join(", ")}`,
            { hint: "correct the lines of what is missing, or learn it again: claims mapping learn" },
          ),
  });
}
