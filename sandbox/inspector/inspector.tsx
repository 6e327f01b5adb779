import type { Context } from "koa";
import type { VNode } from "preact";
import { ClaimsError } from "../../src/domain/errors.ts";
import icon from "../../src/pages/icon.svg?text";
import { Document, PageFrame } from "../../src/pages/layout.tsx";
import script from "../../src/pages/refresh.js?text";
import { renderPage } from "../../src/pages/render.ts";
import { createServerLinks, SiteProvider } from "../../src/pages/site.ts";
import { STYLESHEET } from "../../src/pages/stylesheet.ts";
import { isSameSecret } from "../control/guard.ts";
import type { ControlDependencies } from "../control/handlers.ts";
import { controlProblem, toProblemError, withProblems } from "../control/problems.ts";
import { redactModel, redactText } from "../engine/request-log/redaction.ts";
import { readClock } from "../library/read-state.ts";
import { parseBody } from "../wire/parse-body.ts";
import { INSPECTOR_PREFIX, type InspectorSession, requireLoopback } from "./access.ts";
import { ACTIONS } from "./actions.ts";
import { PAGES, type View } from "./routes.ts";

const ASSETS: ReadonlyMap<string, { readonly type: string; readonly text: string }> = new Map([
  ["/assets/style.css", { type: "text/css; charset=utf-8", text: STYLESHEET }],
  ["/assets/icon.svg", { type: "image/svg+xml", text: icon }],
  ["/assets/refresh.js", { type: "text/javascript; charset=utf-8", text: script }],
]);

const readForm = parseBody();

const FORM_TYPE = "application/x-www-form-urlencoded";

const TICKET_ROUTE = "/tickets/{ticket}";

export const INSPECTOR_ROUTES: readonly string[] = [
  `GET ${TICKET_ROUTE}`,
  ...[...ASSETS.keys(), ...Object.keys(PAGES)].map((path) => `GET ${path}`),
  ...Object.keys(ACTIONS).map((path) => `POST ${path}`),
];

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

const SECURITY_HEADERS = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": POLICY,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  // With no-referrer, a browser sends Origin: null with forms.
  "Referrer-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/** Ports of one host share their cookies, so the name has the port. */
const cookieName = (port: number): string => `claims_inspector_${port}`;

export async function serveInspector(ctx: Context, dependencies: ControlDependencies): Promise<void> {
  const { host, inspectorAccess, sandbox } = dependencies;
  ctx.set(SECURITY_HEADERS);
  await withProblems(() => requireLoopback(host));
  const path = ctx.path.slice(INSPECTOR_PREFIX.length);
  const ticket = match(TICKET_ROUTE, path)?.ticket;
  if (ticket !== undefined && ctx.method === "GET") return openSession(ctx, ticket, dependencies);
  const session = inspectorAccess.findSession(ctx.cookies.get(cookieName(sandbox.port)) ?? "");
  if (!session) return writePage(ctx, 401, <Refusal title="The inspector is closed" />);
  if (ctx.method === "POST") return act(ctx, path, session, dependencies);
  if (ctx.method === "GET" || ctx.method === "HEAD") return show(ctx, path, session, dependencies);
  throw controlProblem("method_not_allowed", `${ctx.path} takes GET, HEAD and POST, not ${ctx.method}.`, {
    Allow: "GET, HEAD, POST",
  });
}

function openSession(ctx: Context, ticket: string, { inspectorAccess, sandbox }: ControlDependencies): void {
  const secret = inspectorAccess.redeem(ticket);
  if (secret === null) {
    writePage(ctx, 403, <Refusal title="This link was used, or is older than a minute" />);
    return;
  }
  ctx.cookies.set(cookieName(sandbox.port), secret, {
    httpOnly: true,
    sameSite: "strict",
    path: INSPECTOR_PREFIX,
    overwrite: true,
  });
  ctx.status = 303;
  ctx.set("Location", INSPECTOR_PREFIX);
}

