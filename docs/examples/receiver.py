import hashlib, hmac, os
from flask import Flask, request

SECRET = os.environ["WEBHOOK_SECRET"].encode()
app = Flask(__name__)

@app.post("/hook")
def hook():
    timestamp = request.headers.get("X-Service-Timestamp", "").encode()
    signature = request.headers.get("X-Service-Signature", "").encode()
    if not timestamp or not signature:
        return "a header is missing", 401
    body = request.get_data()  # before request.json or request.form
    expected = hmac.new(SECRET, timestamp + b"." + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected.encode(), signature):
        return "the signature does not match", 401
    return "", 204

if __name__ == "__main__":
    app.run(port=int(os.environ.get("PORT", "3000")))
