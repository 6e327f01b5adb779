import { Buffer } from "node:buffer";
import { valueAt } from "../../json.ts";
import type { HeaderPair, ReceivedDelivery } from "./delivery.ts";

/** The delivery of one `request` of a HAR. */
export function readHarRequest(request: unknown): ReceivedDelivery {
  const text = valueAt(request, "postData.text");
  // Some tools encode binary bodies as those of responses (HAR 1.2, content.encoding).
  const isBase64 = valueAt(request, "postData.encoding") === "base64";
  const body = Buffer.from(typeof text === "string" ? text : "", isBase64 ? "base64" : "utf8");
  return { headers: readHarHeaders(valueAt(request, "headers")), body };
}

/** The headers of a request or a response. */
export const readHarHeaders = (list: unknown): readonly HeaderPair[] =>
  (Array.isArray(list) ? list : []).flatMap((each: unknown): HeaderPair[] => {
    const name = valueAt(each, "name");
    return typeof name === "string" ? [[name, String(valueAt(each, "value") ?? "")]] : [];
  });
