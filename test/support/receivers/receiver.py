"""A receiver with one flaw, named by its first argument. Prints its port."""

import hashlib
import hmac
import json
import sys
import unicodedata
import urllib.parse
from http.server import BaseHTTPRequestHandler, HTTPServer

FLAW, SECRET = sys.argv[1], sys.argv[2].encode()

CHANGES = {
    "json.dumps(json.loads(body))": lambda raw: json.dumps(json.loads(raw)).encode(),
    "body.strip()": lambda raw: raw.strip(),
    "body.decode('latin-1')": lambda raw: raw.decode("latin-1").encode(),
    "unquote_plus(body)": lambda raw: urllib.parse.unquote_plus(raw.decode()).encode(),
    "unicodedata.normalize('NFC', body)": lambda raw: unicodedata.normalize("NFC", raw.decode()).encode(),
    "'\\n'.join(body.splitlines())": lambda raw: b"\n".join(raw.splitlines()),
}


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        timestamp = self.headers.get("X-Service-Timestamp", "")
        given = self.headers.get("X-Service-Signature", "")
        if not timestamp or not given:
            return self.respond(400)
        if FLAW == "int(timestamp)":
            timestamp = str(int(float(timestamp)))
        body = CHANGES.get(FLAW, bytes)(raw)
        right = hmac.new(SECRET, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        self.respond(200 if hmac.compare_digest(given, right) else 401)

    def respond(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_port, flush=True)
server.serve_forever()
