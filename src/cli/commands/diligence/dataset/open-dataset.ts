import { requireKnownCharset } from "../../../../client/http/describe-body.ts";
import type { StreamingResponse } from "../../../../client/http/response.ts";
import { rejectedError } from "../../../../domain/errors.ts";
import type { Service } from "../../../connection/service.ts";
import { explainRefusal } from "../job.ts";

const MEDIA_TYPE = { json: "application/json", csv: "text/csv", ndjson: "application/x-ndjson" } as const;

export type DatasetFormat = keyof typeof MEDIA_TYPE;

const DATASET_FORMATS = Object.keys(MEDIA_TYPE) as readonly DatasetFormat[];

/** Requests the dataset of a job. The body arrives while it is read. */
export async function openDataset(
  service: Service,
  id: string,
  format: DatasetFormat,
): Promise<StreamingResponse> {
  const { client, operations } = service;
  const input = { params: { jobId: id }, accept: MEDIA_TYPE[format] };
  const response = await explainRefusal(service, id, client.stream(operations.diligence.dataset, input));
  requireKnownCharset(response, "the dataset");
  return response;
}

/** @throws ClaimsError `format_not_available` if the service sent another format */
export function requireFormat(contentType: string | undefined, format: DatasetFormat): void {
  const accept = MEDIA_TYPE[format];
  if (contentType?.startsWith(accept)) return;
  throw rejectedError(
    "format_not_available",
    `the service sent ${contentType ?? "no content type"}, not ${accept}`,
    { hint: "leave out the format to see what the service has" },
  );
}

/** Without a help, which depends on the command. */
export const datasetFormat = { value: "format", choices: DATASET_FORMATS, default: "json" } as const;
