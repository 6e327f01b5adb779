import { checkForm } from "../../../../contract/service-form/check-form.ts";
import { findContractResponse } from "../../../../contract/service-form/contract-records.ts";
import { isNdjson } from "../../../../contract/service-form/dataset-form.ts";
import {
  listFaults,
  MAX_FORM_LENGTH,
  parseServiceForm,
} from "../../../../contract/service-form/parse-form.ts";
import { formatPlace, valueAtPlace } from "../../../../contract/service-form/places.ts";
import { bindRows, listFormRows } from "../../../../contract/service-form/rows.ts";
import type { ServiceForm } from "../../../../contract/service-form/service-form.ts";
import { rejectedError, verificationError } from "../../../../domain/errors.ts";
import { parseJsonText } from "../../../../domain/json.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { resolveConnection } from "../../../connection/connection.ts";
import type { Context } from "../../../context.ts";
import { readInput } from "../../../files/input-file.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import { type Output, toListOutput } from "../../../output/output.ts";
import { type LiveRead, openLive, readAll } from "./live-reads.ts";

interface CheckInvocation extends BaseInvocation {
  readonly args: { readonly file: string };
  readonly options: { readonly job: string | undefined };
}

/** Above the limit of a form, so that a form which is too large is a mistake of the form, not of the command. */
const MAX_READ_MIB = 16;

/** Names each mistake with its place. Without one, and with a service, it reads the service by the form. */
export async function runCheck(context: Context, call: CheckInvocation): Promise<Output> {
  const { file } = call.args;
  const text = (await readInput(context, file, MAX_READ_MIB)).toString("utf8");
  if (text.length > MAX_FORM_LENGTH)
    return printMistakes(file, [{ at: "/", message: "a form is at most 1 MiB" }]);
  const faults = listFaults(parseJsonText(text)).map(toMistake);
  if (faults.length > 0) return printMistakes(file, faults);
  const form = parseServiceForm(text, file);
  const mistakes = checkForm(form);
  if (mistakes.length > 0) return printMistakes(file, mistakes);
  const { profile, baseUrl, sandbox, sandboxName } = call.global;
  const isLive = [profile, baseUrl, sandbox, sandboxName].some(
    (given) => given !== undefined && given !== false,
  );
  return isLive ? checkLive(context, call, form) : printMistakes(file, []);
}

const toMistake = (fault: string) => {
  const [at = "", ...message] = fault.startsWith("/") ? fault.split(": ") : ["/", fault];
  return { at, message: message.join(": ") };
};

const printMistakes = (
  file: string,
  mistakes: readonly { readonly at: string; readonly message: string }[],
): Output =>
  toListOutput({
    items: mistakes,
    columns: [
      { name: "at", canWrap: true },
      { name: "message", canWrap: true },
    ],
    idOf: ({ at }) => at,
    emptyMessage: `${file} has no mistake`,
    failure: () =>
      mistakes.length === 0
        ? undefined
        : rejectedError("form_invalid", `${file} has ${formatCount(mistakes.length, "mistake")}`, {
            hint: "the rows on stdout name the place of each",
          }),
  });

async function checkLive(context: Context, call: CheckInvocation, form: ServiceForm): Promise<Output> {
  const connection = await resolveConnection(context, call);
  const live = await openLive(context, connection, call.args.file);
  call.onEnd(() => live.service.close());
  const items = [];
  for await (const read of readAll(live, call.options.job))
    if (!read.isError) items.push(describeRead(form, read));
  const differing = items.filter(({ missing }) => missing !== "");
  return toListOutput({
    items,
    columns: [
      { name: "operation" },
      { name: "records" },
      { name: "found", canWrap: true },
      { name: "missing", canWrap: true },
    ],
    idOf: ({ operation }) => operation,
    emptyMessage: "the service responds to no read",
    failure: () =>
      differing.length === 0
        ? undefined
        : verificationError(
            "form_differs",
            `the service differs from ${call.args.file} in ${differing.map(({ operation }) => operation).join(", ")}`,
            { hint: "correct the rows of the fields that were not found" },
          ),
  });
}

/** The fields with a row that some record has, and those that none has. */
function describeRead(form: ServiceForm, { operation, records, status }: LiveRead) {
  const { record } = findContractResponse(operation);
  const own = form.operations?.[operation.id] ?? {};
  const name = own.record ?? record.name;
  const given = listFormRows(form, name);
  const rows = bindRows(form, record, name).filter(({ at, header }) => at !== null && header === null);
  const has = (path: readonly string[]) =>
    records?.some((each) => valueAtPlace(each, path) !== undefined) ?? false;
  const found = rows.filter(({ path }) => has(path)).map(({ path }) => formatPlace(path));
  const missing = rows.filter(({ path }) => given[path.join(".")] !== undefined && !has(path));
  const isPlain = own.isEmpty === true || own.csv?.only === true || isNdjson(own.contentType);
  const place = own.items ?? own.at ?? "the document";
  const expected = own.status ?? operation.response.status;
  return {
    operation: operation.id,
    records: String(records?.length ?? 0),
    found: found.join(", "),
    missing: [
      ...(status !== expected ? [`status ${expected} (it is ${status})`] : []),
      ...(records === null && !isPlain ? [`the records at ${place}`] : []),
      ...(records?.length
        ? missing.map(({ path, at }) => `${path.join(".")} at ${formatPlace(at ?? [])}`)
        : []),
    ].join(", "),
  };
}
