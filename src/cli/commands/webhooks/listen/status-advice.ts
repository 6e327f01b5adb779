/** What an answer that is no success says about the receiver. */
const ADVICE: Readonly<Record<number, string>> = {
  400: "the app could not read it, or takes the signature for a wrong one: it must verify the raw bytes",
  401: "the app changes the body before it verifies, or verifies with another secret",
  403: "the app changes the body before it verifies, verifies with another secret, or wants a login of its own",
  404: "the app has no such route: check the path of the URL",
  405: "the app takes no POST there: check the path of the URL",
  410: "the app is gone for good: the service disables an endpoint that answers so",
  413: "the app, or a proxy before it, allows smaller bodies only",
  415: "the app reads another content type only",
  429: "the app, or a proxy before it, allows fewer requests",
};

/** One line on a status outside 200–299. */
export function adviseOnStatus(status: number): string {
  if (status >= 300 && status < 400) return "redirects are not followed: name the URL that it leads to";
  return ADVICE[status] ?? (status >= 500 ? "the app failed: look at its log" : "look at the app's log");
}
