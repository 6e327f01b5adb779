import { agenda } from "./agenda.ts";
import { clockAdvance } from "./clock/advance.ts";
import { clockFreeze, clockUnfreeze } from "./clock/freeze.ts";
import { clockSet } from "./clock/set.ts";
import { clockShow } from "./clock/show.ts";
import { credentialsRotate } from "./credentials/rotate.ts";
import { csv } from "./csv/csv.ts";
import { down } from "./down.ts";
import { emit } from "./emit.ts";
import { endpointsList as sandboxEndpoints } from "./endpoints/list.ts";
import { endpointsDisable, endpointsEnable, endpointsRevoke } from "./endpoints/status.ts";
import { env } from "./env.ts";
import { exec } from "./exec/exec.ts";
import { faultsAdd } from "./faults/add.ts";
import { faultsClear } from "./faults/clear.ts";
import { faultsList } from "./faults/list.ts";
import { faultsPresets } from "./faults/presets.ts";
import { inspect } from "./inspect.ts";
import { list as sandboxList } from "./list.ts";
import { requestsClear } from "./requests/clear.ts";
import { requestsExport } from "./requests/export.ts";
import { requests } from "./requests/list.ts";
import { requestsShow } from "./requests/show.ts";
import { reset as sandboxReset } from "./reset.ts";
import { scenarios } from "./scenarios.ts";
import { sink } from "./sink.ts";
import { snapshotList, snapshotRemove } from "./snapshot/list.ts";
import { snapshotLoad } from "./snapshot/load.ts";
import { snapshotSave } from "./snapshot/save.ts";
import { status as sandboxStatus } from "./status.ts";
import { up } from "./up/up.ts";
import { wait as sandboxWait } from "./wait.ts";

/** The commands of `claims sandbox`; one comes before those of which it is the group. */
export const commands = [
  up,
  down,
  sandboxList,
  sandboxStatus,
  env,
  inspect,
  exec,
  clockShow,
  clockAdvance,
  clockSet,
  clockFreeze,
  clockUnfreeze,
  agenda,
  sandboxReset,
  snapshotSave,
  snapshotLoad,
  snapshotList,
  snapshotRemove,
  emit,
  sink,
  requests,
  requestsShow,
  requestsExport,
  requestsClear,
  sandboxWait,
  sandboxEndpoints,
  endpointsEnable,
  endpointsDisable,
  endpointsRevoke,
  credentialsRotate,
  faultsAdd,
  faultsList,
  faultsClear,
  faultsPresets,
  scenarios,
  csv,
];
