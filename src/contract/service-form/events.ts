import { EVENT_RECORD } from "./contract-records.ts";
import { createRecordMapper } from "./map-record.ts";
import type { ServiceForm } from "./service-form.ts";

export const writeEvent = (form: ServiceForm, payload: object): object =>
  createRecordMapper(form, EVENT_RECORD).write(payload as Record<string, unknown>);