async function show(
  ctx: Context,
  path: string,
  session: InspectorSession,
  { engine, sandbox }: ControlDependencies,
): Promise<void> {
  const asset = ASSETS.get(path);
  if (asset) return write(ctx, 200, asset.type, asset.text);
  const found = findRoute(PAGES, path);
  if (!found) throw controlProblem("control_route_not_found", `There is no page ${path}.`);
  const call = { engine, sandbox, params: found.params, query: ctx.URL.searchParams };
  const view = await catchErrors(() => engine.quiescence.run(() => found.target(call)));
  const { title, current, content, status = 200 } = view;
  // The script refreshes a page without its message, which only a reader has seen.
  const message = ctx.get("Sec-Fetch-Mode") === "cors" ? null : session.message;
  if (message && ctx.method === "GET") session.message = null;
  const { now, frozen } = readClock(engine);
  const here = redactText(`${path}${ctx.search}`);
  const site = { links: createServerLinks(INSPECTOR_PREFIX), formToken: session.formToken, here, now };
  writePage(
    ctx,
    status,
    <SiteProvider value={site}>
      <PageFrame {...redactModel({ title, current, message })} isFrozen={frozen} url={sandbox.url}>
        {content}
      </PageFrame>
    </SiteProvider>,
  );
}

async function act(ctx: Context, path: string, session: InspectorSession, { sandbox }: ControlDependencies) {
  if (!ctx.is(FORM_TYPE))
    throw controlProblem("origin_not_allowed", `A form of the inspector is ${FORM_TYPE}.`);
  await readForm(ctx, async () => undefined);
  const form = new URLSearchParams(ctx.request.body as Record<string, string>);
  if (!isSameSecret(form.get("token") ?? "", session.formToken))
    throw controlProblem("origin_not_allowed", "The form has no valid token. Open the page again.");
  const found = findRoute(ACTIONS, path);
  if (!found) throw controlProblem("control_route_not_found", `There is no action ${path}.`);
  const back = parseBack(form.get("back") ?? "");
  try {
    const text = await found.target({ sandbox, params: found.params, form });
    session.message = { tone: "success", text };
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    session.message = { tone: "failure", text: `${error.message}: ${error.hint}` };
  }
  ctx.status = 303;
  ctx.set("Location", `${INSPECTOR_PREFIX}${back}`);
}

/** Only a page of the inspector: the form's field must not lead elsewhere. */
function parseBack(back: string): string {
  const [path = ""] = back.split("?");
  return /^[\w/?=&.%+*-]*$/.test(back) && findRoute(PAGES, path) ? back : "";
}

/** An error about what the reader asked for is a page with its words. */
async function catchErrors(read: () => Promise<View>): Promise<View> {
  try {
    return await read();
  } catch (error) {
    const found = error instanceof ClaimsError ? toProblemError(error) : null;
    if (!found) throw error;
    const { title, status } = found;
    const { message, hint } = redactModel({ message: found.message, hint: found.hint });
    const content = (
      <>
        <h1>{title}</h1>
        <p>{message}</p>
        <p class="note">{hint}</p>
      </>
    );
    return { title, current: null, content, status };
  }
}

/** The entry of a table whose route has the form of a path, with the parameters of the path. */
function findRoute<Target>(routes: Readonly<Record<string, Target>>, path: string) {
  for (const [route, target] of Object.entries(routes)) {
    const params = match(route, path);
    if (params !== null) return { target, params };
  }
  return null;
}

/** The parameters of a path that has the form of a route; null for another one. */
function match(route: string, path: string): Readonly<Record<string, string>> | null {
  const pattern = route.replace(/\{(\w+)\}/g, "(?<$1>[\\w.%-]{1,200})");
  const found = new RegExp(`^${pattern}$`).exec(path);
  return found && { ...found.groups };
}

function write(ctx: Context, status: number, type: string, body: string): void {
  ctx.body = body;
  ctx.status = status;
  ctx.set("Content-Type", type);
}

const writePage = (ctx: Context, status: number, page: VNode): void =>
  write(ctx, status, "text/html; charset=utf-8", renderPage(page));

const Refusal = ({ title }: { readonly title: string }) => (
  <Document title="claims sandbox">
    <main>
      <h1>{title}</h1>
      <p>
        Run <code>claims sandbox inspect</code> in a terminal, and open the URL that it prints.
      </p>
    </main>
  </Document>
);
