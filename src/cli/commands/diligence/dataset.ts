import type { Readable } from "node:stream";
import type { StreamedAnswer } from "../../../client/client.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { command } from "../../command.ts";
import { openService, type Service } from "../../service.ts";
import { rowsAsText } from "./dataset-rows.ts";
import { whyNotReadable } from "./job.ts";
import { jobArgument } from "./options.ts";

const MEDIA_TYPE = { json: "application/json", csv: "text/csv", ndjson: "application/x-ndjson" } as const;

type Format = keyof typeof MEDIA_TYPE;

export const dataset = command({
  name: "dataset",
  summary: "print the dataset of a job, entry by entry",
  remote: "reads",
  arguments: [jobArgument],
  options: {
    csv: { help: "as CSV" },
    ndjson: { help: "as JSON, one entry a line" },
  },
  examples: [
    "claims diligence dataset 7d9c… --csv --out dataset.csv",
    "claims diligence dataset 7d9c… | cut -f 2,12,24",
  ],
  async run(context, { args: [id = ""], options, global, onEnd }) {
    const asked = (["json", "csv", "ndjson"] as const).filter((name) =>
      name === "json" ? global.json : options[name],
    );
    if (asked.length > 1) {
      throw new ClaimsError("usage", "formats", `--${asked.join(" and --")} exclude each other`, {
        hint: "choose one of them",
      });
    }
    const service = await openService(context, global);
    onEnd(service.close);
    const format = asked[0] ?? (global.out === undefined ? undefined : "json");
    const answer = await read(service, id, format ?? "ndjson");
    const body = whole(answer.body);
    const contentType = answer.headers["content-type"];
    if (asked[0] && !contentType?.startsWith(MEDIA_TYPE[asked[0]])) throw notAvailable(asked[0], contentType);
    return { kind: "stream", body: format ? body : rowsAsText(body, contentType, context.stdout) };
  },
});

const notAvailable = (format: Format, contentType = "no content type"): ClaimsError =>
  new ClaimsError(
    "rejected",
    "format_not_available",
    `the service answered ${contentType}, not ${MEDIA_TYPE[format]}`,
    {
      hint: "leave the format out to see what it has",
    },
  );

async function read(service: Service, id: string, format: Format): Promise<StreamedAnswer> {
  try {
    return await service.client.stream(service.operations.diligence.dataset, {
      params: { jobId: id },
      accept: MEDIA_TYPE[format],
    });
  } catch (error) {
    throw await whyNotReadable(service, id, error);
  }
}

/** The bytes as they come; a connection that breaks off is not taken for the end. */
async function* whole(body: Readable): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += (chunk as Uint8Array).length;
      yield chunk as Uint8Array;
    }
  } catch (cause) {
    throw new ClaimsError("unreachable", "answer_cut_short", `the dataset broke off after ${size} bytes`, {
      hint: "run the command again; --out FILE leaves nothing half-written",
      retryable: true,
      cause,
    });
  }
}
