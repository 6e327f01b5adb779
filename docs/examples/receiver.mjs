// A receiver with Express: `WEBHOOK_SECRET=… node receiver.mjs`, after `npm install express` and this package.
import { verify } from "claims-toolkit/signature";
import express from "express";

const { PORT = "3000", WEBHOOK_SECRET = "" } = process.env;

function handler(request, response) {
  const { headers, body } = request;
  const secrets = [WEBHOOK_SECRET];
  const { verdict, reason } = verify({ secrets, headers, body, now: Date.now(), toleranceSeconds: 300 });
  if (verdict !== "valid") return response.status(401).send(reason); // missing_header, malformed, mismatch, stale
  const event = JSON.parse(body);
  if (event.type !== headers["x-service-event"]) return response.status(400).send("another event"); // it is not signed
  // put it into a queue, by its id: it may come again
  response.sendStatus(204);
}

const app = express();
app.post("/hook", express.raw({ type: () => true, limit: "5mb" }), handler); // req.body is a Buffer
app.listen(PORT);
