import type { Context } from "koa";
import { OPERATIONS } from "../../src/contract/operations.ts";
import { isLoopback } from "../../src/domain/net.ts";
import { renderPage } from "../../src/pages/render.ts";
import { Welcome } from "../../src/pages/welcome.tsx";

/** For a browser at the base URL. The page has nothing of the state, so it needs no guard. */
export function serveWelcome(ctx: Context, { url, host }: { readonly url: string; readonly host: string }) {
  const { method, path } = OPERATIONS.document.openapi;
  ctx.status = 200;
  ctx.set({
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    // The page itself allows only its own style.
    "Content-Security-Policy": "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    Vary: "Accept",
  });
  ctx.body = renderPage(
    <Welcome url={url} contractRoute={`${method} ${path}`} hasInspector={isLoopback(host)} />,
  );
}
