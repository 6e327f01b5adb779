// openapi-typescript and openapi-fetch: registers an endpoint, lists it, and reads a refusal.
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

const client = createClient<paths>({
  baseUrl: process.env.CLAIMS_BASE_URL ?? "",
  headers: { Authorization: `Bearer ${process.env.CLAIMS_API_KEY}` },
});
const created = await client.POST("/v1/webhooks/endpoints", {
  body: {
    label: "generated",
    url: "http://127.0.0.1:9/",
    subscribedEvents: ["partner.test"],
    environmentScope: "sandbox",
  },
});
const list = await client.GET("/v1/webhooks/endpoints", { params: { query: { limit: 1 } } });
const refusal = await client.GET("/v1/webhook-deliveries", { params: { query: { limit: 0 } } });
const [newest] = list.data?.data ?? [];
if (
  !created.data?.signingSecret ||
  newest?.id !== created.data.id ||
  refusal.error?.code !== "validation_failed"
)
  throw new Error("the client of openapi-typescript and the sandbox do not understand each other");
console.log(`openapi-fetch: ${created.response.status}, ${list.response.status}, ${refusal.response.status}`);
