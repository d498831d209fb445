# What the tests of the Python package share. The service and its keys are in the environment.
import os
import smtplib
import threading
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mailberth import Mailberth

FOREVER_SECONDS = 60


def deliver(to, text, sender="no-reply@shop.example", subject="Your code"):
    """Mails the service over SMTP, as a stranger does."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, to, subject
    message.set_content(text)
    with smtplib.SMTP("127.0.0.1", int(os.environ["TEST_SMTP_PORT"]), timeout=FOREVER_SECONDS) as smtp:
        smtp.send_message(message)


@pytest.fixture
def mail():
    with Mailberth() as client:
        yield client


@pytest.fixture
def faulty():
    """A server that gives the answers of a list in turn, and keeps what it was asked. None closes the connection."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            server.asked.append((self.command, self.path, self.headers, body))
            answer = server.answers.pop(0) if len(server.answers) > 1 else server.answers[0]
            if answer is None:
                self.close_connection = True
                return
            status, headers, text = answer
            self.send_response(status)
            for name, value in {"Content-Length": str(len(text.encode())), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text.encode())

        do_GET = do_POST = do_DELETE = answer

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked, server.answers = [], []
    server.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
