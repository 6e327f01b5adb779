import { Buffer } from "node:buffer";
import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { listRoutes } from "../../../contract/routes.ts";

/** A response on its way to the program, which a scenario may change. */
export interface PassingResponse {
  /** The operation that was requested; null for another path. */
  readonly operation: string | null;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** What a service does that a sandbox has no fault for. */
export interface GatewayBehaviour {
  readonly changeRequest?: (headers: IncomingHttpHeaders) => void;
  readonly changeBody?: (body: Buffer, headers: IncomingHttpHeaders) => Buffer;
  /** Changes a response; `cut` sends half of it, `drop` nothing, and both end the connection. */
  readonly changeResponse?: (response: PassingResponse) => "cut" | "drop" | undefined;
}

interface GatewayOptions extends GatewayBehaviour {
  readonly target: string;
  readonly host: "127.0.0.1" | "localhost";
}

const ROUTES = listRoutes().map(({ operation: { id }, methods, path }) => ({
  id,
  methods: methods as readonly string[],
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
}));

const findOperationId = (method: string, path: string): string | null =>
  ROUTES.find(({ methods, pattern }) => methods.includes(method) && pattern.test(path))?.id ?? null;

export async function startGateway(options: GatewayOptions) {
  const server = createServer((req, res) => {
    // The program may be killed at any time, and the sandbox closes before the gateway.
    forward(options, req, res).catch(() => res.destroy());
  });
  server.listen(0, options.host);
  await once(server, "listening");
  return {
    url: `http://${options.host}:${(server.address() as AddressInfo).port}`,
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function forward(
  { target, changeRequest, changeBody, changeResponse }: GatewayOptions,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { method = "GET", url = "/", headers } = req;
  changeRequest?.(headers);
  const changed = changeBody?.(Buffer.concat(await req.toArray()), headers);
  if (changed?.length) headers["content-length"] = String(changed.length);
  const onward = request(new URL(target), { method, path: url, headers, agent: false });
  if (changed) onward.end(changed);
  else req.pipe(onward);
  const [response] = (await once(onward, "response")) as [IncomingMessage];
  const passing: PassingResponse = {
    operation: findOperationId(method, url.replace(/\?.*$/s, "")),
    method,
    target: url,
    status: response.statusCode ?? 502,
    headers: { ...response.headers },
    body: Buffer.concat(await response.toArray()),
  };
  const end = changeResponse?.(passing);
  if (end === "drop") return void res.destroy();
  const { status, body } = passing;
  // The gateway has the whole body, whatever its own encoding was.
  const { "transfer-encoding": _, connection: __, ...kept } = passing.headers;
  res.writeHead(status, { ...kept, "content-length": body.length });
  if (end !== "cut") return void res.end(body);
  res.write(body.subarray(0, body.length / 2), () => res.destroy());
}
