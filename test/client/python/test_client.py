# Both clients against the running service.
import asyncio
import os
import pickle
import threading

import httpx
import pytest
from conftest import FOREVER_SECONDS, deliver

from mailberth import AsyncMailberth, Mailberth, MailberthError, core


def test_an_enrolled_agent_makes_a_mailbox_sends_and_reads_the_code():
    with Mailberth.enroll(os.environ["MAILBERTH_URL"] + "/", os.environ["TEST_ENROLLMENT_KEY"], "python") as mail:
        assert mail.key.startswith("mb_agent_")
        inbox = mail.inboxes.create(display_name="Python", metadata={"for": "tests"})
        sent = mail.send(inbox["address"], to=[inbox["address"]], subject="Your code", text="Your code is 482913.")
        assert sent["thread_id"].startswith("thr_")
        found = mail.wait(inbox["address"], from_=inbox["address"], timeout_seconds=FOREVER_SECONDS)
        assert found.otp == "482913" and found.message and found.message["subject"] == "Your code"
        deliver(inbox["address"], "Hello.", sender="ann@example.com")
        question = mail.wait(inbox["address"], from_="example.com", timeout_seconds=FOREVER_SECONDS).message
        answer = mail.reply(question["id"], text="Thank you.", cc=["bob@example.com"])
        assert mail.messages.get(answer["id"])["to"] == ["ann@example.com"]
        assert mail.messages.send_dry_run(inbox["address"], to="ann@example.com", text="Hello")["would_send"]


def test_the_same_with_asyncio():
    async def story():
        async with await AsyncMailberth.enroll(
            os.environ["MAILBERTH_URL"], os.environ["TEST_ENROLLMENT_KEY"], "python"
        ) as mail:
            inbox = await mail.inboxes.create()
            waits = asyncio.create_task(mail.wait(inbox["address"], timeout_seconds=FOREVER_SECONDS))
            text = "Confirm: https://shop.example/confirm?token=8sK2fJ0q"
            await mail.send(inbox["address"], to=inbox["address"], subject="Confirm your address", text=text)
            assert (await waits).link == "https://shop.example/confirm?token=8sK2fJ0q"
            async for summary in mail.messages.iter(inbox["address"], direction="inbound"):
                assert summary["subject"] == "Confirm your address"
            with pytest.raises(MailberthError, match="inbox_not_found"):
                await mail.inboxes.get("inb_none")

    asyncio.run(story())


def test_a_wait_that_is_over_says_so_and_its_cursor_misses_nothing(mail):
    address = mail.inboxes.create()["address"]
    nothing = mail.wait(address, timeout_seconds=0)
    assert nothing.timed_out and nothing.message is None and nothing.otp is None and nothing.link is None
    deliver(address, "Your code is 731946.")
    assert mail.wait(address, after=nothing.cursor, timeout_seconds=FOREVER_SECONDS).otp == "731946"


def test_a_wait_longer_than_one_call_continues_at_the_cursor(mail, monkeypatch):
    monkeypatch.setattr(core, "WAIT_MAX_SECONDS", 1)
    address = mail.inboxes.create()["address"]
    later = threading.Timer(2.5, deliver, [address, "Your code is 604182."])
    later.start()
    assert mail.wait(address, timeout_seconds=FOREVER_SECONDS).otp == "604182"
    later.join()


def test_pages_are_iterated(mail):
    made = {mail.inboxes.create()["address"] for _ in range(5)}
    assert made <= {inbox["address"] for inbox in mail.inboxes.iter(limit=2)}
    address = made.pop()
    for code in ("482913", "731946", "604182"):
        deliver(address, f"Your code is {code}.")
    events = [event for event in mail.events.iter(limit=1) if event["inbox"] == address]
    assert [event["event"] for event in events] == ["message.received"] * 3


def test_new_mail_is_streamed(mail):
    address = mail.inboxes.create()["address"]
    deliver(address, "Your code is 482913.")
    first = next(event for event in mail.events.iter() if event["inbox"] == address)
    deliver(address, "Your code is 731946.", subject="Streamed")
    event = next(mail.events.stream(after=first["id"], inbox=address))
    assert event["message"]["subject"] == "Streamed"

    async def with_asyncio():
        async with AsyncMailberth() as same:
            async for one in same.events.stream(after=first["id"], inbox=address):
                return one

    assert asyncio.run(with_asyncio()) == event
    with pytest.raises(MailberthError) as refused:
        next(mail.events.stream(inbox="inb_none"))
    assert refused.value.code == "inbox_not_found"


def test_a_file_is_uploaded_sent_and_read(mail, tmp_path):
    address = mail.inboxes.create()["address"]
    (tmp_path / "note.txt").write_bytes("Grüße\r\n".encode())
    upload = mail.upload(tmp_path / "note.txt")
    assert (upload["filename"], upload["content_type"], upload["size"]) == ("note.txt", "text/plain", 9)
    mail.send(address, to=address, text="See the file.", attachments=[{"upload_id": upload["id"]}])
    message = mail.wait(address, timeout_seconds=FOREVER_SECONDS).message
    [file] = message["attachments"]
    assert mail.messages.get_attachment(message["id"], file["id"]) == "Grüße\r\n".encode()
    assert b"filename=note.txt" in mail.messages.get_raw(message["id"])
    assert "Grüße" in mail.messages.get_attachment_text(message["id"], file["id"])["safe_text"]["text"]


