import type { AnyCommand } from "../../framework/command.ts";
import { batch } from "./batch/batch.ts";
import { check } from "./check.ts";
import { dataset } from "./dataset/dataset.ts";
import { deadlines } from "./deadlines/deadlines.ts";
import { history } from "./history.ts";
import { pull } from "./pull.ts";
import { report } from "./report.ts";
import { resume } from "./resume.ts";
import { status } from "./status.ts";
import { submit } from "./submit.ts";
import { template } from "./template.ts";
import { wait } from "./wait.ts";

export const commands: readonly AnyCommand[] = [
  submit,
  status,
  wait,
  report,
  dataset,
  deadlines,
  resume,
  batch,
  history,
  check,
  template,
  pull,
];
