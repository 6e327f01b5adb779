/** How frameworks give the raw body. */
export const RAW_BODY_EXAMPLES = {
  Express:
    'app.post("/hook", express.raw({ type: () => true, limit: "5mb" }), handler); // req.body is a Buffer',
  Koa: "const body = Buffer.concat(await ctx.req.toArray()); // before any body parser",
  "Next.js": "const body = new Uint8Array(await request.arrayBuffer()); // in route.ts, not request.json()",
  Nest: "NestFactory.create(AppModule, { rawBody: true })  // then req.rawBody: RawBodyRequest<Request>",
  Fastify:
    'app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_, body, done) => done(null, body))',
  Flask: "body = request.get_data()  # before request.json or request.form",
  FastAPI: "body = await request.body()  # request: Request as the parameter, no model",
  Django: "body = request.body  # before request.POST; request.data of REST framework is parsed",
  Rails: "body = request.raw_post  # not params, and not params.to_json",
  Spring: "ResponseEntity<Void> hook(@RequestBody byte[] body, @RequestHeader HttpHeaders headers)",
  Go: "body, err := io.ReadAll(r.Body)  // before json.NewDecoder(r.Body)",
  PHP: "$body = file_get_contents('php://input');  // Laravel: $request->getContent()",
  "API Gateway + Lambda":
    'const body = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");',
} as const;

export type Framework = keyof typeof RAW_BODY_EXAMPLES;
export const FRAMEWORKS = Object.keys(RAW_BODY_EXAMPLES) as Framework[];
export const FREQUENT_FRAMEWORKS: readonly Framework[] = ["Express", "Flask", "Spring", "Go", "PHP"];

/** What a record has that only a program of this framework writes. */
const SIGNS: readonly (readonly [Framework, RegExp])[] = [
  ["Nest", /\[Nest\]|@nestjs|NestApplication/],
  ["Next.js", /next\.js|next-server|x-nextjs/i],
  ["Fastify", /fastify/i],
  ["Koa", /\bkoa\b/i],
  ["Express", /\bexpress\b/i],
  ["FastAPI", /fastapi|uvicorn|starlette/i],
  ["Django", /django|\bviews\b/i],
  ["Flask", /\bflask\b|werkzeug/i],
  ["Rails", /\brails\b|ActionController|ActiveSupport/],
  ["Spring", /springframework|\bo\.s\.|http-nio-\d/i],
  ["PHP", /laravel|symfony|\bphp\b/i],
  ["API Gateway + Lambda", /requestContext|awsRequestId/],
];

/** The framework of the receiver by the names and values of a record; null if it does not show. */
export function findFramework(facts: ReadonlyMap<string, string>): Framework | null {
  const text = [...facts].flat().join("\n");
  return SIGNS.find(([, sign]) => sign.test(text))?.[0] ?? null;
}
