"""No sequence of an operator's calls tells of one person.

Two ledgers differ in one person alone, in anything at all that can be stored of them and in the keys that were coined
for them, and have the same weekly snapshot. They are put the same calls, holds on that very person and sweeps among
them, on the same days and hours. The replies are the same bytes, headers too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from api.world import Api
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from twins import LISTED, LISTED_ALIASES, NEVER_SEEN, START, UNLISTED, Reply, Store, list_topics, reply

ONE = "ann"
OTHERS = [f"person {n}" for n in range(6)]
PROPOSED = ["hobby", "pet_name"]
LABELS = [*LISTED, *LISTED_ALIASES, *UNLISTED, *NEVER_SEEN, "pet name"]
TOPICS = "/v1/operator/topics"
WINDOWS = "/v1/operator/windows"

labels = st.sampled_from(LABELS)
keys = st.sampled_from([*LISTED, *UNLISTED, *NEVER_SEEN])
window = st.sampled_from([(1, 2), (1, 3), (120, 540), (400, 700), (13, 14)]).map(
    lambda days: {"reconfirm_after": days[0], "drop_after": days[1]}
)
questions = st.sampled_from(["What do you like?", "Do you want kids?", "How so?"])
handlings = st.sampled_from(["open", "sealed", "confirm", "forbidden"])
changes = st.one_of(
    window,
    st.just({"reconfirm_after": None, "drop_after": None}),
    st.builds(lambda text: {"question": text}, questions | st.none()),
    st.builds(lambda word: {"handling": word}, handlings),
    st.sampled_from([{"listed": True}, {"listed": False}, {"authority": "HR"}, {}]),
    st.builds(lambda word: {"listed": True, "handling": word}, handlings),
)
ways = st.sampled_from(["bare", "dry", "shown", "shown", "stale", "unmatched"])


class Operators(RuleBasedStateMachine):
    """Two ledgers, and an operator who wants to know of one person."""

    pair: tuple[Api, Api]

    def __init__(self) -> None:
        super().__init__()
        self.stores = [Store(api) for api in self.pair]
        self.token = self.pair[0].token("operator")
        self.today, self.now = START, 0

    @initialize()
    def begin(self) -> None:
        for store in self.stores:
            begin(store)
        # the only one of five who has it still: without them its row may be swept away, and it is proposed all the same
        self.stores[0].keep("entry", ONE, "pet_name", "I call him Rex", 1)
        self.clock()

    def clock(self) -> None:
        for api in self.pair:
            api.database.day(self.today)
            api.database.hour(self.now)

    # ── What makes them differ: one person, and the keys that were coined for them ──────────────

    @rule(table=st.sampled_from(["entry", "pending"]), label=keys, age=st.sampled_from([0, 1, 2, 14, 121, 540, 700]),
          answer=st.sampled_from(["No.", "I want two kids"]))  # fmt: skip
    def answers(self, table: str, label: str, age: int, answer: str) -> None:
        store = self.stores[1]
        found = store.api.database.rows("select key from ledger.topic_alias where alias = %s", label)
        key = found[0][0] if found else label
        store.write("insert into ledger.topic (key) values (%s) on conflict do nothing", key)
        store.keep(table, ONE, key, answer, age)

    @rule()
    def is_swept_away(self) -> None:
        """Keys that nobody has, and that operators gave nothing, may go at any time."""
        self.stores[1].write(
            "delete from ledger.topic t where not listed and handling is null and question is null and authority is null"
            " and reconfirm_after is null and not exists (select from ledger.entry e where e.topic = t.key)"
            " and not exists (select from ledger.topic_alias a where a.key = t.key)"
        )

    @rule(decision=st.sampled_from(["granted", "revoked", None]))
    def decides(self, decision: str | None) -> None:
        self.stores[1].decide(ONE, decision)

    @rule(objects=st.booleans())
    def objects(self, objects: bool) -> None:
        self.stores[1].object_(ONE, objects)

    @rule(asked=st.sampled_from([None, False, True]))
    def is_held(self, asked: bool | None) -> None:
        self.stores[1].hold(ONE, asked)

    @rule(kept_back=st.sets(keys))
    def withholds(self, kept_back: set[str]) -> None:
        self.stores[1].withhold(ONE, kept_back)

    @rule(topic=st.none() | keys)
    def deletes(self, topic: str | None) -> None:
        self.stores[1].bar(ONE, topic, 1)
        self.stores[1].write("delete from ledger.entry where principal = %s", self.stores[1].principal(ONE))

    # ── What must not show it ───────────────────────────────────────────────────────────────────

    def both(self, method: str, path: str, body: Any = None, if_match: str | None = None) -> Reply:
        first, other = (reply(api, method, path, body, self.token, if_match) for api in self.pair)
        assert first == other
        assert first[0] < 500
        return first

    def step(self, method: str, path: str, body: dict[str, Any], way: str, tag: str) -> None:
        if way == "dry":
            self.both(method, f"{path}?dry_run=true", body)
        elif way == "shown":
            status, _, content = self.both(method, f"{path}?dry_run=true", body)
            preview = json.loads(content)["preview"] if status == 200 else None
            self.both(method, path, body if preview is None else body | {"preview": preview}, tag)
        elif way == "stale":
            self.both(method, path, body | {"preview": "0" * 32}, tag)
        else:
            self.both(method, path, body, '"another"' if way == "unmatched" else None)

    def tag_of(self, label: str) -> str:
        items = json.loads(self.both("GET", TOPICS)[2])["items"]
        return next((one["etag"] for one in items if label in (one["key"], *one["aliases"])), '"none"')

    @rule(label=labels, change=changes, way=ways)
    def change(self, label: str, change: dict[str, Any], way: str) -> None:
        self.step("PATCH", f"{TOPICS}/{label}", change, way, self.tag_of(label))

    @rule(label=labels, into=labels, way=ways)
    def merge(self, label: str, into: str, way: str) -> None:
        self.step("POST", f"{TOPICS}/{label}/merge", {"into": into}, way, self.tag_of(label))

    @rule(change=window, way=ways)
    def default(self, change: dict[str, Any], way: str) -> None:
        tag = dict(self.both("GET", WINDOWS)[1])[b"etag"].decode()
        self.step("PATCH", WINDOWS, change, way, tag)

    @rule(
        label=labels, question=st.none() | questions, days=st.none() | window, handling=st.none() | handlings
    )
    def create(
        self, label: str, question: str | None, days: dict[str, int] | None, handling: str | None
    ) -> None:
        body = {"label": label, "question": question, "handling": handling} | (days or {})
        self.both("POST", TOPICS, {name: value for name, value in body.items() if value is not None})

    @rule(label=labels, alias=labels, method=st.sampled_from(["PUT", "PUT", "DELETE"]))
    def alias(self, label: str, alias: str, method: str) -> None:
        self.both(method, f"{TOPICS}/{label}/aliases/{alias}")

    @rule(
        query=st.sampled_from(
            ["", "?limit=2", "?only=listed", "?only=proposed", "?q=k", "?q=pet name", "?q=want"]
        )
    )
    def look(self, query: str) -> None:
        self.both("GET", TOPICS + query)

    @rule(
        name=st.sampled_from([ONE, ONE, OTHERS[0], "a stranger"]), method=st.sampled_from(["PUT", "DELETE"])
    )
    def hold(self, name: str, method: str) -> None:
        self.both(method, "/v1/operator/legal-holds", {"principal": name})

    @rule(dry=st.booleans(), hours=st.sampled_from([0, 1]))
    def sweep(self, dry: bool, hours: int) -> None:
        self.now = (self.now + hours) % 24
        self.clock()
        self.both("POST", "/v1/operator/sweep", {"dry_run": dry})
        self.same_snapshot()

    @rule(days=st.sampled_from([1, 2, 7]))
    def time_passes(self, days: int) -> None:
        self.today += timedelta(days=days)
        self.clock()

    def same_snapshot(self) -> None:
        """What a sweep drew is put into both: of two that differ an operator may learn, at five principals."""
        first, other = (store.api.database for store in self.stores)
        for table in ("snapshot", "proposal"):
            other.installer.execute(f"delete from ledger.{table}")
            for row in first.rows(f"select * from ledger.{table} order by topic"):
                holes = ", ".join(["%s"] * len(row))
                other.installer.execute(f"insert into ledger.{table} values ({holes})", row)
        ((drawn_on,),) = first.rows("select snapshot_on from ledger.sweep_mark")
        other.installer.execute("update ledger.sweep_mark set snapshot_on = %s", (drawn_on,))


def begin(store: Store) -> None:
    """Six people who have told something, a snapshot, a proposal; and the registry as its operators have it."""
    store.reset()
    for table in ("topic", "topic_alias", "retired_key"):
        store.write(f"delete from ledger.{table}")
    list_topics(store.api.database)
    store.write("update ledger.setting set reconfirm_after = 120, drop_after = 540")
    store.write("update ledger.sweep_mark set snapshot_on = %s, asked_on = null, asked_hour = null", START)
    for key in PROPOSED:
        store.write("insert into ledger.topic (key) values (%s)", key)
        store.write("insert into ledger.proposal values (%s)", key)
    for name in OTHERS:
        for topic, age in (("kids", 14), ("smoking", 121), ("diet", 530), ("hobby", 3)):
            store.keep("entry", name, topic, "I have my own answer", age)
    for row in (("kids", 2, 5), ("smoking", 17, 5), ("diet", 75, 5)):
        store.write("insert into ledger.snapshot values (%s, %s, %s)", *row)


def drive(pair: tuple[Api, Api], **how: Any) -> None:
    machine = type("Pair", (Operators,), {"pair": pair})
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        machine,
        settings=settings(
            deadline=None, suppress_health_check=list(HealthCheck), stateful_step_count=25, **how
        ),
    )


@pytest.fixture
def clocks(twins: tuple[Api, Api]) -> Iterator[tuple[Api, Api]]:
    """The clocks go on as they were, for the tests behind."""
    yield twins
    for api in twins:
        api.database.day(START)


def test_no_sequence_of_calls_tells_two_ledgers_apart_that_differ_in_one_person(
    clocks: tuple[Api, Api],
) -> None:
    drive(clocks, max_examples=60)


# ── Each of these was the product once, or might be ──────────────────────────────────────────────

_LIVE_FIGURES = """
create or replace function ledger.snapshot_read(the_topic text) returns jsonb language sql stable security definer
return (select jsonb_build_object('drawn_on', null, 'weeks', coalesce(jsonb_agg(jsonb_build_array(null, null,
                 ledger.today() - e.as_of, 5)), '[]'))
          from ledger.entry e
         where the_topic in ('', e.topic)
           and not exists (select from ledger.legal_hold h where h.principal = e.principal));
