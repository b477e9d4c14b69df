"""`/docs`: a page that needs nothing from elsewhere."""

from __future__ import annotations

import re

from .world import Api


def test_the_page_loads_from_this_process_alone(untouched: Api) -> None:
    page = untouched.call("GET", "/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "http://" not in page.text
    assert "https://" not in page.text
    assert not re.search(r"<script>|\son\w+=", page.text)  # nothing inline
    for path in re.findall(r'(?:src|href)="(/[^"]+)"', page.text):
        assert untouched.call("GET", path).status_code == 200, path


def test_its_policy_lets_nothing_else_in(untouched: Api) -> None:
    policy = untouched.call("GET", "/docs").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy


def test_it_shows_the_document_of_this_ledger_and_keeps_no_token(untouched: Api) -> None:
    script = untouched.call("GET", "/docs/start.js").text
    assert '"/openapi.json"' in script
    assert "persistAuthorization: false" in script
    assert "validatorUrl: null" in script


def test_the_page_stands_in_no_contract(untouched: Api) -> None:
    paths = untouched.call("GET", "/openapi.json").json()["paths"]
    assert not [path for path in paths if path.startswith("/docs")]
