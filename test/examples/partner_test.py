"""Any other language: `claims sandbox exec --frozen -- python3 -m unittest partner_test.py` starts a sandbox for the command.

Its environment says where it is. What the handle does in JavaScript, the control API and `claims`, which is on the PATH, do here.
"""

import json
import os
import subprocess
import unittest
import urllib.error
import urllib.request


def ask(method, url, token, body=None, headers=()):
    request = urllib.request.Request(url, method=method, data=None if body is None else json.dumps(body).encode())
    request.add_header("Authorization", "Bearer " + token)
    request.add_header("Content-Type", "application/json")
    for name, value in headers:
        request.add_header(name, value)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def service(method, path, **more):
    return ask(method, os.environ["CLAIMS_BASE_URL"] + path, os.environ["CLAIMS_API_KEY"], **more)


def control(method, path, **more):
    return ask(method, os.environ["CLAIMS_CONTROL_URL"] + path, os.environ["CLAIMS_CONTROL_TOKEN"], **more)


class PartnerTest(unittest.TestCase):
    def setUp(self):
        control("POST", "/reset")

    def test_a_client_whose_answer_was_lost_is_created_once(self):
        client = {"body": {"name": "Paper Lantern Imports, LLC"}, "headers": [("Idempotency-Key", "k-1")]}
        control("POST", "/faults", body={"preset": "ghost-commit"})
        with self.assertRaises((ConnectionError, urllib.error.URLError)):
            service("POST", "/v1/clients", **client)
        made = service("POST", "/v1/clients", **client)
        names = [each["name"] for each in service("GET", "/v1/clients")["data"]]
        self.assertEqual(names.count(made["name"]), 1)

    def test_a_webhook_arrives_and_its_signature_is_right(self):
        subprocess.run(["claims", "sandbox", "emit", "partner.test", "-q"], check=True, capture_output=True)
        control("POST", "/wait", body={"delivery": {"eventType": "partner.test", "status": "delivered"}})
        [received] = control("GET", "/sinks/default")["data"]
        self.assertEqual(received["verdict"], "valid")

    def test_thirty_days_pass_in_no_time(self):
        before = control("GET", "/clock")["now"]
        after = control("POST", "/clock/advance", body={"to": "30d"})["to"]
        self.assertLess(before, after)


if __name__ == "__main__":
    unittest.main()
