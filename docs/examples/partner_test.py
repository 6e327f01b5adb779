"""Any other language: `claims sandbox exec --frozen -- python3 -m unittest partner_test.py` starts a sandbox for the command.

The environment has its address. Instead of the JavaScript library, tests use the control API and `claims`, which is on the PATH.
"""

import json
import os
import subprocess
import unittest
import urllib.error
import urllib.request


def send(method, url, token, body=None, headers=()):
    request = urllib.request.Request(url, method=method, data=None if body is None else json.dumps(body).encode())
    request.add_header("Authorization", "Bearer " + token)
    request.add_header("Content-Type", "application/json")
    for name, value in headers:
        request.add_header(name, value)
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)


def service(method, path, **more):
    return send(method, os.environ["CLAIMS_BASE_URL"] + path, os.environ["CLAIMS_API_KEY"], **more)


def control(method, path, **more):
    return send(method, os.environ["CLAIMS_CONTROL_URL"] + path, os.environ["CLAIMS_CONTROL_TOKEN"], **more)


class PartnerTest(unittest.TestCase):
    def setUp(self):
        control("POST", "/reset")

    def test_retry_after_a_lost_response_creates_one_client(self):
        before = control("GET", "/state")["clients"]
        client = {"body": {"name": "Paper Lantern Imports, LLC"}, "headers": [("Idempotency-Key", "k-1")]}
        control("POST", "/faults", body={"preset": "ghost-commit"})
        with self.assertRaises((ConnectionError, urllib.error.URLError)):
            service("POST", "/v1/clients", **client)
        service("POST", "/v1/clients", **client)
        self.assertEqual(control("GET", "/state")["clients"], before + 1)

    def test_emit_delivers_a_webhook_with_a_valid_signature(self):
        subprocess.run(["claims", "sandbox", "emit", "partner.test", "-q"], check=True, capture_output=True)
        control("POST", "/wait", body={"delivery": {"eventType": "partner.test", "status": "delivered"}})
        [received] = control("GET", "/sinks/default")["data"]
        self.assertEqual(received["verdict"], "valid")

    def test_clock_advances_by_thirty_days(self):
        before = control("GET", "/clock")["now"]
        after = control("POST", "/clock/advance", body={"to": "30d"})["to"]
        self.assertLess(before, after)


if __name__ == "__main__":
    unittest.main()
