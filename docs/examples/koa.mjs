// A receiver with Koa: `WEBHOOK_SECRET=… node koa.mjs`, after `npm install koa` and this package.
import { verify } from "claims-toolkit/signature";
import Koa from "koa";

const { PORT = "3000", WEBHOOK_SECRET = "" } = process.env;

const app = new Koa();
app.use(async (ctx) => {
  const { headers } = ctx.req;
  const body = Buffer.concat(await ctx.req.toArray()); // before any body parser
  const secrets = [WEBHOOK_SECRET];
  const { verdict, reason } = verify({ secrets, headers, body, now: Date.now(), toleranceSeconds: 300 });
  if (verdict !== "valid") return Object.assign(ctx, { status: 401, body: reason });
  const event = JSON.parse(body);
  if (event.type !== headers["x-service-event"])
    return Object.assign(ctx, { status: 400, body: "another event" });
  ctx.status = 204;
});
app.listen(PORT);
