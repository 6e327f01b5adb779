import type { StreamingResponse } from "../../../../client/http/response.ts";
import type { Service } from "../../../connection/service.ts";
import { explainRefusal } from "../job.ts";

export const MEDIA_TYPE = {
  json: "application/json",
  csv: "text/csv",
  ndjson: "application/x-ndjson",
} as const;

export type DatasetFormat = keyof typeof MEDIA_TYPE;

/** Requests the dataset of a job. The body arrives while it is read. */
export const openDataset = (
  service: Service,
  id: string,
  format: DatasetFormat,
): Promise<StreamingResponse> => {
  const { client, operations } = service;
  const input = { params: { jobId: id }, accept: MEDIA_TYPE[format] };
  return explainRefusal(service, id, client.stream(operations.diligence.dataset, input));
};
