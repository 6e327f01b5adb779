import { formatCount } from "../../numbers.ts";
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../headers.ts";
import type { Lack } from "./logged-delivery.ts";

/** What records of a log do not have, and what makes them readable: facts about the log, not about the deliveries. */
export function describeLack(lack: Lack, count: number, fields: readonly string[]) {
  const records = formatCount(count, "record");
  const [has, has2] = count === 1 ? ["has", "it"] : ["have", "they"];
  const columns = fields.length > 0 ? `; the fields are ${fields.slice(0, 12).join(", ")}` : "";
  if (lack === "signature" || lack === "timestamp")
    return {
      message: `${records} ${has} no ${lack === "signature" ? SIGNATURE_HEADER : TIMESTAMP_HEADER} at any place we know`,
      hint: `--field ${lack}=PATH names it, if ${has2} ${has} it${columns}`,
    };
  if (lack === "body")
    return {
      message: `${records} ${has} headers, and no body`,
      hint: `log the raw bytes of the body, or name the field: --field body=PATH${columns}`,
    };
  if (lack === "printed_body")
    return {
      message: `${records} ${has} headers, but dots in place of the bytes that the program does not print`,
      hint: "capture the bytes: tcpdump -X, or tcpdump -w FILE and tshark -T json",
    };
  return {
    message: `${records} ${has} headers, but the body was logged after parsing`,
    hint: "log the raw bytes: what a parser changed cannot be verified",
  };
}
