"""What a capture, a reconfirmation or a coining answers depends on the request and the listed registry alone.

Two applications that have nothing in common but the listed registry are put the same requests, after anything at all was
done to the store of one of them. The replies are the same bytes, headers too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from api.world import Api
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from twins import (
    LISTED,
    START,
    UNLISTED,
    UNLISTED_ALIASES,
    Reply,
    Request,
    Store,
    captures,
    coinings,
    readings,
    reconfirmations,
)

from ledger.errors import LedgerError
from ledger.service import sweeps

NAMES = ["ann", "ben"]
names = st.sampled_from(NAMES)
which = st.sampled_from([0, 1])
topics = st.sampled_from([*LISTED, *UNLISTED])
ages = st.sampled_from([0, 1, 13, 119, 121, 200, 539, 540, 600])
answers = st.sampled_from(["No.", "I want two kids", "x" * 500])


class Twins(RuleBasedStateMachine):
    """Two stores that drift apart, and one caller who must not notice."""

    pair: tuple[Api, Api]

    def __init__(self) -> None:
        super().__init__()
        self.stores = [Store(api) for api in self.pair]

    @initialize()
    def empty(self) -> None:
        for store in self.stores:
            store.reset()
            store.decide("revoked", "revoked")

    # ── What makes them differ ──────────────────────────────────────────────────────────────────

    @rule(
        at=which,
        table=st.sampled_from(["entry", "pending"]),
        name=names,
        topic=topics,
        answer=answers,
        age=ages,
    )
    def keep(self, at: int, table: str, name: str, topic: str, answer: str, age: int) -> None:
        self.stores[at].keep(table, name, topic, answer, age)

    @rule(at=which, name=names, decision=st.sampled_from(["granted", "revoked", None]))
    def decide(self, at: int, name: str, decision: str | None) -> None:
        self.stores[at].decide(name, decision)

    @rule(at=which, name=names, objects=st.booleans())
    def object_(self, at: int, name: str, objects: bool) -> None:
        self.stores[at].object_(name, objects)

    @rule(at=which, name=names, asked=st.sampled_from([None, False, True]))
    def hold(self, at: int, name: str, asked: bool | None) -> None:
        self.stores[at].hold(name, asked)

    @rule(at=which, name=names, kept_back=st.sets(topics))
    def withhold(self, at: int, name: str, kept_back: set[str]) -> None:
        self.stores[at].withhold(name, kept_back)

    @rule(at=which, name=names, topic=st.none() | topics, ahead=st.sampled_from([-400, 0, 1]))
    def bar(self, at: int, name: str, topic: str | None, ahead: int) -> None:
        self.stores[at].bar(name, topic, ahead)

    @rule(
        at=which,
        key=st.sampled_from(UNLISTED),
        handling=st.sampled_from(["sealed", "open", "confirm", "forbidden"]),
        question=st.sampled_from([None, "What do you like?"]),
        window=st.sampled_from([None, (1, 2), (10, 3650)]),
    )
    def coin_long_ago(
        self, at: int, key: str, handling: str, question: str | None, window: tuple[int, int] | None
    ) -> None:
        self.stores[at].coin(key, handling, question, window)

    @rule(at=which, alias=st.sampled_from(UNLISTED_ALIASES), key=st.sampled_from(UNLISTED))
    def alias(self, at: int, alias: str, key: str) -> None:
        self.stores[at].alias(alias, key)

    @rule(at=which, who=st.sampled_from([*NAMES, "revoked"]), topic=topics, answer=answers)
    def give_somebody_an_answer(self, at: int, who: str, topic: str, answer: str) -> None:
        self.stores[at].keep("entry", who, topic, answer, 200)

    @rule(at=which)
    def sweep(self, at: int) -> None:
        try:
            self.pair[at].run(sweeps.sweep())
        except LedgerError:
            raise AssertionError("the sweep failed") from None

    @rule(at=which, name=names)
    def erase(self, at: int, name: str) -> None:
        assert self.pair[at].call("DELETE", "/v1/me", as_="principal", who=name).status_code == 200

    # ── What must not show it ───────────────────────────────────────────────────────────────────

    def ask_both(self, request: Request, scope: str, name: str) -> None:
        token = self.pair[0].token(scope, name)
        replies: list[Reply] = [request.put(api, token) for api in self.pair]
        assert replies[0] == replies[1]
        assert replies[0][0] < 500

    @rule(request=captures, name=names)
    def capture(self, request: Request, name: str) -> None:
        self.ask_both(request, "capture", name)

    @rule(request=reconfirmations, name=names)
    def reconfirm(self, request: Request, name: str) -> None:
        self.ask_both(request, "capture", name)

    @rule(request=coinings, name=names)
    def coin(self, request: Request, name: str) -> None:
        self.ask_both(request, "agent", name)

    @rule(request=readings)
    def read_of_one_who_revoked(self, request: Request) -> None:
        self.ask_both(request, "agent", "revoked")


def drive(pair: tuple[Api, Api], **how: Any) -> None:
    class Driven(Twins):
        pass

    Driven.pair = pair
    run_state_machine_as_test(
        Driven,
        settings=settings(
            stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck), **how
        ),
    )


def test_no_reply_tells_one_store_from_another(twins: tuple[Api, Api]) -> None:
    drive(twins, max_examples=40)


WORDS = "I want two kids"
STATES = {
    "an objection": lambda store: store.object_("ann", True),
    "a refusal": lambda store: store.decide("ann", "revoked"),
    "a consent": lambda store: store.decide("ann", "granted"),
    "a hold": lambda store: store.hold("ann", False),
    "a hold, and an erasure that waits": lambda store: store.hold("ann", True),
    "a barrier of all": lambda store: store.bar("ann", None, 1),
    "a barrier": lambda store: store.bar("ann", "kids", 1),
    "the same words": lambda store: store.keep("entry", "ann", "kids", WORDS, 0),
    "old words": lambda store: store.keep("entry", "ann", "kids", "I want none", 200),
    "words that wait": lambda store: store.keep("pending", "ann", "salary", WORDS, 0),
    "what is kept back": lambda store: store.withhold("ann", {"kids"}),
    "a key that somebody coined": lambda store: store.coin("hobby", "sealed", None, None),
}


def replies_in(twins: tuple[Api, Api], state: str) -> Iterator[tuple[Reply, Reply]]:
    """The same requests, all of which pass the gate, of one of whom nothing is known and of one in a state."""
    stores = [Store(api) for api in twins]
    for store in stores:
        store.reset()
    STATES[state](stores[1])
    day = START.isoformat()
    said = {"message": WORDS, "span": WORDS, "said_on": day, "avoid": []}
    for topic in ("kids", "salary", "health", "hobby", "password"):
        capture = {"message": WORDS, "said_on": day, "candidates": [{"topic": topic, "span": WORDS}]}
        for request, scope in (
            (Request("POST", "/v1/reconfirmations", said | {"topic": topic, "still_true": True}), "capture"),
            (Request("POST", "/v1/captures", capture), "capture"),
            (Request("POST", "/v1/topics", {"label": topic}), "agent"),
        ):
            token = twins[0].token(scope, "ann")
            first, other = (request.put(api, token) for api in twins)
            yield first, other


@pytest.mark.parametrize("state", STATES)
def test_in_no_state_is_he_answered_otherwise_than_one_who_is_unknown(
    twins: tuple[Api, Api], state: str
) -> None:
    """What the machine above may miss by chance: each state by itself."""
    for first, other in replies_in(twins, state):
        assert first == other
        assert first[0] == 200


_TELLS = """
create function public.tell() returns trigger language plpgsql as
$$ begin raise exception 'it is new' using errcode = 'LG002'; end $$;
create trigger tell after insert on ledger.{table} for each row execute function public.tell();
"""


@pytest.mark.parametrize("table", ["entry", "topic", "pending"])
def test_a_reply_that_tells_would_be_noticed(twins: tuple[Api, Api], table: str) -> None:
    """Whether something is stored decides here whether the reply is an error."""
    for api in twins:
        api.database.installer.execute(_TELLS.format(table=table))
    installer = [api.database.installer for api in twins]
    try:
        for one in installer:  # so that the stores themselves can be changed
            one.execute("set session_replication_role = replica")
        replies = [pair for state in STATES for pair in replies_in(twins, state)]
        assert any(first != other for first, other in replies)
    finally:
        for one in installer:
            one.execute("reset session_replication_role")
            one.execute("drop function public.tell() cascade")
