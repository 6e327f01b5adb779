import { Buffer } from "node:buffer";
import { writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { sign } from "../../src/signature.ts";
import { bareEnvironment, runCli, startCli, temporaryFolder } from "./cli.ts";

export const SECRET = "whsec_bWFkZS11cC1mb3ItdGVzdHMtb25seS0wMDAwMDAwMDE";
const TIMESTAMP = "1795132800";

/** A body with a NUL and with bytes that are not UTF-8. */
export const BODY = Buffer.concat([
  Buffer.from('{"type":"partner.test","amount":1.0}\r\n'),
  Buffer.from([0, 0xff, 0xfe]),
]);

export const signHeaders = (
  body: Uint8Array | string = BODY,
  event = "partner.test",
  secret = SECRET,
): string[] => [
  ...["X-Service-Event", event],
  ...["X-Service-Timestamp", TIMESTAMP],
  ...["X-Service-Signature", sign({ secret, timestamp: TIMESTAMP, body })],
];

interface PostResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** Posts bytes with raw headers: names and values in turn. */
export function post(
  url: string,
  headers: readonly string[],
  body: Uint8Array | string = BODY,
): Promise<PostResponse> {
  return new Promise((resolve, reject) => {
    const { hostname, port, pathname, search } = new URL(url);
    const request = httpRequest({
      ...{ hostname, port, path: pathname + search, method: "POST", agent: false },
      headers: [
        "Host",
        "receiver.example",
        "Content-Length",
        String(Buffer.byteLength(body)),
        ...headers,
      ] as never,
    });
    request.on("error", reject);
    request.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
      );
    });
    request.end(body);
  });
}

/** Creates a folder with a secret file, and returns functions that run commands and listeners in it. */
export function setUpListener() {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "secret.txt"), SECRET, { mode: 0o600 });
  const env = bareEnvironment();
  const listen = async (...args: string[]) => {
    const started = startCli(["webhooks", "listen", "--port", "0", "--json", ...args], { env, cwd });
    const [line] = await started.waitForOutput(/^\{"event":"ready".*\}$/m);
    const { url } = JSON.parse(line) as { url: string };
    return { ...started, url, ready: JSON.parse(line) };
  };
  const run = (...args: string[]) => runCli(["webhooks", ...args], { env, cwd });
  return { cwd, env, listen, run };
}

export const WITH_SECRET = ["--secret-file", "secret.txt"];

/** The events of a listener after the ready line. */
export const parseEvents = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => JSON.parse(line));
