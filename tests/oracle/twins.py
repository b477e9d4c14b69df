"""The same request put to stores that differ: what the two replies are made of, and what the stores may hold.

The listed registry is the same everywhere: replies may depend on it. All else may not show.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from api.world import Api
from hypothesis import strategies as st

START = date(2026, 9, 1)
LISTED = {
    "kids": ("open", "Do you want kids?"), "smoking": ("open", "Do you smoke?"), "diet": ("open", None),
    "health": ("sealed", "How is your health?"), "salary": ("confirm", "What do you earn?"),
    "password": ("forbidden", None),
}  # fmt: skip
LISTED_ALIASES = {"children": "kids", "smoker": "smoking"}
UNLISTED = ["hobby", "pet_name", "kids_names", "smokes"]  # some of them near a listed one
UNLISTED_ALIASES = ["pastime", "nick_name"]
NEVER_SEEN = ["favourite_colour", "shoe_size", "kidz"]
LABELS = [
    *LISTED,
    *LISTED_ALIASES,
    *UNLISTED,
    *UNLISTED_ALIASES,
    *NEVER_SEEN,
    "Kids",
    "PET name",
    "call 555 123456",
]

Reply = tuple[int, list[tuple[bytes, bytes]], bytes]


def list_topics(database: Any) -> None:
    for key, (handling, question) in LISTED.items():
        database.installer.execute(
            "insert into ledger.topic (key, handling, question, listed) values (%s, %s, %s, true)",
            (key, handling, question),
        )
    for alias, key in LISTED_ALIASES.items():
        database.installer.execute("insert into ledger.topic_alias values (%s, %s)", (alias, key))


def reply(api: Api, method: str, path: str, body: Any, token: str, if_match: str | None = None) -> Reply:
    """The status, every header as it was sent, and the bytes of the body. (Without a socket there is no Date.)"""
    sent = [("Authorization", f"Bearer {token}")]
    if if_match is not None:
        sent.append(("If-Match", if_match))
    answer = api.call(method, path, body, headers=sent)
    return answer.status_code, answer.headers.raw, answer.content


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    body: Any

    def put(self, api: Api, token: str) -> Reply:
        return reply(api, self.method, self.path, self.body, token)


labels = st.sampled_from(LABELS)
days = st.sampled_from([0, 0, 0, 1, 13, 121, 200, 539, 540, 700, -1, -2]).map(
    lambda age: (START - timedelta(days=age)).isoformat()
)

_MESSAGES = [
    "I want two kids", "No.", "Yes", "yes, still", "I smoke outdoors. I used to have pets.", "My sister has two kids",
    "I don't want kids", "I earn enough, thank you", "I eat everything", "Not any more", "same as before", "¿Y tú?",
]  # fmt: skip
spans = st.sampled_from(_MESSAGES).flatmap(
    lambda message: st.tuples(
        st.just(message), st.sampled_from([message, message.split(".")[0], message[2:9], "nowhere"])
    )
)

captures = st.builds(
    lambda typed, said_on, topics, asked, avoid: Request(
        "POST",
        "/v1/captures",
        {
            "message": typed[0],
            "said_on": said_on,
            "candidates": [{"topic": topic, "span": typed[1]} for topic in topics],
            **({"asked": asked} if asked else {}),
            "avoid": avoid,
        },
    ),
    spans,
    days,
    st.lists(labels, min_size=1, max_size=4),
    st.sampled_from([None, "Do you want kids?", "Do you smoke? Tell me."]),
    st.sampled_from([[], ["Acme"], ["kids"]]),
)
reconfirmations = st.builds(
    lambda typed, said_on, topic, still_true: Request(
        "POST",
        "/v1/reconfirmations",
        {
            "topic": topic,
            "message": typed[0],
            "span": typed[1],
            "said_on": said_on,
            "still_true": still_true,
            "avoid": [],
        },
    ),
    spans,
    days,
    labels,
    st.booleans(),
)
coinings = st.builds(
    lambda label, new, avoid: Request("POST", "/v1/topics", {"label": label, "new": new, "avoid": avoid}),
    labels,
    st.booleans(),
    st.sampled_from([[], ["hobby"]]),
)

_several = st.lists(labels, max_size=6)
readings = st.one_of(
    st.builds(
        lambda some: Request("POST", "/v1/plan", {"labels": some}), st.lists(labels, min_size=1, max_size=6)
    ),
    st.builds(
        lambda some: Request("POST", "/v1/coverage", {} if some is None else {"topics": some}),
        st.none() | _several,
    ),
    st.builds(
        lambda some, most: Request(
            "POST", "/v1/recall", {"limit": most} | ({} if some is None else {"topics": some})
        ),
        st.none() | _several,
        st.integers(0, 13),
    ),
    st.builds(lambda most: Request("GET", f"/v1/topics?limit={most}", None), st.integers(1, 4)),
    st.sampled_from(
        [
            Request("POST", "/v1/recall", {"topics": ["kids"], "principal": "ann"}),
            Request("POST", "/v1/plan", {"labels": "kids"}),
            Request("POST", "/v1/coverage", []),
            Request("GET", "/v1/topics?cursor=%00", None),
        ]
    ),
)
"""What an agent may ask, some of it badly."""


@dataclass
class Store:
    """Changes one of the stores, past every rule: any state at all is one that a reply must not show."""

    api: Api

    def write(self, statement: str, *values: Any) -> None:
        self.api.database.installer.execute(statement, values)

    def principal(self, name: str) -> UUID:
        return self.api.deployment.context.identity.principal(name)

    def reset(self) -> None:
        for table in (
            "entry", "pending", "consent", "consent_history", "withheld", "objection", "legal_hold", "barrier", "audit",
            "outcome", "snapshot", "proposal",
        ):  # fmt: skip
            self.write(f"delete from ledger.{table}")
        self.write("delete from ledger.topic where not listed")
        self.write(
            "delete from ledger.topic_alias a where not exists (select from ledger.topic t where t.key = a.key)"
        )

    def keep(self, table: str, name: str, topic: str, answer: str, age: int) -> None:
        principal = self.principal(name)
        self.write(f"delete from ledger.{table} where principal = %s and topic = %s", principal, topic)
        said = START - timedelta(days=age)
        self.write(f"insert into ledger.{table} values (%s, %s, %s, %s)", principal, topic, answer, said)

    def decide(self, name: str, decision: str | None) -> None:
        self.write("delete from ledger.consent where principal = %s", self.principal(name))
        if decision is not None:
            self.write(
                "insert into ledger.consent values (%s, %s, %s, 'v1')", self.principal(name), decision, START
            )

    def object_(self, name: str, objects: bool) -> None:
        self.write("delete from ledger.objection where principal = %s", self.principal(name))
        if objects:
            self.write("insert into ledger.objection values (%s)", self.principal(name))

    def hold(self, name: str, erase_asked: bool | None) -> None:
        self.write("delete from ledger.legal_hold where principal = %s", self.principal(name))
        if erase_asked is not None:
            self.write("insert into ledger.legal_hold values (%s, %s)", self.principal(name), erase_asked)

    def withhold(self, name: str, topics: set[str]) -> None:
        self.write("delete from ledger.withheld where principal = %s", self.principal(name))
        self.write(
            "insert into ledger.withheld select %s, unnest(%s::text[])", self.principal(name), sorted(topics)
        )

    def bar(self, name: str, topic: str | None, ahead: int) -> None:
        identity, principal = self.api.deployment.context.identity, self.principal(name)
        mark = identity.mark_all(principal) if topic is None else identity.mark(principal, topic)
        self.write("delete from ledger.barrier where principal = %s and mark = %s", principal, mark)
        self.write(
            "insert into ledger.barrier values (%s, %s, 'deleted', %s)",
            principal,
            mark,
            START + timedelta(days=ahead),
        )

    def coin(self, key: str, handling: str, question: str | None, window: tuple[int, int] | None) -> None:
        first, last = window or (None, None)
        self.write("delete from ledger.topic where key = %s", key)
        self.write("delete from ledger.topic_alias where alias = %s", key)
        self.write(
            "insert into ledger.topic (key, handling, question, reconfirm_after, drop_after) values (%s, %s, %s, %s, %s)",
            key, handling, question, first, last,
        )  # fmt: skip

    def alias(self, alias: str, key: str) -> None:
        self.write("delete from ledger.topic where key = %s and not listed", alias)
        self.write("delete from ledger.topic_alias where alias = %s", alias)
        self.write("insert into ledger.topic_alias select %s, %s where exists (select from ledger.topic where key = %s)", alias, key, key)  # fmt: skip
