import { verify } from "claims-toolkit/signature";

export async function POST(request) {
  const { headers } = request;
  const body = new Uint8Array(await request.arrayBuffer()); // in route.ts, not request.json()
  const secrets = [process.env.WEBHOOK_SECRET ?? ""];
  const { verdict, reason } = verify({ secrets, headers, body, now: Date.now(), toleranceSeconds: 300 });
  if (verdict !== "valid") return new Response(reason, { status: 401 });
  const event = JSON.parse(new TextDecoder().decode(body));
  if (event.type !== headers.get("x-service-event")) return new Response("another event", { status: 400 });
  return new Response(null, { status: 204 });
}
