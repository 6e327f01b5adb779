import { Buffer } from "node:buffer";
import { decodeQuotedPrintable } from "../explain/encodings.ts";

const FIRST_LINE =
  /^(?:From |(?:Return-Path|Received|Delivered-To|MIME-Version|From|To|Subject|Date|Message-ID):)/i;
const MAX_PARTS = 200;

/** The texts of the parts of mails, attachments too, decoded (RFC 2045); null for other text. */
export function readMail(text: string, first: string): readonly string[] | null {
  if (!FIRST_LINE.test(first) || !/^(?:Subject|From|To|MIME-Version):/im.test(text.slice(0, 16_384)))
    return null;
  const mails = text.split(/^From \S+ .*\r?\n/m).filter((each) => each.trim() !== "");
  return mails.flatMap((mail) => readPart(mail.trimStart(), 0)).slice(0, MAX_PARTS);
}

function readPart(part: string, depth: number): string[] {
  const [, head = "", body = ""] = /^([\s\S]*?)\r?\n\r?\n([\s\S]*)$/.exec(part) ?? [];
  const unfolded = head.replace(/\r?\n[ \t]+/g, " ");
  const [, boundary] = /^content-type:.*\bboundary="?([^";\r\n]+)"?/im.exec(unfolded) ?? [];
  if (boundary !== undefined && depth < 8)
    return body
      .split(`--${boundary}`)
      .slice(1)
      .filter((each) => !each.startsWith("--"))
      .flatMap((each) => readPart(each.replace(/^\r?\n/, "").replace(/\r?\n$/, ""), depth + 1));
  const [, encoding = ""] = /^content-transfer-encoding:\s*([\w-]+)/im.exec(unfolded) ?? [];
  if (/^base64$/i.test(encoding)) return [Buffer.from(body, "base64").toString()];
  return [/^quoted-printable$/i.test(encoding) ? decodeQuotedPrintable(body).toString() : body];
}
