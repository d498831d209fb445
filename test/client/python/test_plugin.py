# The fixture `mailbox`, as a test suite uses it. It comes from the entry point of the installed package.
import os
import subprocess
import sys

import pytest
from conftest import deliver

from mailberth import MailberthError


def test_returns_the_codes_in_their_order_and_none_twice(mailbox):
    deliver(mailbox.address, "Your code is 482913.")
    deliver(mailbox.address, "We have new shoes.", sender="news@shop.example", subject="News")
    deliver(mailbox.address, "Your code is 731946.")
    assert mailbox.code(from_="shop.example") == "482913"
    assert mailbox.code() == "731946"
    with pytest.raises(TimeoutError, match='Without one came: "News" from news@shop.example.'):
        mailbox.code(timeout_seconds=0)


def test_does_not_lose_the_mail_of_one_sender_while_it_waits_for_another(mailbox):
    deliver(mailbox.address, "Your code is 111283.", sender="no-reply@bank.example")
    deliver(mailbox.address, "Your code is 222394.")
    assert mailbox.code(from_="shop.example") == "222394"
    assert mailbox.code(from_="bank.example") == "111283"


def test_returns_the_link_and_the_message_also_of_a_mail_whose_code_was_returned(mailbox):
    link = "https://shop.example/confirm?token=8sK2fJ0q"
    deliver(mailbox.address, f"Your code is 482913. Or confirm your address: {link}", subject="Confirm")
    assert mailbox.code() == "482913"
    assert mailbox.link(subject="confirm") == link
    assert link in mailbox.message(to=mailbox.address)["text"]
    with pytest.raises(TimeoutError, match=f"No mail came to {mailbox.address} within 0 s. No mail came."):
        mailbox.message(timeout_seconds=0)


def test_a_removed_mailbox_says_so(mailbox):
    mailbox.remove()
    with pytest.raises(MailberthError, match="inbox_not_found"):
        mailbox.code()


SUITE = """
import smtplib

def test_code(mailbox):
    with smtplib.SMTP("127.0.0.1", {port}) as smtp:
        mail = "From: no-reply@shop.example\\r\\nSubject: Code\\r\\n\\r\\nYour code is 482913."
        smtp.sendmail("no-reply@shop.example", mailbox.address, mail)
    assert mailbox.code(from_="shop.example") == "482913"
"""


def run_suite(folder, environment):
    (folder / "test_suite.py").write_text(SUITE.format(port=environment.get("MAILBERTH_SMTP_PORT", 0)))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_suite.py"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_without_a_service_it_says_what_to_install_or_set(tmp_path):
    printed = run_suite(tmp_path, {"PATH": "/nothing"}).stdout
    assert "npm install --save-dev mailberth" in printed and "set MAILBERTH_URL" in printed


@pytest.mark.skipif("TEST_PROGRAM" not in os.environ, reason="TEST_PROGRAM names no program of the service")
def test_without_a_named_service_it_starts_one(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/mailberth").write_text(f'#!/bin/sh\nexec {os.environ["TEST_PROGRAM"]} "$@"\n')
    (tmp_path / "bin/mailberth").chmod(0o755)
    path = f'{tmp_path / "bin"}:{os.environ["PATH"]}'
    ended = run_suite(tmp_path, {"PATH": path, "HOME": str(tmp_path), "MAILBERTH_SMTP_PORT": os.environ["TEST_FREE_PORT"]})
    assert ended.returncode == 0, ended.stdout