def test_an_error_has_all_that_the_service_says(mail):
    with pytest.raises(MailberthError) as refused:
        mail.inboxes.create(username="two words")
    error = refused.value
    assert (error.code, error.status, error.retry_after) == ("invalid_request", 400, None)
    assert error.fix and error.request_id and [issue["path"] for issue in error.issues] == ["username"]
    assert error.message in str(error) and error.fix in str(error)
    passed_on = pickle.loads(pickle.dumps(error))
    assert (passed_on.code, passed_on.request_id, str(passed_on)) == (error.code, error.request_id, str(error))


def test_an_argument_stays_in_its_place_of_the_path(mail):
    with pytest.raises(MailberthError, match="message_not_found"):
        mail.messages.get("../inboxes?limit=1#")
    for value in ("", ".", ".."):
        with pytest.raises(ValueError):
            mail.messages.get(value)


def test_the_same_idempotency_key_makes_one(mail):
    address = mail.inboxes.create()["address"]
    sent = [mail.send(address, to="ann@example.com", text="Once", idempotency_key="once") for _ in range(2)]
    assert sent[0]["id"] == sent[1]["id"]


def test_without_a_url_or_key_it_says_what_to_set(monkeypatch):
    with pytest.raises(ValueError, match="MAILBERTH_URL"):
        Mailberth("mail.example.com", "key")
    monkeypatch.delenv("MAILBERTH_KEY")
    with pytest.raises(ValueError, match="MAILBERTH_KEY"):
        Mailberth()


UNAVAILABLE = (503, {}, '{"error":{"code":"unavailable","message":"Busy."}}')
CREATED = (201, {}, '{"address":"a@mail.example"}')


def test_a_create_is_repeated_with_the_same_key(faulty):
    faulty.answers = [UNAVAILABLE, None, CREATED]
    with Mailberth(faulty.url, "key") as mail:
        assert mail.inboxes.create()["address"] == "a@mail.example"
    keys = {headers["Idempotency-Key"] for _, _, headers, _ in faulty.asked}
    assert len(faulty.asked) == 3 and len(keys) == 1 and None not in keys


def test_what_must_not_be_done_twice_is_not_repeated(faulty):
    with Mailberth(faulty.url, "key") as mail:
        faulty.answers = [UNAVAILABLE]
        with pytest.raises(MailberthError, match="unavailable"):
            mail.messages.delete("msg_1")
        faulty.answers = [None]
        with pytest.raises(httpx.TransportError):
            mail.wait("a@mail.example", claim=True, after="cursor")
    assert [command for command, *_ in faulty.asked] == ["DELETE", "POST"]


def test_a_refusal_by_rate_is_repeated_after_the_named_time_unless_it_is_long(faulty, monkeypatch):
    slept = []
    monkeypatch.setattr("time.sleep", slept.append)
    limited = '{"error":{"code":"rate_limited","message":"Too many."}}'
    faulty.answers = [(429, {"Retry-After": "7"}, limited), (200, {}, '{"deleted":true}')]
    with Mailberth(faulty.url, "key") as mail:
        assert mail.messages.delete("msg_1")["deleted"]
        assert slept == [7]
        faulty.answers = [(429, {"Retry-After": "40000"}, limited)]
        with pytest.raises(MailberthError) as refused:
            mail.inboxes.list()
    assert refused.value.retry_after == 40_000 and len(faulty.asked) == 3


def test_repetition_ends(faulty, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    faulty.answers = [None]
    with Mailberth(faulty.url, "key") as mail:
        with pytest.raises(httpx.TransportError):
            mail.inboxes.list()
        assert len(faulty.asked) == 4
        with pytest.raises(httpx.TransportError):
            next(mail.events.stream())
    assert len(faulty.asked) == 15


def test_a_stream_continues_after_the_last_event(faulty, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    event = 'retry: 1\nid: evt_1\nevent: message.received\ndata: {"id":"evt_1"}\n\n: alive\n\ndata: {"id":"cut'
    faulty.answers = [(200, {}, event), None, (200, {}, event.replace("evt_1", "evt_2"))]
    with Mailberth(faulty.url, "key") as mail:
        stream = mail.events.stream()
        assert [next(stream)["id"], next(stream)["id"]] == ["evt_1", "evt_2"]
        stream.close()
    assert [path for _, path, *_ in faulty.asked][1:] == ["/v1/events/stream?after=evt_1"] * 2


def test_answers_of_others_are_no_data_and_get_no_key(faulty):
    with Mailberth(faulty.url, "key") as mail:
        for answer in [(200, {}, "<html>Sign in</html>"), (404, {}, "<html>"), (400, {}, '{"error":"no"}')]:
            faulty.answers = [answer]
            with pytest.raises(MailberthError, match="unexpected_answer"):
                mail.inboxes.list()
        faulty.answers = [(302, {"Location": f"{faulty.url}/elsewhere"}, "")]
        with pytest.raises(MailberthError, match="unexpected_answer"):
            mail.inboxes.list()
    assert {path for _, path, *_ in faulty.asked} == {"/v1/inboxes"}
