import * as diligence from "./diligence.ts";
import { openapi } from "./document.ts";
import { token } from "./oauth.ts";
import type { Operation } from "./operation.ts";

/** Every operation by noun; whoever implements the service implements this. */
export const OPERATIONS = {
  oauth: { token },
  document: { openapi },
  diligence: {
    submit: diligence.submit,
    status: diligence.status,
    report: diligence.readReport,
    dataset: diligence.readDataset,
    resume: diligence.resume,
  },
} as const satisfies Record<string, Record<string, Operation>>;

/** The same rows as one list, in the order of the interface. */
export const ALL_OPERATIONS: readonly Operation[] = Object.values(OPERATIONS).flatMap((noun) =>
  Object.values(noun),
);
