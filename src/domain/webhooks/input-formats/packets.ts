import { Buffer } from "node:buffer";
import { groupBy } from "../../group-by.ts";
import { headerValues } from "../../http-headers.ts";
import { isRecord, valueAt } from "../../json.ts";
import { orNull } from "../explain/encodings.ts";
import { mentionsServiceHeader } from "./header-notation.ts";
import { parseHttpRequest } from "./http-request.ts";
import { addFacts, type LoggedDelivery, toDelivery } from "./logged-delivery.ts";

/** What a packet of TCP carries from one address and port to another. */
interface Packet {
  readonly from: string;
  readonly to: string;
  /** Of its first byte; null if the capture does not say. */
  readonly sequence: string | null;
  readonly payload: Buffer;
  /** As the capture writes it. */
  readonly time: string;
}

/** The first line of a packet, as tcpdump prints it. */
const PACKET =
  /^(?:((?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d\.\d+|\d{9,10}\.\d+) )?(?:\S+ +(?:In|Out) +)?IP6? (\S+) > (\S+): Flags \[[^\]]*\](?:, seq (\d+)(?::\d+)?)?.*, length (\d+)/gm;
const HEX_LINE = /^\s*0x[0-9a-f]{4}:\s+((?:[0-9a-f]{2,4} ?){1,8})/;
const REQUEST_LINE = /(?:GET|HEAD|POST|PUT|PATCH|DELETE) \S+ HTTP\/\d/.source;
const MESSAGE_START = new RegExp(`${REQUEST_LINE}|HTTP/\\d(?:\\.\\d)? \\d{3}`);

/** Whether a text is what tcpdump prints. */
export const isCapture = (text: string): boolean => text.slice(0, 4_000).search(PACKET) >= 0;

/** The packets in what `tcpdump -A`, `-X` or `-x` prints. */
function readPrintedPackets(text: string): readonly Packet[] {
  const headers = [...text.matchAll(PACKET)];
  return headers.flatMap((header, index) => {
    const [line, time = "", from = "", to = "", sequence = null, length = "0"] = header;
    const next = headers[index + 1];
    const [, ...lines] = text.slice(header.index + line.length, next && next.index - 1).split("\n");
    return Number(length) > 0
      ? [{ time, from, to, sequence, payload: readPayload(lines, Number(length)) }]
      : [];
  });
}

/** @param length of the payload in bytes, which ends the packet */
function readPayload(lines: readonly string[], length: number): Buffer {
  const hex = lines.map((line) => HEX_LINE.exec(line)?.[1]?.replaceAll(" ", "") ?? "").join("");
  if (hex !== "") {
    const bytes = Buffer.from(hex, "hex");
    // Behind the packet, a frame can have padding.
    const end = bytes[0] === 0x45 ? bytes.readUInt16BE(2) : bytes.length;
    return bytes.subarray(0, end).subarray(-length);
  }
  const text = lines.join("\n");
  const start = text.search(MESSAGE_START);
  if (start < 0) return Buffer.from(text.slice(-length), "latin1");
  // tcpdump leaves out the CR before each LF, which only the head has.
  const message = text.slice(start);
  const [head = ""] = message.split(/(?<=\n\n)/, 1);
  const breaks = head.split("\n").length - 1;
  return Buffer.from(message.slice(0, length - breaks), "latin1");
}

/** The packets of `tshark -T json`, whose payloads are hex digits with colons. */
export function readDissectedPackets(records: readonly unknown[]): readonly Packet[] | null {
  if (!isRecord(valueAt(records[0], "_source.layers.tcp"))) return null;
  return records.flatMap((each): Packet[] => {
    const layers = valueAt(each, "_source.layers");
    // Names with dots in them.
    const read = (layer: string, name: string): string => {
      const fields = isRecord(layers) ? layers[layer] : null;
      return isRecord(fields) ? String(fields[name] ?? "") : "";
    };
    const whole = read("tcp.segments", "tcp.reassembled.data");
    const hex = whole === "" ? read("tcp", "tcp.payload") : whole;
    if (hex === "") return [];
    return [
      {
        time: read("frame", "frame.time_epoch"),
        from: `${read("ip", "ip.src")}:${read("tcp", "tcp.srcport")}`,
        to: `${read("ip", "ip.dst")}:${read("tcp", "tcp.dstport")}`,
        sequence: null,
        payload: Buffer.from(hex.replaceAll(":", ""), "hex"),
      },
    ];
  });
}

/** The bytes of packets, without those that were sent once more. */
function joinPayloads(packets: readonly Packet[]): Buffer {
  const seen = new Map<string | null, Buffer>();
  const payloads: Buffer[] = [];
  for (const { sequence, payload } of packets) {
    if (sequence !== null && seen.get(sequence)?.equals(payload)) continue;
    seen.set(sequence, payload);
    payloads.push(payload);
  }
  return Buffer.concat(payloads);
}

const REQUEST = new RegExp(`${REQUEST_LINE}\\.\\d\\r?\\n`, "g");
const RESPONSE = /HTTP\/\d\.\d ([2-5]\d\d) /g;

/** The deliveries in the packets of a capture, with the status of the response on the same connection. */
export function readCapture(captured: string | readonly Packet[]): readonly LoggedDelivery[] {
  // tcpdump -A prints a dot for each byte that it does not print.
  const isLossy = typeof captured === "string" && !HEX_LINE.test(captured.split("\n", 2)[1] ?? "");
  const packets = typeof captured === "string" ? readPrintedPackets(captured) : captured;
  const flows = groupBy(packets, ({ from, to }) => `${from} > ${to}`);
  return [...flows.values()].flatMap((flow) => {
    const [{ from, to, time }] = flow as [Packet];
    const bytes = joinPayloads(flow);
    const text = bytes.toString("latin1");
    if (!mentionsServiceHeader(text)) return [];
    const back = joinPayloads(flows.get(`${to} > ${from}`) ?? []).toString("latin1");
    const statuses = [...back.matchAll(RESPONSE)].map(([, status = ""]) => status);
    const starts = [...text.matchAll(REQUEST)].map(({ index }) => index);
    return starts.flatMap((start, index) => {
      const piece = bytes.subarray(start, starts[index + 1]);
      if (!mentionsServiceHeader(piece.toString("latin1"))) return [];
      const request = orNull(() => parseHttpRequest(piece, "the capture"));
      if (!request) return [];
      const length = Number(headerValues(request.headers, "content-length")[0] ?? request.body.length);
      const body = request.body.subarray(0, length);
      const [, path = ""] = piece.toString("latin1", 0, 2_000).split(/[ ?]/, 2);
      const delivery = toDelivery(request.headers, [{ bytes: body, score: 9 }]);
      const facts = { from: from.replace(/[.:]\d+$/, ""), to, path, time, status: statuses[index] ?? "" };
      return [
        addFacts(
          isLossy && /\.\./.test(body.toString("latin1")) ? { ...delivery, lacks: "printed_body" } : delivery,
          new Map(Object.entries(facts).filter(([, text]) => text !== "")),
        ),
      ];
    });
  });
}
