import * as Type from "typebox";
import {
  agendaItem,
  clockState,
  restoredState,
  sandboxCredentials,
  sandboxStatus,
  savedState,
  saveFailure,
  snapshotInfo,
} from "../../contract/control-responses.ts";
import { closedObject, count, dateTime, environment, mapOf, nullable } from "../../contract/schemas.ts";
import { each } from "../../domain/each.ts";
import { listOf, oneOf } from "./shapes.ts";

export const SANDBOX_DOCUMENTS = {
  SandboxReady: closedObject({
    event: Type.Literal("ready"),
    url: Type.String(),
    pid: Type.Integer(),
    instanceId: Type.String(),
    controlToken: Type.String(),
    credentials: sandboxCredentials,
  }),
  SandboxStatus: closedObject({
    name: nullable(Type.String()),
    url: Type.String(),
    pid: nullable(Type.Integer()),
    seededEndpointId: nullable(Type.String()),
    ...sandboxStatus.properties,
    saved: nullable(savedState, "null before the first save, and without a state file"),
    saveFailure: nullable(saveFailure, "null while saves succeed, and without a state file"),
  }),
  Sandboxes: listOf({
    ...each(Type.String, "name", "url"),
    state: oneOf("up", "not_responding"),
    startedAt: nullable(dateTime()),
    clock: nullable(clockState),
    seed: nullable(Type.Integer()),
    pid: count(),
  }),
  SandboxDown: closedObject({
    name: nullable(Type.String()),
    stopped: Type.Boolean(),
    pid: nullable(Type.Integer()),
  }),
  SandboxVariables: mapOf(Type.String()),
  GreaseTrials: Type.Array(
    closedObject({
      ...each(Type.String, "dimension", "variant", "assumption", "source"),
      // `untouched`: it passed, but no response and no delivery was varied, so the result says nothing.
      result: oneOf("pass", "fail", "untouched"),
      exitCode: Type.Integer(),
    }),
    { description: "with --grease-each; otherwise the command prints" },
  ),
  RanTasks: Type.Array(agendaItem),
  RestoredSandbox: closedObject({ clock: restoredState.properties.clock }),
  SavedSnapshot: Type.Union([
    closedObject({ ...snapshotInfo.properties, file: Type.Optional(Type.String()) }),
    closedObject({ file: Type.String() }),
  ]),
  EmittedDeliveries: listOf({
    ...each(Type.String, "deliveryId", "endpointId", "eventId", "type"),
    environment: environment(),
  }),
  Scenarios: listOf({
    ...each(Type.String, "name", "description", "state", "sellerName"),
    ...each(() => nullable(Type.String()), "failureCode", "review"),
    exitCode: Type.Integer(),
    resumed: nullable(closedObject({ state: Type.String(), exitCode: Type.Integer() })),
    minRows: closedObject(each(count, "entry", "es003")),
  }),
};
