import type { RecordsModel } from "../../../src/pages/records.tsx";
import type { Engine } from "../../engine/engine.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { listRecords } from "../../library/list-records.ts";

const MAX_RECORDS = 50;

export const readRecords = (engine: Engine): Promise<RecordsModel> =>
  engine.idle.whenSettled(() => redactModel({ tables: listRecords(engine, MAX_RECORDS) }));