alter function ledger.snapshot_read(text) owner to current_user;
"""
_ALL_KEYS = """
create or replace function ledger.is_seen(the_key text) returns boolean language sql stable
return exists (select from ledger.topic t where t.key = the_key);
"""
_PROPOSALS_WITH_A_ROW = """
create or replace function ledger.is_seen(the_key text) returns boolean language sql stable
return exists (select from ledger.topic t where t.key = the_key
                and (t.listed or exists (select from ledger.proposal o where o.topic = t.key)));
"""
_NO_SILENT_MERGE = """
create or replace function ledger.merge_topic(old_key text, new_key text, seen boolean) returns void language plpgsql
as $$ begin raise exception 'the alias is a topic' using errcode = 'LG005'; end $$;
"""
_A_HOLD_THAT_LOOKS = """
create or replace function ledger.hold_place(p uuid) returns void language plpgsql strict security definer as $$
begin
  if not exists (select from ledger.entry e where e.principal = p) then
    raise exception 'nobody' using errcode = 'LG003';
  end if;
end $$;
alter function ledger.hold_place(uuid) owner to current_user;
"""


@pytest.mark.parametrize(
    "broken",
    [_LIVE_FIGURES, _ALL_KEYS, _PROPOSALS_WITH_A_ROW, _NO_SILENT_MERGE, _A_HOLD_THAT_LOOKS],
    ids=[
        "live figures",
        "keys that were coined",
        "a proposal without a row",
        "an alias that was coined",
        "a hold",
    ],
)
def test_a_call_that_tells_would_be_noticed(another_pair: tuple[Api, Api], broken: str) -> None:
    for api in another_pair:
        api.database.installer.execute(broken)
    with pytest.raises(AssertionError):
        drive(another_pair, max_examples=300, database=None, derandomize=True, phases=[Phase.generate])
