import type { DeliveryDetails, EmittedEvent, Sandbox, SandboxEndpoint } from "../../sandbox/index.ts";
import type { Delivery, Endpoint } from "../../src/contract/operations/webhooks.ts";

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
    register: (url: string, more: object = {}): Promise<Endpoint & { readonly signingSecret: string }> =>
      request(own.apiKey, "POST", "/v1/webhooks/endpoints", {
        ...{ label: "Receiver", url, subscribedEvents: ["partner.test"], environmentScope: "sandbox" },
        ...more,
      }),
    test: (endpointId?: string): Promise<{ eventId: string; body: string }> =>
      request(own.apiKey, "POST", "/v1/sandbox/webhooks/test", {
        ...{ eventType: "partner.test", environment: "sandbox" },
        ...(endpointId !== undefined && { endpointId }),
      }),
    emit: (event: object = {}): Promise<EmittedEvent> =>
      callControl("POST", "/emit", { type: "partner.test", ...event }),
    /** Newest first. */
    deliveries: async (query = ""): Promise<Delivery[]> =>
      (await request(own.apiKey, "GET", `/v1/webhook-deliveries${query}`)).data,
    /** The newest delivery to an endpoint. */
    delivery: async (endpointId: string): Promise<Delivery> =>
      (await request(own.apiKey, "GET", `/v1/webhook-deliveries?limit=1&endpointId=${endpointId}`)).data[0],
    endpoint: async (id: string): Promise<Endpoint> => {
      const { data } = await request(own.apiKey, "GET", "/v1/webhooks/endpoints?limit=200");
      return data.find((endpoint: Endpoint) => endpoint.id === id);
    },
    attempts: async (id: string): Promise<DeliveryDetails["attempts"]> =>
      (await callControl("GET", `/deliveries/${id}`)).attempts,
    resend: (id: string): Promise<DeliveryDetails> => callControl("POST", `/deliveries/${id}/resend`),
    setStatus: (id: string, status: string): Promise<SandboxEndpoint> =>
      callControl("POST", `/endpoints/${id}/status`, { status }),
  };
}
