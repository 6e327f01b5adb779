import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { listenOnLoopback } from "../../../../support/listen.ts";

/** A delivery as a receiver has it. */
export interface Received {
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

type Answer = (delivery: Received, response: ServerResponse, count: number) => void | Promise<void>;

/** Answers with the next of these statuses, with the last one from then on. */
export const answersWith =
  (...statuses: number[]): Answer =>
  (_delivery, response, count) =>
    void response.writeHead(statuses[Math.min(count, statuses.length) - 1] ?? 200).end("thanks");

/** A receiver on loopback, until the end of the test; it answers when it has read all of a delivery. */
export async function receiver(answer: Answer = answersWith(200)) {
  const received: Received[] = [];
  const seen = { connections: 0, inFlight: 0, most: 0 };
  const server = createServer(async (request, response) => {
    seen.inFlight += 1;
    seen.most = Math.max(seen.most, seen.inFlight);
    response.on("close", () => {
      seen.inFlight -= 1;
    });
    const delivery = { path: request.url ?? "", headers: pairs(request), body: await bodyOf(request) };
    await answer(delivery, response, received.push(delivery));
  });
  server.on("connection", () => {
    seen.connections += 1;
  });
  return { url: `http://${await listenOnLoopback(server)}/hook`, received, seen };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const pairs = ({ rawHeaders }: IncomingMessage): [string, string][] =>
  rawHeaders.flatMap((name, at, all): [string, string][] =>
    at % 2 === 0 ? [[name, all[at + 1] ?? ""]] : [],
  );

export const header = ({ headers }: Received, wanted: string): string =>
  headers.find(([name]) => name === wanted)?.[1] ?? "";

/** Of the records of the API and the control API, what these tests look at. */
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

/** What a caller of the sandbox does in these tests; whatever is not answered with a success is an error. */
export function callerOf(sandbox: Sandbox) {
  const ask = async (token: string, method: string, path: string, body?: object) => {
    const answer = await fetch(sandbox.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  const { sandbox: own } = sandbox.credentials;
  const control = (method: string, path: string, body?: object) =>
    ask(sandbox.controlToken, method, `/_sandbox${path}`, body);
  return {
    control,
    register: (url: string, more: object = {}): Promise<EndpointRecord> =>
      ask(own.apiKey, "POST", "/v1/webhooks/endpoints", {
        ...{ label: "Receiver", url, subscribedEvents: ["partner.test"], environmentScope: "sandbox" },
        ...more,
      }),
    test: (endpointId?: string): Promise<{ eventId: string; body: string }> =>
      ask(own.apiKey, "POST", "/v1/sandbox/webhooks/test", {
        ...{ eventType: "partner.test", environment: "sandbox" },
        ...(endpointId !== undefined && { endpointId }),
      }),
    emit: (event: object = {}): Promise<{ eventId: string; deliveries: { endpointId: string }[] }> =>
      control("POST", "/emit", { type: "partner.test", ...event }),
    /** The newest first. */
    deliveries: async (query = ""): Promise<DeliveryRecord[]> =>
      (await ask(own.apiKey, "GET", `/v1/webhook-deliveries${query}`)).data,
    /** The newest delivery to an endpoint. */
    delivery: async (endpointId: string): Promise<DeliveryRecord> =>
      (await ask(own.apiKey, "GET", `/v1/webhook-deliveries?limit=1&endpointId=${endpointId}`)).data[0],
    endpoint: async (id: string): Promise<EndpointRecord> => {
      const { data } = await ask(own.apiKey, "GET", "/v1/webhooks/endpoints?limit=200");
      return data.find((endpoint: EndpointRecord) => endpoint.id === id);
    },
    attempts: async (id: string): Promise<DeliveryRecord["attempts"]> =>
      (await control("GET", `/deliveries/${id}`)).attempts,
    resend: (id: string): Promise<DeliveryRecord> => control("POST", `/deliveries/${id}/resend`),
    setStatus: (id: string, status: string): Promise<EndpointRecord> =>
      control("POST", `/endpoints/${id}/status`, { status }),
  };
}
