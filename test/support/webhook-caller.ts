import type { Sandbox } from "../../sandbox/index.ts";

/** The fields of a delivery in the API and the control API that these tests read. */
export interface DeliveryRecord {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly status: string;
  readonly attemptCount: number;
  readonly lastResponseStatus: number | null;
  readonly lastError: string | null;
  readonly lastAttemptAt: string | null;
  readonly nextAttemptAt: string | null;
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
