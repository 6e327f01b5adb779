import type { GreaseDimension } from "../../../../src/contract/grease.ts";
import { job } from "../../../../src/contract/operations/diligence.ts";
import { statusLabelOf } from "../../../../src/contract/operations/operation.ts";
import { ALL_OPERATIONS } from "../../../../src/contract/operations/operations.ts";
import { findContractResponse } from "../../../../src/contract/service-form/contract-records.ts";
import {
  type ErrorsForm,
  FORM_VERSION,
  type OperationForm,
  type Row,
  type ServiceForm,
} from "../../../../src/contract/service-form/service-form.ts";
import { type GreaseChoices, NO_CHOICES, WORKING_STATES } from "./choices.ts";

type Records = Readonly<Record<string, Readonly<Record<string, Row>>>>;
type Operations = Readonly<Record<string, OperationForm>>;

interface FormPart extends Pick<ServiceForm, "times" | "errors"> {
  readonly records?: Records;
  readonly operations?: Operations;
}

export function generateForm(choices: GreaseChoices): ServiceForm {
  const parts = FORM_DIMENSIONS.map((dimension) => describeDimension(dimension, choices));
  const records = mergeMembers(parts.map((part) => part.records ?? {}));
  return {
    serviceForm: FORM_VERSION,
    ...Object.assign({}, ...parts),
    records: Object.fromEntries(Object.entries(records).map(([name, fields]) => [name, { fields }])),
    operations: mergeMembers(parts.map((part) => part.operations ?? {})),
  };
}

export const generatePartialForm = (dimension: GreaseDimension, choices: GreaseChoices): ServiceForm =>
  generateForm({ ...NO_CHOICES, [dimension]: choices[dimension] });

function mergeMembers<Member extends object>(
  all: readonly Readonly<Record<string, Member>>[],
): Record<string, Member> {
  const merged: Record<string, Member> = {};
  for (const members of all)
    for (const [name, member] of Object.entries(members)) merged[name] = { ...merged[name], ...member };
  return merged;
}

/** What the variants of a dimension make of the form. The other dimensions are effects on the wire. */
const PARTS: { readonly [D in GreaseDimension]?: (choice: NonNullable<GreaseChoices[D]>) => FormPart } = {
  jobIdField: placeJobId,
  stateName: nameStates,
  timestampFormat: (choice) => ({ times: TIME_CODECS[choice] }),
  listEnvelope: (choice) => ({ operations: wrapLists(choice) }),
  errorShape: (choice) => ({ errors: ERROR_FORMS[choice] }),
  successStatus: () => ({ operations: listStatuses() }),
};

export const FORM_DIMENSIONS = Object.keys(PARTS) as readonly GreaseDimension[];

function describeDimension(dimension: GreaseDimension, choices: GreaseChoices): FormPart {
  const describe = PARTS[dimension] as ((choice: string) => FormPart) | undefined;
  const choice = choices[dimension];
  return choice === null || !describe ? {} : describe(choice);
}

const TIME_CODECS = { seconds: "epoch-seconds", milliseconds: "epoch-ms", rfc3339: "with-offset" } as const;

/** The record of a response that has its id in `Location`. */
const ACCEPTED_JOB = "AcceptedJob";

/** The operations that respond with a job. Elsewhere the field refers to one (interface §4). */
const JOB_OPERATIONS = ALL_OPERATIONS.filter(({ response }) => response.schema === job);

function placeJobId(choice: NonNullable<GreaseChoices["jobIdField"]>): FormPart {
  if (choice === "Location") {
    const accepted = JOB_OPERATIONS.filter(({ response }) => response.headers?.Location);
    return {
      records: { [ACCEPTED_JOB]: { jobId: { header: "Location", as: "last-segment" } } },
      operations: Object.fromEntries(accepted.map(({ id }) => [id, { record: ACCEPTED_JOB }])),
    };
  }
  const jobId = choice;
  const others = { Report: { jobId }, Dataset: { jobId } };
  if (choice !== "job.id") return { records: { Job: { jobId }, ...others } };
  return {
    records: { Job: { jobId: "id" }, ...others },
    operations: Object.fromEntries(JOB_OPERATIONS.map(({ id }) => [id, { at: "job" }])),
  };
}

/** The records that a client polls until they succeed. */
function nameStates(choice: NonNullable<GreaseChoices["stateName"]>): FormPart {
  const state = { words: { completed: choice, processing: WORKING_STATES[choice] } };
  return { records: { Job: { state }, Scan: { state }, [ACCEPTED_JOB]: { state } } };
}

/** A bare list has its next page in `Link` alone. */
function wrapLists(choice: NonNullable<GreaseChoices["listEnvelope"]>): Operations {
  const paging = { kind: "cursor", parameter: "cursor", size: "limit", link: true } as const;
  const own: OperationForm = {
    items: { items: "items", paging: { ...paging, next: "next_cursor" } },
    results: { items: "results", paging: { ...paging, next: "next" } },
    array: { items: "", paging: { ...paging, kind: "link" as const } },
  }[choice];
  const lists = ALL_OPERATIONS.filter((operation) => findContractResponse(operation).isPage);
  return Object.fromEntries(lists.map(({ id }) => [id, own]));
}

const ERROR_FORMS: Readonly<Record<NonNullable<GreaseChoices["errorShape"]>, ErrorsForm>> = {
  error: { at: "error", code: "code", message: "message" },
  message: { message: "message" },
  errors: { at: "errors", isList: true, code: "code", message: "message" },
  text: { isText: true },
  html: { isText: true, contentType: "text/html; charset=utf-8" },
};

const listStatuses = (): Operations =>
  Object.fromEntries(
    ALL_OPERATIONS.filter(
      ({ response }) => response.status !== 200 && statusLabelOf(response).basis === "assumed",
    ).map(({ id }) => [id, { status: 200 }]),
  );
