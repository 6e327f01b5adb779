/** How frequent frameworks give the raw body. */
export const RAW_BODY_EXAMPLES = {
  Express:
    'app.post("/hook", express.raw({ type: () => true, limit: "5mb" }), handler)  // req.body is a Buffer',
  Koa: "const body = Buffer.concat(await ctx.req.toArray())  // before any body parser",
  "Next.js": "const body = new Uint8Array(await request.arrayBuffer())  // in route.ts, not request.json()",
  Flask: "body = request.get_data()  # before request.json or request.form",
  "API Gateway + Lambda":
    'const body = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8")',
} as const;
