/** How frameworks give the raw body, and what a record has that only a program of the framework writes. */
// biome-ignore format: a table, one framework a line
const FRAMEWORK_ROWS = {
  Nest: ["NestFactory.create(AppModule, { rawBody: true })  // then req.rawBody: RawBodyRequest<Request>", /\[Nest\]|@nestjs|NestApplication/],
  "Next.js": ["const body = new Uint8Array(await request.arrayBuffer()); // in route.ts, not request.json()", /next\.js|next-server|x-nextjs/i],
  Fastify: ['app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_, body, done) => done(null, body))', /fastify/i],
  Koa: ["const body = Buffer.concat(await ctx.req.toArray()); // before any body parser", /\bkoa\b/i],
  Express: ['app.post("/hook", express.raw({ type: () => true, limit: "5mb" }), handler); // req.body is a Buffer', /\bexpress\b/i],
  FastAPI: ["body = await request.body()  # request: Request as the parameter, no model", /fastapi|uvicorn|starlette/i],
  Django: ["body = request.body  # before request.POST; request.data of REST framework is parsed", /django|\bviews\b/i],
  Flask: ["body = request.get_data()  # before request.json or request.form", /\bflask\b|werkzeug/i],
  Rails: ["body = request.raw_post  # not params, and not params.to_json", /\brails\b|ActionController|ActiveSupport/],
  Spring: ["ResponseEntity<Void> hook(@RequestBody byte[] body, @RequestHeader HttpHeaders headers)", /springframework|\bo\.s\.|http-nio-\d/i],
  Go: ["body, err := io.ReadAll(r.Body)  // before json.NewDecoder(r.Body)", null],
  PHP: ["$body = file_get_contents('php://input');  // Laravel: $request->getContent()", /laravel|symfony|\bphp\b/i],
  "API Gateway + Lambda": ['const body = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");', /requestContext|awsRequestId/],
} as const satisfies Readonly<Record<string, readonly [example: string, mark: RegExp | null]>>;

export type Framework = keyof typeof FRAMEWORK_ROWS;
export const FRAMEWORKS = Object.keys(FRAMEWORK_ROWS) as Framework[];
export const FREQUENT_FRAMEWORKS: readonly Framework[] = ["Express", "Flask", "Spring", "Go", "PHP"];

export const RAW_BODY_EXAMPLES = Object.fromEntries(
  FRAMEWORKS.map((name) => [name, FRAMEWORK_ROWS[name][0]]),
) as Readonly<Record<Framework, string>>;

/** The framework of the receiver by the names and values of a record; null if it does not show. */
export function findFramework(facts: ReadonlyMap<string, string>): Framework | null {
  const text = [...facts].flat().join("\n");
  return FRAMEWORKS.find((name) => FRAMEWORK_ROWS[name][1]?.test(text)) ?? null;
}
