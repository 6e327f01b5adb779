"""DutyDesk partner endpoint, standard library only.  python3 server.py PORT"""
import base64, hashlib, hmac, http.client, json, re, secrets, signal, sys, threading, time, uuid
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

KEY, CLIENT, SECRET = "dd-sbx-91b2", "dd-oauth", "dd-oauth-secret"
EVENTS = ("partner.test", "partner.capability.changed", "partner.environment.promoted", "partner.credential.rotated")
BASE, lock, tokens = 1770000000, threading.RLock(), set()
STATES = {"N": "waiting in line", "W": "being worked on", "D": "all rows reviewed", "partial": "some rows were put aside", "failed": "stopped by an error"}


def new(): return str(uuid.uuid4())
def mail(t=None): return formatdate(time.time() if t is None else t, usegmt=True)
def usd(cents): return "USD %s%d.%02d" % ("-" if cents < 0 else "", abs(cents) // 100, abs(cents) % 100)
def flag(b): return "true" if b else "false"


org = {"reference": new(), "company": "DutyDesk Pilot Partner", "broker": "true", "level": "2", "joined": mail(BASE)}
clients, claims, offers, ledger, scans, jobs, subs, deliveries = [], [], [], [], {}, {}, {}, []
for i, title in enumerate("Apex Bikes,Bright Tiles,Crown Linens,Dock Tools,Easel Arts,Falcon Gear,Glow Candles,Hive Honey".split(",")):
    clients.append({"reference": new(), "title": title, "importer": "77-10%d" % (100 + i), "standing": ("good", "watch", "blocked")[i % 3], "joined": mail(BASE + i * 3600), "paid_duties": usd(990050 + i * 1234), "power_of_attorney": flag(i % 2 == 0), "open_claims": str(i)})
    claims.append({"reference": new(), "client_reference": clients[-1]["reference"], "status": {"code": ("R", "E", "P")[i % 3], "text": ("registered", "examined", "paid out")[i % 3]}, "expected": usd(330075 + i * 17), "entries": str(2 + i), "registered": mail(BASE + i * 60)})
    if i < 5:
        offers.append({"reference": new(), "claim_reference": claims[-1]["reference"], "pays": usd(210000 + i), "rate": "4.%d%%" % i, "accepted": "false", "ends": mail(BASE + 9000000)})
    ledger.append({"reference": new(), "claim_reference": claims[-1]["reference"], "booking": usd(-450 - i if i % 3 == 0 else 7700 + i), "date": mail(BASE + i * 90), "side": "debit" if i % 3 == 0 else "credit"})
_s = new(); scans[_s] = {"reference": _s, "status": {"code": "D", "text": STATES["D"]}, "rows_seen": "811", "potential": usd(4455066), "begun": mail(BASE)}
_h = new(); subs[_h] = {"id": _h, "label": "Nightly import", "url": "https://dd.example.com/hook", "subscribedEvents": ["partner.environment.promoted"], "environmentScope": "production", "secretPrefix": "dds.7", "status": "disabled", "history": {"delivery": mail(BASE), "success": mail(BASE), "failure": None}, "_secret": "dds.7777"}


def delivery(sub, event, **kw):
    d = {"reference": new(), "subscription": sub, "event": event, "status": "queued", "attemptCount": "0", "lastResponseStatus": None, "lastError": None, "lastAttemptAt": None, "nextAttemptAt": None, "deliveredAt": None}
    d.update(kw); deliveries.append(d); return d


delivery(_h, "partner.environment.promoted", status="delivered", attemptCount="1", lastResponseStatus="200", lastAttemptAt=mail(BASE + 5), deliveredAt=mail(BASE + 5))
delivery(_h, "partner.environment.promoted", status="retrying", attemptCount="2", lastResponseStatus="503", lastError="receiver busy", lastAttemptAt=mail(BASE + 9), nextAttemptAt=mail(BASE + 99))
delivery(_h, "partner.environment.promoted", status="failed", attemptCount="5", lastError="no route to host", lastAttemptAt=mail(BASE + 7))
delivery(_h, "partner.environment.promoted")


class Refused(Exception):
    def __init__(self, status, code, text, **more): self.status, self.doc = status, {"ok": False, "error_code": code, "description": text, **more}


def find(items, ref, what):
    for x in items:
        if x["reference"] == ref: return x
    raise Refused(404, 1404, "%s %s does not exist" % (what, ref))


def window(items, q, name, size=3):
    try: n = int(q.get("max", size))
    except ValueError: n = 0
    if not 1 <= n <= 200: raise Refused(400, 1411, "max must be 1 to 200")
    start = 0
    if "after" in q:
        try: start = int(base64.urlsafe_b64decode(q["after"]).decode().split(":")[1])
        except Exception: raise Refused(400, 1412, "after is not one of our cursors")
    more = start + n < len(items)
    return {name: items[start:start + n], "paging": {"cursor": base64.urlsafe_b64encode(b"pos:%d" % (start + n)).decode() if more else None, "has_more": more}}


def job_view(j):
    return {"diligence": {"reference": j["ref"], "on_behalf_of": j["seller"], "with_protests": flag(j["protest"]), "status": {"code": j["code"], "text": STATES[j["code"]]}, "row_count": str(len(j["rows"])), "received": mail(j["received"]), "done": mail(j["done"]) if j["done"] else None, "charge": usd(325 * len(j["rows"]))}}


def move(j):
    if j["done"]: return
    j["reads"] += 1
    j["code"] = "N" if j["reads"] == 1 else "W" if j["reads"] <= 3 else "failed" if "SBX-3" in j["csv"] else "partial" if "SBX-1" in j["csv"] and not j["resumed"] else "D"
    if j["reads"] > 3: j["done"] = time.time()


def ended(j):
    if not j["done"]: raise Refused(404, 1460, "nothing to read yet", status_now=j["code"])
    if j["code"] == "failed": raise Refused(404, 1461, "the run failed")
    return j


def attempt(sub, event):
    body = json.dumps({"event": event, "event_reference": new(), "sent": mail(), "synthetic": "yes", "details": {"company": org["company"]}}).encode()
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    sig = hmac.new(sub["_secret"].encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    d, head = delivery(sub["id"], event), {"Content-Type": "application/json", "X-Service-Event": event, "X-Service-Timestamp": stamp, "X-Service-Signature": sig, "User-Agent": "dutydesk/1"}

    def go():
        u, status, err = urlsplit(sub["url"]), None, None
        try:
            c = http.client.HTTPConnection(u.hostname, u.port or 80, timeout=5); c.request("POST", u.path or "/", body, head); status = c.getresponse().status; c.close()
        except OSError as e: err = str(e)
        good = status is not None and 200 <= status < 300
        with lock:
            d.update(status="delivered" if good else "failed", attemptCount="1", lastResponseStatus=str(status) if status else None, lastError=None if good else err or "status %s" % status, lastAttemptAt=mail(), deliveredAt=mail() if good else None)
            sub["history"]["delivery"] = sub["history"]["success" if good else "failure"] = mail()
    if urlsplit(sub["url"]).hostname in ("127.0.0.1", "localhost") and sub["url"].startswith("http:"): threading.Thread(target=go, daemon=True).start()  # loopback only in this build
    return {"subscription": sub["id"], "event": event, "signed": {"stamp": stamp, "signature": sig}, "text": body.decode()}


ALIAS = {"/broker/onboard": ("org", "migration_only"), "/broker/v1/onboard": ("org", "long_term"), "/broker/v1/webhooks/register": ("/v1/webhooks/endpoints", "long_term"), "/broker/v1/portfolio/scan": ("/v1/portfolio-scans", "long_term"), "/broker/v1/portfolio/delta-scan": ("/v1/portfolio-scans", "migration_only")}
ALIAS.update({"/broker/v1/" + n: ("/v1/" + n, "long_term") for n in "clients notifications revenue/ledger revenue/dashboard claims offers litigation/enroll".split()})
OPENAPI = {"openapi": "3.0.0", "info": {"title": "DutyDesk", "version": "7"}, "paths": {
    "/v1/clients": {"get": {"parameters": [{"name": n, "in": "query", "schema": {"type": "string"}} for n in ("after", "max")], "responses": {"200": {"description": "a page of clients", "content": {"application/json": {"schema": {"type": "object", "properties": {"ok": {"type": "boolean"}, "result": {"type": "object", "properties": {"clients": {"type": "array", "items": {"$ref": "#/components/schemas/Client"}}, "paging": {"type": "object", "properties": {"cursor": {"type": "string", "nullable": True}, "has_more": {"type": "boolean"}}}}}}}}}}}}},
    "/v1/claims": {"get": {"responses": {"200": {"description": "a page of claims"}}}}, "/v1/webhook-deliveries": {"get": {"parameters": [{"name": "subscription", "in": "query", "schema": {"type": "string", "format": "uuid"}}], "responses": {"200": {"description": "deliveries"}}}}},
    "components": {"schemas": {"Client": {"type": "object", "required": ["reference", "title"], "properties": {"reference": {"type": "string", "format": "uuid"}, "title": {"type": "string"}, "standing": {"type": "string", "enum": ["good", "watch", "blocked"]}, "paid_duties": {"type": "string", "example": "USD 9900.50"}}}}}}


class Handler(BaseHTTPRequestHandler):
    protocol_version, server_version = "HTTP/1.1", "gunicorn/20.1"
    def log_message(self, *a): pass
    def do_GET(self): self.answer("GET")
    def do_POST(self): self.answer("POST")
    def do_PUT(self): self.answer("PUT")

    def answer(self, method):
        body, u = self.chunks() if "chunked" in (self.headers.get("Transfer-Encoding") or "") else self.rfile.read(int(self.headers.get("Content-Length") or 0)), urlsplit(self.path)
        q, path, self.extra = {k: v[-1] for k, v in parse_qs(u.query, keep_blank_values=True).items()}, u.path, {}
        m = re.fullmatch(r"/broker/v1/portfolio/(?:scan/([^/]+)|(summary))", path)
        a = ("/v1/portfolio-scans/" + (m[1] or q.get("scan", "") + "/summary"), "migration_only" if m[2] else "long_term") if m else ALIAS.get(path)
        if a:
            target = "/v1/partner-organizations/" + org["reference"] if a[0] == "org" else a[0]
            self.extra = {"X-Service-Broker-Alias": path, "X-Service-Canonical-Path": target, "X-Service-Compatibility-Lifecycle": a[1]}; path = target
        try:
            with lock: r = self.route(method, path, q, body)
            if r is None: return self.send_error(404, "Not Found")   # the page of http.server
            status, doc = r[0], r[1]
            if isinstance(doc, bytes): return self.write(status, doc, "application/x-ndjson")
            doc = doc if "openapi" in doc else {"ok": True, "result": doc, "served": mail()}
        except Refused as e: status, doc = e.status, e.doc
        self.write(status, json.dumps(doc).encode(), "application/json")

    def chunks(self):
        out = b""
        while True:
            n = int(self.rfile.readline().split(b";")[0], 16); out += self.rfile.read(n); self.rfile.readline()
            if n == 0: return out

    def write(self, status, data, kind):
        self.send_response(status)
        for k, v in {"Content-Type": kind, "Content-Length": str(len(data)), **self.extra}.items(): self.send_header(k, v)
        self.end_headers(); self.wfile.write(data)

    def route(self, method, path, q, body):
        def js():
            try: d = json.loads(body or b"{}")
            except ValueError: raise Refused(400, 1400, "the body is not JSON")
            if not isinstance(d, dict): raise Refused(400, 1400, "the body is no object")
            return d
        if (method, path) == ("POST", "/v1/oauth/token"):
            f = {k: v[0] for k, v in parse_qs(body.decode()).items()}
            if (f.get("client_id"), f.get("client_secret")) != (CLIENT, SECRET): raise Refused(401, 1402, "client unknown")
            t = secrets.token_urlsafe(20); tokens.add(t); return 200, {"access_token": t, "type": "Bearer", "seconds": "1200"}
        given = (self.headers.get("Authorization") or "").removeprefix("Bearer ").strip()
        if not given and path.startswith("/api/diligence/"): given = self.headers.get("X-API-Key") or ""
        if given != KEY and given not in tokens: raise Refused(403, 1403, "credential refused")
        if path.startswith("/api/diligence/"): path = "/v1" + path[4:]
        name = method + " " + path
        if name == "GET /v1/clients": return 200, window(clients, q, "clients")
        if name == "GET /v1/claims": return 200, window(claims, q, "claims")
        if name == "GET /v1/offers": return 200, window(offers, q, "offers")
        if name == "GET /v1/revenue/ledger": return 200, window(ledger, q, "bookings", 4)
        if name == "GET /v1/revenue/dashboard": return 200, {"figures": {"booked": usd(61600), "expected": usd(8000), "claims": str(len(claims))}, "as_of": mail()}
        if name == "GET /v1/claims/status": c = find(claims, q.get("claimId"), "claim"); return 200, {"claim_reference": c["reference"], "status": c["status"]}
        if name == "POST /v1/clients":
            d = js().get("client") or {}
            if not d.get("title"): raise Refused(400, 1401, "fields are missing", fields=["client.title"])
            clients.append({"reference": new(), "title": d["title"], "importer": d.get("importer"), "standing": "good", "joined": mail(), "paid_duties": usd(0), "power_of_attorney": "false", "open_claims": "0"}); return 201, {"client": clients[-1]}
        if name == "POST /v1/claims":
            d = js().get("claim") or {}; claims.append({"reference": new(), "client_reference": d.get("client_reference"), "status": {"code": "R", "text": "registered"}, "expected": usd(0), "entries": "0", "registered": mail()}); return 201, {"claim": claims[-1]}
        if name == "POST /v1/offers":
            d = js().get("offer") or {}; offers.append({"reference": new(), "claim_reference": d.get("claim_reference"), "pays": d.get("pays", usd(0)), "rate": "4.0%", "accepted": "false", "ends": mail(time.time() + 9e5)}); return 201, {"offer": offers[-1]}
        if name == "POST /v1/portfolio-scans": s = {"reference": new(), "status": {"code": "N", "text": STATES["N"]}, "rows_seen": "0", "potential": usd(0), "begun": mail()}; scans[s["reference"]] = s; return 201, {"scan": s}
        if name == "POST /v1/notifications": return 201, {"notification": {"reference": new(), "sent": "no"}}
        if name == "POST /v1/litigation/enroll": return 200, {"enrolled": [{"claim_reference": c, "enrolled": "yes"} for c in js().get("claim_references", [])]}
        if name == "GET /v1/webhooks/endpoints": return 200, {"subscriptions": [{k: v for k, v in s.items() if k != "_secret"} for s in subs.values()]}
        if name == "POST /v1/webhooks/endpoints":
            d = js(); lack = [f for f in ("label", "url", "subscribedEvents", "environmentScope") if not d.get(f)]
            if lack: raise Refused(400, 1401, "fields are missing", fields=lack)
            secret = "dds." + secrets.token_hex(18)
            s = {"id": new(), **{f: d[f] for f in ("label", "url", "subscribedEvents", "environmentScope")}, "secretPrefix": secret[:9], "status": "active", "history": {"delivery": None, "success": None, "failure": None}, "_secret": secret}; subs[s["id"]] = s
            return 200, {"subscription": {k: v for k, v in s.items() if k != "_secret"}, "keys": {"webhook": {"signingSecret": secret}}}
        if name == "GET /v1/webhook-deliveries": return 200, window([d for d in deliveries if q.get("subscription") in (None, d["subscription"])], q, "deliveries", 50)
        if name == "POST /v1/sandbox/webhooks/test":
            e = js().get("eventType")
            if e not in EVENTS: raise Refused(400, 1450, "eventType must be one of " + ", ".join(EVENTS))
            return 202, {"previews": [attempt(s, e) for s in list(subs.values()) if s["status"] == "active" and s["environmentScope"] != "production" and e in s["subscribedEvents"]]}
        if name == "POST /v1/diligence/submit":
            b, f = re.search(r'boundary="?([^";]+)', self.headers.get("Content-Type") or ""), {}
            if not b: raise Refused(415, 1415, "multipart/form-data is needed")
            for part in body.split(b"--" + b[1].encode()):
                head, _, data = part.partition(b"\r\n\r\n"); n = re.search(rb'name="([^"]+)"', head)
                if n: f[n[1].decode()] = data[:-2].decode("utf-8", "replace")
            lack = [x for x in ("seller_name", "file") if not f.get(x)]
            if lack: raise Refused(400, 1401, "fields are missing", fields=lack)
            j = {"ref": new(), "seller": f["seller_name"], "protest": f.get("requires_protest_documentation") == "true", "csv": f["file"], "rows": [r for r in f["file"].splitlines()[1:] if r], "code": "N", "reads": 0, "received": time.time(), "done": None, "resumed": False}; jobs[j["ref"]] = j
            return 202, {"reference": j["ref"], "place_in_line": str(1 + sum(not x["done"] for x in jobs.values())), "status": {"code": "N", "text": STATES["N"]}}
        m = re.fullmatch(r"(GET|POST) /v1/diligence/(status|report|dataset|jobs)/([^/]+)(/resume)?", name)
        if m:
            j = jobs.get(m[3])
            if not j: raise Refused(404, 1404, "diligence %s does not exist" % m[3])
            if (m[1], m[2], bool(m[4])) == ("POST", "jobs", True):
                if j["code"] not in ("partial", "failed"): raise Refused(400, 1470, "a run in status %s cannot be resumed" % j["code"])
                j.update(resumed=True, reads=1, done=None, code="W"); return 200, job_view(j)
            if m[1] == "GET" and not m[4]:
                if m[2] == "status": move(j); return 200, job_view(j)
                if m[2] == "report": ended(j); good = j["code"] == "D"; return 200, {"report": {"reference": j["ref"], "edition": "7", "sections": {"review": {"rf8Review": {"finding": "clear" if good else "open points", "risk": "0.12", "signed_off": "yes" if good else "no", "when": mail(j["done"])}}, "sums": {"rows": str(len(j["rows"])), "refund": usd(48800 * len(j["rows"]))}}}}
                if m[2] == "dataset": ended(j); return 200, b"".join(json.dumps({"no": str(i + 1), "entry": r.split(",")[0], "duty": usd(88000 + i * 25), "refundable": "yes" if i % 2 == 0 else "no", "checked": mail(j["done"])}).encode() + b"\n" for i, r in enumerate(j["rows"]))
        m = re.fullmatch(r"GET /v1/portfolio-scans/([^/]+)(/summary)?", name)
        if m: s = find(scans.values(), m[1], "scan"); return 200, {"summary": {"scan_reference": s["reference"], "rows_seen": s["rows_seen"], "potential": s["potential"]}} if m[2] else {"scan": s}
        if path == "/v1/partner-organizations/" + org["reference"]:
            if method != "GET": org["company"] = js().get("company") or org["company"]
            return 200, {"organization": org}
        if name == "GET /v1/docs/openapi": return 200, OPENAPI
        return None


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Handler); server.daemon_threads = True
signal.signal(signal.SIGTERM, lambda *a: sys.exit(0))
print(json.dumps({"url": "http://127.0.0.1:%d" % server.server_port, "apiKey": KEY, "clientId": CLIENT, "clientSecret": SECRET}), flush=True)
server.serve_forever()
