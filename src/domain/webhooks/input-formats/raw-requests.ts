import type { Buffer } from "node:buffer";
import { parseHttpRequest } from "./http-request.ts";
import type { LoggedDelivery } from "./logged-delivery.ts";

const START_LINE = /^(?:POST|PUT) \S+ HTTP\/\d(?:\.\d)?\r?$/gm;

/** The raw requests of a file, one after the other. */
export function readRequests(bytes: Buffer, shownAs: string): readonly LoggedDelivery[] {
  const starts = [...bytes.toString("latin1").matchAll(START_LINE)].map(({ index }) => index);
  const pieces =
    starts.length > 1 ? starts.map((start, index) => bytes.subarray(start, starts[index + 1])) : [bytes];
  return pieces.map((piece, index) => {
    const { headers, body } = parseHttpRequest(piece, shownAs);
    const isLast = index === pieces.length - 1;
    // An empty line separates it from the next one.
    const trimmed = isLast
      ? body
      : body.subarray(0, body.length - (/(?:\r?\n)*$/.exec(body.toString("latin1"))?.[0].length ?? 0));
    return {
      ...{ headers, body: trimmed, otherBodies: isLast ? [] : [body] },
      ...{ written: null, receivedAt: null, status: null, facts: new Map(), lacks: null },
    };
  });
}
