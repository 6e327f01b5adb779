import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { listenOnLoopback } from "../../../../support/listen.ts";

/** A request as the receiver reads it. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

type Respond = (delivery: ReceivedRequest, response: ServerResponse, count: number) => void | Promise<void>;

/** Responds with these statuses in order, and repeats the last one. */
export const respondWith =
  (...statuses: number[]): Respond =>
  (_delivery, response, count) =>
    void response.writeHead(statuses[Math.min(count, statuses.length) - 1] ?? 200).end("thanks");

/** Starts a receiver on loopback and closes it after the test. It responds after it has read the whole request. */
export async function startReceiver(respond: Respond = respondWith(200)) {
  const requests: ReceivedRequest[] = [];
  const counts = { connections: 0, inFlight: 0, most: 0 };
  const server = createServer(async (request, response) => {
    counts.inFlight += 1;
    counts.most = Math.max(counts.most, counts.inFlight);
    response.on("close", () => {
      counts.inFlight -= 1;
    });
    const delivery = { path: request.url ?? "", headers: toPairs(request), body: await readBody(request) };
    await respond(delivery, response, requests.push(delivery));
  });
  server.on("connection", () => {
    counts.connections += 1;
  });
  return { url: `http://${await listenOnLoopback(server)}/hook`, requests, counts };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const toPairs = ({ rawHeaders }: IncomingMessage): [string, string][] =>
  rawHeaders.flatMap((name, at, all): [string, string][] =>
    at % 2 === 0 ? [[name, all[at + 1] ?? ""]] : [],
  );

export const headerOf = ({ headers }: ReceivedRequest, name: string): string =>
  headers.find(([each]) => each === name)?.[1] ?? "";

/** The fields of a delivery in the API and the control API that these tests read. */
export interface DeliveryRecord {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly environment: string;
  readonly status: string;
  readonly attemptCount: number;
  readonly lastResponseStatus: number | null;
  readonly lastError: string | null;
  readonly lastAttemptAt: string | null;
  readonly nextAttemptAt: string | null;
  readonly deliveredAt: string | null;
  readonly attempts: readonly {
    readonly number: number;
    readonly trigger: string;
    readonly at: string;
    readonly headers: readonly (readonly [string, string])[];
    readonly responseStatus: number | null;
    readonly responseExcerpt: string | null;
    readonly error: { readonly code: string; readonly detail: string } | null;
  }[];
}

export interface EndpointRecord {
  readonly id: string;
  readonly status: string;
  readonly signingSecret: string;
  readonly lastDeliveryAt: string | null;
  readonly lastSuccessAt: string | null;
  readonly lastFailureAt: string | null;
}

/** Creates functions that call the sandbox. They reject when the response is not a success. */
export function createCaller(sandbox: Sandbox) {
  const request = async (token: string, method: string, path: string, body?: object) => {
    const response = await fetch(sandbox.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const { sandbox: own } = sandbox.credentials;
  const callControl = (method: string, path: string, body?: object) =>
    request(sandbox.controlToken, method, `/_sandbox${path}`, body);
  return {
    callControl,
    register: (url: string, more: object = {}): Promise<EndpointRecord> =>
      request(own.apiKey, "POST", "/v1/webhooks/endpoints", {
        ...{ label: "Receiver", url, subscribedEvents: ["partner.test"], environmentScope: "sandbox" },
        ...more,
      }),
    test: (endpointId?: string): Promise<{ eventId: string; body: string }> =>
      request(own.apiKey, "POST", "/v1/sandbox/webhooks/test", {
        ...{ eventType: "partner.test", environment: "sandbox" },
        ...(endpointId !== undefined && { endpointId }),
      }),
    emit: (event: object = {}): Promise<{ eventId: string; deliveries: { endpointId: string }[] }> =>
      callControl("POST", "/emit", { type: "partner.test", ...event }),
    /** Newest first. */
    deliveries: async (query = ""): Promise<DeliveryRecord[]> =>
      (await request(own.apiKey, "GET", `/v1/webhook-deliveries${query}`)).data,
    /** The newest delivery to an endpoint. */
    delivery: async (endpointId: string): Promise<DeliveryRecord> =>
      (await request(own.apiKey, "GET", `/v1/webhook-deliveries?limit=1&endpointId=${endpointId}`)).data[0],
    endpoint: async (id: string): Promise<EndpointRecord> => {
      const { data } = await request(own.apiKey, "GET", "/v1/webhooks/endpoints?limit=200");
      return data.find((endpoint: EndpointRecord) => endpoint.id === id);
    },
    attempts: async (id: string): Promise<DeliveryRecord["attempts"]> =>
      (await callControl("GET", `/deliveries/${id}`)).attempts,
    resend: (id: string): Promise<DeliveryRecord> => callControl("POST", `/deliveries/${id}/resend`),
    setStatus: (id: string, status: string): Promise<EndpointRecord> =>
      callControl("POST", `/endpoints/${id}/status`, { status }),
  };
}
