"""The keys of another issuer: which count, and how they are fetched."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from joserfc.jwk import ECKey, OctKey, OKPKey, RSAKey

from ledger.errors import SetupError, Unavailable
from ledger.tokens import FetchedKeys, FileKeys
from ledger.tokens.key_sets import MAX_BYTES, read

from .conftest import Clock, wait

ED = OKPKey.generate_key("Ed25519")


def jwk(key: Any = ED, **parameters: str) -> dict[str, Any]:
    return {**key.as_dict(private=False), **parameters}


def test_keys_are_found_by_their_id_or_else_by_their_thumbprint() -> None:
    assert read({"keys": [jwk(kid="one")]}).keys() == {"one"}
    unnamed = {name: value for name, value in jwk().items() if name != "kid"}
    assert read(unnamed).keys() == {ED.thumbprint()}


@pytest.mark.filterwarnings("ignore::joserfc.errors.SecurityWarning")
@pytest.mark.parametrize(
    "unfit",
    [
        lambda: OctKey.generate_key(256).as_dict(),
        lambda: RSAKey.generate_key(1024).as_dict(private=False),
        lambda: ECKey.generate_key("secp256k1").as_dict(private=False),
        lambda: OKPKey.generate_key("X25519").as_dict(private=False),
        lambda: jwk(use="enc"),
        lambda: jwk(alg="HS256"),
        lambda: {"kty": "OKP", "crv": "Ed25519", "x": "AA"},
        lambda: {"kty": "new"},
        dict,
        str,
        lambda: None,
    ],
)
def test_keys_that_can_t_sign_tokens_are_left_out(unfit: Callable[[], Any]) -> None:
    assert read({"keys": [unfit(), jwk(kid="good")]}).keys() == {"good"}


@pytest.mark.parametrize("document", [[], "keys", None, {"keys": {}}])
def test_a_document_that_is_no_key_set_is_refused(document: object) -> None:
    with pytest.raises(ValueError, match="not a"):
        read(document)


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "jwks.json"
    path.write_text(json.dumps({"keys": [jwk(kid="one")]}))
    keys = FileKeys(path)
    assert wait(keys.find("one"))
    assert wait(keys.find(None))  # the only key
    assert wait(keys.find("two")) is None


def test_of_several_keys_one_must_be_named(tmp_path: Path) -> None:
    path = tmp_path / "jwks.json"
    path.write_text(json.dumps({"keys": [jwk(kid="one"), jwk(OKPKey.generate_key("Ed25519"), kid="two")]}))
    assert wait(FileKeys(path).find(None)) is None


@pytest.mark.parametrize("content", [None, "", "{", "[]", '{"keys":[]}'])
def test_a_file_that_can_t_be_used_stops_the_start(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "jwks.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(SetupError):
        FileKeys(path)


class Provider:
    """An identity provider whose answer the test sets, and that counts how often it was asked."""

    def __init__(self) -> None:
        self.answer: httpx.Response | Exception = self.keys("one")
        self.asked = 0
        self.takes = 0.0  # seconds
        self.clock = Clock()

    @staticmethod
    def keys(*kids: str) -> httpx.Response:
        return httpx.Response(200, json={"keys": [jwk(kid=kid) for kid in kids]})

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        await asyncio.sleep(self.takes)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def fetched(self) -> FetchedKeys:
        return FetchedKeys(
            "https://login.example/jwks", clock=self.clock, transport=httpx.MockTransport(self)
        )


def test_fetched_once_for_many() -> None:
    async def many() -> None:
        keys = provider.fetched()
        assert all(await asyncio.gather(*(keys.find("one") for _ in range(20))))
        assert provider.asked == 1

    provider = Provider()
    asyncio.run(many())


def test_a_fetch_that_another_event_loop_left_in_the_middle_is_not_waited_for() -> None:
    async def leave() -> None:
        waiting.extend(asyncio.create_task(keys.find("one")) for _ in range(2))
        await asyncio.sleep(0)

    async def ask() -> None:
        assert await asyncio.wait_for(keys.find("one"), 5)

    waiting: list[asyncio.Task[object]] = []
    provider = Provider()
    provider.takes = 0.1
    keys = provider.fetched()
    other = asyncio.new_event_loop()
    other.run_until_complete(leave())
    asyncio.run(ask())
    other.run_until_complete(asyncio.gather(*waiting))
    other.close()


def test_an_unknown_key_is_looked_for_at_most_every_30_seconds() -> None:
    async def main() -> None:
        keys = provider.fetched()
        assert await keys.find("one")
        for _ in range(5):
            assert await keys.find("two") is None
        assert provider.asked == 1
        provider.answer = provider.keys("one", "two")
        provider.clock.now += 30
        assert await keys.find("two")
        assert provider.asked == 2

    provider = Provider()
    asyncio.run(main())


def test_a_key_that_was_withdrawn_is_gone_after_ten_minutes() -> None:
    async def main() -> None:
        keys = provider.fetched()
        assert await keys.find("one")
        provider.answer = provider.keys("two")
        provider.clock.now += 599
        assert await keys.find("one")
        provider.clock.now += 1
        assert await keys.find("one") is None

    provider = Provider()
    asyncio.run(main())


FAILURES = [
    httpx.ConnectError("refused"),
    httpx.Response(500),
    httpx.Response(302, headers={"location": "https://elsewhere.example"}),
    httpx.Response(200, text="<html>"),
    httpx.Response(200, text="[" * 100_000),
    httpx.Response(200, json=[]),
    httpx.Response(200, content=b" " * (MAX_BYTES + 1)),
]


@pytest.mark.parametrize("failure", FAILURES, ids=range(len(FAILURES)))
def test_without_an_answer_nobody_is_called_a_stranger(failure: httpx.Response | Exception) -> None:
    async def main() -> None:
        provider.answer = failure
        keys = provider.fetched()
        for _ in range(3):
            with pytest.raises(Unavailable):
                await keys.find("one")
        assert provider.asked == 1
        provider.answer = provider.keys("one")
        provider.clock.now += 30
        assert await keys.find("one")

    provider = Provider()
    asyncio.run(main())


def test_keys_that_are_known_outlive_an_outage() -> None:
    async def main() -> None:
        keys = provider.fetched()
        assert await keys.find("one")
        provider.answer = httpx.ConnectError("refused")
        provider.clock.now += 3600
        assert await keys.find("one")
        assert await keys.find("one")
        assert provider.asked == 2

    provider = Provider()
    asyncio.run(main())
