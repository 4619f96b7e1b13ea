"""Links that were made before the settings of all pages were kept by one piece of code still give the same page."""

import json
from pathlib import Path

import pytest
from visit import PAGE_OF, open_page

LINKS = json.loads((Path(__file__).parent / "fixtures" / "old_links.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("old", LINKS, ids=lambda old: f"{old['page'][:2]}-{'-'.join(old['link'])[:40]}")
def test_an_old_link_gives_the_state_it_gave(old):
    at = open_page(old["page"], **old["link"])
    page = PAGE_OF[old["page"]]
    assert not any("`" in box.value for box in at.warning)  # no field is refused
    assert len(at.warning) == old["warned"]
    for name, text in old["state"].items():
        field = page.field(name)
        key = page.key(name)
        now = at.session_state[key]
        if isinstance(now, dict) and "numbers" in now:
            now = now["numbers"]
        if isinstance(now, dict) and "allowed" in now:
            now = now["allowed"]
        assert field.write(field.read(text)) == field.write(now), name
