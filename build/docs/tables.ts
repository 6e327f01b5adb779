// The tables of the sources that the reference prints, beside what the command line says about itself.
import Type, { type TSchema } from "typebox";
import { COMMON_DOCUMENTS } from "../../src/cli/documents/common.ts";
import { DOCUMENTS } from "../../src/cli/documents/index.ts";
import { triageGroup } from "../../src/cli/documents/webhooks.ts";
import { CONTROL_OPERATIONS, type ControlOperation } from "../../src/contract/control.ts";
import * as control from "../../src/contract/control-responses.ts";
import { faultRule, faultSpec } from "../../src/contract/fault-rules.ts";
import { describeDimension, GREASE_DIMENSIONS } from "../../src/contract/grease.ts";
import { loggedRequest } from "../../src/contract/logged-request.ts";
import { COMPONENTS } from "../../src/contract/openapi-components.ts";
import { scanChange, scannedEntry } from "../../src/contract/operations/scans.ts";
import { closedObject } from "../../src/contract/schemas.ts";
import { SCENARIO_NAMES } from "../../src/domain/scenarios/scenario-names.ts";
import { getScenario } from "../../src/domain/scenarios/scenarios.ts";
import { getCase, listCaseIds } from "../../src/domain/webhooks/probe/cases.ts";

export { ENTRY_FILE_RULES, listEntryColumns } from "../../src/cli/capabilities/entry-files.ts";
export { CAPABILITIES_SCHEMA } from "../../src/cli/documents/capabilities.ts";
export { FAULT_PRESETS } from "../../src/contract/fault-presets.ts";
export { ALL_OPERATIONS } from "../../src/contract/operations/operations.ts";
export { FILE_ERROR_CODES } from "../../src/domain/entries/entry-file-error.ts";
export { FILE_WARNING_MESSAGES } from "../../src/domain/entries/file-warnings.ts";
export { ROW_ERROR_MESSAGES } from "../../src/domain/entries/rules/row-error-messages.ts";
export { WARNING_MESSAGES } from "../../src/domain/entries/rules/warnings.ts";
export { GLOSSARY } from "../../src/domain/glossary.ts";
export { CAUSES } from "../../src/domain/webhooks/explain/causes.ts";
export { RAW_BODY_EXAMPLES } from "../../src/domain/webhooks/explain/raw-body-examples.ts";
export { REMARKS as SIGNATURE_REMARKS } from "../../src/domain/webhooks/explain/secrets.ts";
export { DIAGNOSES } from "../../src/domain/webhooks/probe/diagnoses.ts";

/** A rule, or a preset with overrides. */
const faultRequest = Type.Partial(closedObject({ preset: Type.String(), ...faultSpec.properties }));

type Types = Readonly<Record<string, TSchema>>;

export const CONTROL_RESPONSES: Types = control.CONTROL_RESPONSES;

/** Where the engine validates most of a body, the row of the operation has only the rest. */
export const CONTROL_INPUTS: Readonly<Record<string, ControlOperation>> = {
  ...CONTROL_OPERATIONS,
  "POST /faults": { ...CONTROL_OPERATIONS["POST /faults"], body: faultRequest },
};

export const PROBE_CASES = listCaseIds().map((id) => ({ id, ...getCase(id) }));
export const SCENARIOS = SCENARIO_NAMES.map((name) => ({ name, ...getScenario(name) }));
export const GREASE = GREASE_DIMENSIONS.map((name) => ({ name, ...describeDimension(name) }));

/** What the service responds with, with the parts that repeat. */
export const SERVICE_TYPES: Types = { ...COMPONENTS, ScanChange: scanChange, ScannedEntry: scannedEntry };

/** What the control API responds with. */
export const CONTROL_TYPES: Types = {
  AdvanceResult: control.advanceResult,
  AgendaItem: control.agendaItem,
  ClockState: control.clockState,
  ControlState: control.sandboxStatus,
  DeliveryAttempt: control.deliveryAttempt,
  DeliveryDetails: control.deliveryDetails,
  EmittedEvent: control.emittedEvent,
  FaultRule: faultRule,
  FaultSpec: faultSpec,
  LoggedRequest: loggedRequest,
  RestoredState: control.restoredState,
  SaveFailure: control.saveFailure,
  SavedState: control.savedState,
  SandboxCredentials: control.sandboxCredentials,
  SandboxEndpoint: control.sandboxEndpoint,
  SinkRequest: control.sinkRequest,
  SnapshotInfo: control.snapshotInfo,
};

/** What this program prints, with the parts that repeat. */
export const DOCUMENT_TYPES: Types = {
  ...COMMON_DOCUMENTS,
  ...DOCUMENTS,
  TriageGroup: triageGroup,
};
