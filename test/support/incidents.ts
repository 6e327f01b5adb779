import { sign } from "../../src/signature.ts";

export const SECRET = "whsec_bWFkZS11cC1mb3ItdGVzdHMtb25seS0wMDAwMDAwMDE";
export const OLDER_SECRET = "whsec_b2xkZXItc2VjcmV0LWZvci10ZXN0cy1vbmx5LTAwMDE";

/** A line of the log of a receiver. */
export interface LogLine {
  readonly time: string;
  readonly remoteAddress: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const START = Date.parse("2026-11-22T13:40:00Z");

interface Change {
  readonly secret?: string;
  readonly sender?: string;
  readonly url?: string;
  /** Seconds that the receiver's clock is ahead. */
  readonly clock?: number;
  readonly change?: (body: string) => string;
}

/** One delivery a minute, from 13:40Z on. The service signs each one; `changeOf` says what happened to it. */
export const createLog = (count: number, changeOf: (index: number) => Change): readonly LogLine[] =>
  Array.from({ length: count }, (_, index) => {
    const {
      secret = SECRET,
      sender = "10.0.3.2",
      url = "/hook",
      clock = 0,
      change = String,
    } = changeOf(index);
    const sentAt = START + index * 60_000;
    const timestamp = String(sentAt / 1000);
    const body = JSON.stringify({
      id: `e-${index}`,
      type: "claim.updated",
      data: { note: "caf\u00e9", cents: index },
    });
    return {
      time: new Date(sentAt + clock * 1_000).toISOString(),
      remoteAddress: sender,
      url,
      headers: {
        "content-type": "application/json",
        "x-service-event": "claim.updated",
        "x-service-timestamp": timestamp,
        "x-service-signature": sign({ secret, timestamp, body }),
      },
      body: change(body),
    };
  });

export const toLines = (log: readonly unknown[]): string =>
  log.map((line) => `${JSON.stringify(line)}\n`).join("");

/** As json.dumps of Python does. */
const reprint = (body: string): string =>
  body.replace(/[,:](?=["{\d])/g, "$& ").replaceAll("\u00e9", "\\u00e9");

/** What happened, the log, further options, and the lines of the result. */
export const INCIDENTS: readonly {
  readonly name: string;
  readonly log: readonly LogLine[];
  readonly args: readonly string[];
  readonly groups: readonly (readonly [count: number, causes: string, who: string, where: string])[];
}[] = [
  {
    name: "a deployment that parses the body",
    log: createLog(60, (index) => (index < 22 ? {} : { change: reprint })),
    args: [],
    groups: [
      [
        38,
        "body.reserialized (proved)",
        "the receiver's program",
        "since 2026-11-22 14:02 UTC; the 22 before it are valid",
      ],
    ],
  },
  {
    name: "a rotation",
    log: createLog(70, (index) => (index <= 60 ? { secret: OLDER_SECRET } : {})),
    args: ["--candidate", "older=older.txt"],
    groups: [
      [
        61,
        "secret.older (proved)",
        "whoever stores the secret",
        "until 2026-11-22 14:40 UTC; the 9 after it are valid",
      ],
    ],
  },
  {
    name: "one proxy",
    log: createLog(40, (index) =>
      index % 3 === 1 ? { sender: "10.0.3.7", change: (body) => `${body}\n` } : {},
    ),
    args: [],
    groups: [
      [
        13,
        "body.trailing_newline (proved)",
        "whoever made this log or copy",
        "all with remoteAddress 10.0.3.7, since 2026-11-22 13:41 UTC",
      ],
    ],
  },
  {
    name: "a gateway that encodes bodies",
    log: createLog(30, (index) =>
      index % 2 === 1 ? { url: "/gateway", change: (body) => Buffer.from(body).toString("base64") } : {},
    ),
    args: [],
    groups: [
      [
        15,
        "body.base64 (proved)",
        "something between sender and receiver",
        "all with url /gateway, since 2026-11-22 13:41 UTC",
      ],
    ],
  },
  {
    name: "a clock",
    log: createLog(20, () => ({ clock: 1_200 })),
    args: ["--tolerance", "5m"],
    groups: [[20, "stale: the timestamp is too far off", "", "the receiver's clock is 20 min ahead"]],
  },
];
