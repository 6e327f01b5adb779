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
  readonly payload: Buffer;
  /** The time in the words of the capture. */
  readonly time: string;
}

/** The deliveries in the packets of `tshark -T json`, whose payloads are hex digits with colons; null for other records. */
export function readCapture(records: readonly unknown[]): readonly LoggedDelivery[] | null {
  if (!isRecord(valueAt(records[0], "_source.layers.tcp"))) return null;
  const packets = records.flatMap((each): Packet[] => {
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
        payload: Buffer.from(hex.replaceAll(":", ""), "hex"),
      },
    ];
  });
  return readPackets(packets);
}

const joinPayloads = (packets: readonly Packet[]): Buffer =>
  Buffer.concat(packets.map(({ payload }) => payload));

const REQUEST = /(?:GET|HEAD|POST|PUT|PATCH|DELETE) \S+ HTTP\/\d\.\d\r?\n/g;
const RESPONSE = /HTTP\/\d\.\d ([2-5]\d\d) /g;

/** The deliveries in the packets of a capture, with the status of the response on the same connection. */
function readPackets(packets: readonly Packet[]): readonly LoggedDelivery[] {
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
      return [addFacts(delivery, new Map(Object.entries(facts).filter(([, text]) => text !== "")))];
    });
  });
}
