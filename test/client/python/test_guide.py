# The blocks of docs/guides/python.md run in their order, as a reader pastes them.
import os
import re
from pathlib import Path


def test_the_blocks_of_the_guide_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", Path(os.environ["TEST_GUIDE"]).read_text("utf8"), re.S)
    names = {"__name__": "guide"}
    for block in blocks:
        if "langchain" not in block:
            exec(block, names)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "482913"
    assert printed[1].endswith("Your code") and printed[2] == "True"
    assert printed[3].startswith("invalid_request") and len(blocks) > 5
    assert names["receive"](b"{}", {}, "whsec_test") == 400
