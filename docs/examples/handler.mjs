import { verify } from "claims-toolkit/signature";

export async function handler(event) {
  const { headers } = event;
  const body = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
  const secrets = [process.env.WEBHOOK_SECRET ?? ""];
  const { verdict, reason } = verify({ secrets, headers, body, now: Date.now(), toleranceSeconds: 300 });
  if (verdict !== "valid") return { statusCode: 401, body: reason };
  return { statusCode: 204 };
}
