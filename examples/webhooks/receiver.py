# A webhook receiver with Python's standard library. What it does and how to run it: README.md.
import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].encode()
PORT = int(os.environ.get("PORT", "4000"))
BODY_MAX_BYTES = 1_048_576
assert SECRET, "an empty secret would verify what anybody signs"
done = set()  # deliveries; in production: a unique column, written in the transaction of what you do


def is_genuine(raw_body: bytes, header: str) -> bool:
    """header: t=<seconds>,v1=<hex>, with two v1 while the secret is rotated"""
    parts = [part.strip().partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    if len(times) != 1 or not re.fullmatch("[0-9]{1,15}", times[0]):
        return False
    if abs(int(time.time()) - int(times[0])) > 300:
        return False
    expected = hmac.new(SECRET, times[0].encode() + b"." + raw_body, hashlib.sha256).hexdigest().encode()
    return any(hmac.compare_digest(value.encode(), expected) for name, _, value in parts if name == "v1")


class Receiver(BaseHTTPRequestHandler):
    timeout = 10  # seconds that a sender may be silent

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,7}", length) or int(length) > BODY_MAX_BYTES:
            return self.answer(413)
        raw_body = self.rfile.read(int(length))  # not parsed yet: the signature is over the bytes
        if not is_genuine(raw_body, self.headers.get("X-Service-Signature", "")):
            return self.answer(400)
        event = json.loads(raw_body)
        delivery = self.headers.get("X-Service-Delivery", event["message"]["id"])
        if delivery not in done:
            done.add(delivery)
            # Put it on your queue; work that takes long comes later.
            print(f"received {event['message']['id']} for {event['inbox']}", flush=True)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", PORT), Receiver)
print("listening", flush=True)
server.serve_forever()
