"""Reads mails with Python's own package: each is a line of base64 on the standard input, its parts a line of JSON."""
import base64
import json
import sys
from email.parser import BytesFeedParser


def part_of(part):
    octets = part.get_payload(decode=True)
    disposition = (part.get_content_disposition() or "").lower()
    charset = part.get_content_charset() or "us-ascii"
    words = None
    is_sure = True
    is_text = part.get_content_type() in ("text/plain", "text/html")
    if is_text and disposition != "attachment" and not part.get_filename():
        try:
            words = octets.decode(charset)
        except (LookupError, ValueError):
            words, is_sure = octets.decode("latin-1"), False
    return {
        "octets": base64.b64encode(octets or b"").decode(),
        "words": words,
        "isSure": is_sure,
        "isText": is_text and disposition != "attachment",
        "isNested": part.get_content_maintype() == "message",
    }


for line in sys.stdin:
    parser = BytesFeedParser()
    parser.feed(base64.b64decode(line))
    mail = parser.close()
    leaves = [part for part in mail.walk() if not part.is_multipart()]
    parts = [part_of(part) for part in leaves]
    defects = sorted({type(defect).__name__ for part in mail.walk() for defect in part.defects})
    print(json.dumps({"parts": parts, "defects": defects}))
