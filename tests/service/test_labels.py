"""Wherever a call takes labels they resolve alike, by the listed registry alone and before anything of anybody is read."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.core.model import Candidate, Decision, Freshness, Handling, Reason
from ledger.core.registry.named import Registry
from ledger.db import agent as db
from ledger.db.agent import Reader
from ledger.db.operation import Surface
from ledger.packs import near_lists
from ledger.service import agents, captures, operators, principals
from ledger.service.ledger import Ledger
from ledger.service.registry import KEPT_S, Reading
from ledger.service.why import why


def only(operation):
    return (yield operation)


def statements(scene, use_case):
    """What a use case gives, and the functions that it calls on its way."""
    called = []
    try:
        operation = next(use_case)
        while True:
            called.append(operation.sql.partition("ledger.")[2].partition("(")[0])
            operation = use_case.send(scene.run(only(operation)))
    except StopIteration as end:
        return end.value, called


def plan(scene, *labels):
    return scene.ledger.principal("ann").plan(labels).items


# ── Every call ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("label", ["Smoking?", "smokng", "smokings"])
def test_a_slip_or_a_plural_of_a_listed_label_is_that_topic_on_every_call(scene, label):
    assert scene.say(label, "I smoke outdoors").topic == "smoking"
    scene.decide(Decision.GRANTED)
    (item,) = plan(scene, label)
    assert (item.label, item.key, item.entry.answer, item.similar) == (
        label,
        "smoking",
        "I smoke outdoors",
        (),
    )
    assert scene.quotes(label) == {"smoking": "I smoke outdoors"}
    assert scene.covered(label) == {"smoking": "fresh"}
    state, _ = scene.run(why(scene.ledger.context, scene.who(), label))
    assert (state.key, state.listed) == ("smoking", True)
    scene.later(130)
    who, today = scene.who(), scene.today
    assert scene.run(captures.reconfirm(scene.ledger.context, who, label, "Yes", "Yes", today, True)).accepted
    assert scene.covered("smoking") == {"smoking": "fresh"}


def test_several_labels_of_one_topic_are_each_answered(scene):
    scene.say("kids", "I want two kids")
    scene.decide(Decision.GRANTED)
    assert [(item.label, item.key, item.do) for item in plan(scene, "kid", "Kids", "kids")] == [
        ("kid", "kids", "known"), ("Kids", "kids", "known"), ("kids", "kids", "known"),
    ]  # fmt: skip


def test_a_label_whose_topic_is_not_listed_is_told_of_similar_ones(scene):
    (planned, known, far) = plan(scene, "smoking habits", "smoking", "favourite chair")
    assert (planned.key, planned.do, planned.similar) == ("smoking_habits", "ask", ("smoking",))
    assert known.similar == far.similar == ()
    accepted, refused, listed, bad = scene.run(
        captures.capture(
            scene.ledger.context,
            scene.who(),
            "I smoke outdoors",
            scene.today,
            [
                Candidate("smoking habits", "I smoke outdoors"),
                Candidate("do you smoke?", "I smoke cigars"),
                Candidate("smoking", "I smoke outdoors"),
                Candidate("call 555 123 4567", "I smoke outdoors"),
            ],
        )
    )
    assert (accepted.topic, accepted.verdict.accepted, accepted.similar) == (
        "smoking_habits",
        True,
        ("smoking",),
    )
    assert (refused.topic, refused.verdict.accepted, refused.similar) == ("do_you_smoke", False, ("smoking",))
    assert listed.similar == bad.similar == ()
    assert plan(scene, "no smoking")[0].similar == (), "near nothing"


def test_similar_is_the_same_whatever_is_known_of_the_principal_or_of_the_label(scene):
    labels = ["smoking habits", "pet names", "favourite chair"]
    of_a_stranger = [item.similar for item in plan(scene, *labels)]
    assert of_a_stranger == [("smoking",), ("pets",), ()]
    scene.decide(Decision.GRANTED)
    for label in labels:
        scene.say(label, "I like it outdoors")
    assert [item.do for item in plan(scene, *labels)] == ["known"] * 3
    assert [item.similar for item in plan(scene, *labels)] == of_a_stranger
    scene.decide(Decision.REVOKED)
    assert [item.similar for item in plan(scene, *labels)] == of_a_stranger


def test_another_accent_is_another_topic(scene):
    scene.list_topic("papá", "Do you get on with your father?")
    scene.say("papa", "I like potatoes")
    assert scene.stored() == {"papa": "I like potatoes"}
    (item,) = plan(scene, "papa")
    assert (item.key, item.similar) == ("papa", ("papá",))


def test_a_token_is_narrowed_by_keys_and_aliases_and_by_nothing_near(scene):
    scene.say("smoking", "I smoke outdoors")
    scene.run(operators.put_alias(scene.ledger.context, "smoking", "tobacco"))
    for key, seen in (("smoking", True), ("tobacco", True), ("smokng", False)):
        narrowed = scene.ledger.principal("ann", topics=[key])
        assert bool(narrowed.coverage(["smoking"])) is seen


# ── By the same statements ───────────────────────────────────────────────────────────────────────


def test_labels_are_resolved_before_anything_of_a_principal_is_read(scene):
    context, reader = scene.ledger.context, Reader(scene.who())
    for use_case, called in (
        (lambda: agents.plan(context, reader, ["smokng"]), "plan"),
        (lambda: agents.coverage(context, reader, ["smokng"]), "coverage"),
        (lambda: agents.recall(context, reader, ["smokng"]), "recall"),
    ):
        context.listed.forget()
        assert statements(scene, use_case())[1] == ["labels_listed", "labels_former", called]
        assert statements(scene, use_case())[1] == [called], "a read stays one statement"


def said(scene, *labels, message="I like it outdoors", span=None, name="ann"):
    candidates = [Candidate(label, span or message) for label in labels]
    return captures.capture(scene.ledger.context, scene.who(name), message, scene.today, candidates)


def test_a_capture_calls_the_same_whether_a_key_was_there_or_an_answer_is_kept(scene):
    scene.ledger.principal("warm").plan(["kids"])
    new = statements(scene, said(scene, "windmills"))
    assert new[1] == ["topics_for", "capture"]
    assert statements(scene, said(scene, "windmills")) == new, "it is there now, and so is the answer"
    scene.run(principals.object_(scene.ledger.context, scene.who("ben"), True))
    assert statements(scene, said(scene, "windmills", name="ben")) == new
    assert statements(scene, said(scene, "kids"))[1] == ["capture"]
    assert statements(scene, said(scene, "kids", "windmills", "lighthouses"))[1] == ["topics_for", "capture"]
    assert statements(scene, said(scene, "windmills", "kids", span="nowhere"))[1] == ["capture"]


def test_a_refused_span_coins_nothing(scene):
    said_and_not = captures.capture(
        scene.ledger.context,
        scene.who(),
        "I like it outdoors",
        scene.today,
        [Candidate("windmills", "I like it outdoors"), Candidate("lighthouses", "I like it indoors")],
    )
    assert [outcome.verdict.accepted for outcome in scene.run(said_and_not)] == [True, False]
    assert scene.database.rows("select key from ledger.topic where not listed") == [("windmills",)]


def test_what_is_admitted_is_counted_by_what_was_accepted_and_is_not_listed(scene):
    counted = []
    candidates = [
        Candidate(label, "I like it outdoors") for label in ("windmills", "Windmills", "kids", "lighthouses")
    ]
    candidates.append(Candidate("mills", "nowhere"))

    def capture(admit):
        return captures.capture(
            scene.ledger.context, scene.who(), "I like it outdoors", scene.today, candidates, admit=admit
        )

    for _ in "new", "old":
        scene.run(capture(counted.append))
    assert counted == [2, 2]


# ── SQL and the application agree ────────────────────────────────────────────────────────────────

_WORDS = ["kids", "kid", "children", "childrens", "pets", "pet", "hijos", "smoking", "smokng", "chair"]


@st.composite
def registries(draw):
    """Topics, some listed; aliases of them; and keys that were merged into them, which are aliases too."""
    names = draw(st.lists(st.sampled_from(_WORDS), unique=True, min_size=2))
    topics = {name: draw(st.booleans()) for name in names[: draw(st.integers(1, len(names)))]}
    aliases = {name: draw(st.sampled_from(sorted(topics))) for name in names[len(topics) :]}
    return topics, aliases, draw(st.sets(st.sampled_from(sorted(aliases)))) if aliases else set()


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(registry=registries())
def test_sql_and_the_application_name_the_same_topics(ledger, database, registry):
    topics, aliases, retired = registry
    installer = database.installer
    installer.execute("truncate ledger.topic, ledger.topic_alias, ledger.retired_key")
    for key, listed in topics.items():
        installer.execute(
            "insert into ledger.topic (key, handling, listed) values (%s, 'open', %s)", (key, listed)
        )
    for alias, key in aliases.items():
        installer.execute("insert into ledger.topic_alias values (%s, %s)", (alias, key))
    for key in retired:
        installer.execute("insert into ledger.retired_key values (%s, %s)", (key, aliases[key]))

    for surface in (Surface.AGENT, Surface.CAPTURE):
        found = ledger.run(only(db.labels_listed(surface)))
    assert {topic.key for topic in found} == {key for key, listed in topics.items() if listed}
    named = {label: Registry(found, near_lists()).named(label) for label in _WORDS}
    ((read,),) = database.rows("select ledger.keys_read(%s)", [named[label].label for label in _WORDS])
    for label, key in zip(_WORDS, read, strict=True):
        one = named[label]
        if topics.get(key):
            assert one.topic is not None and one.topic.key == key
            assert one.topic.retired == tuple(sorted(name for name in retired if aliases[name] == key))
        else:
            assert one.topic is None and one.key == label
            assert key == (aliases[label] if label in retired else label)


# ── What a process remembers of the registry ─────────────────────────────────────────────────────


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def test_a_reading_serves_for_seconds_and_ends_with_an_operators_call(scene):
    clock = Clock()
    reading = Reading(near_lists(), clock=clock)
    context = replace(scene.ledger.context, listed=reading)

    def reads():
        _, called = statements(scene, agents.plan(context, Reader(scene.who()), ["kids"]))
        return called == ["labels_listed", "labels_former", "plan"]

    assert (reads(), reads()) == (True, False)
    clock.now += KEPT_S
    assert (reads(), reads()) == (True, False)
    before = scene.run(reading.registry(Surface.AGENT))
    reading.forget()
    assert (reads(), reads()) == (True, False)
    assert scene.run(reading.registry(Surface.AGENT)) is before, "what did not change is not made ready again"


def test_while_one_reads_anew_the_others_go_on_and_a_change_meanwhile_is_not_overwritten(scene):
    clock = Clock()
    reading = Reading(near_lists(), clock=clock)
    first = scene.run(reading.registry(Surface.AGENT))
    clock.now += KEPT_S
    slow = reading.registry(Surface.AGENT)
    operation = next(slow)
    assert scene.run(reading.registry(Surface.AGENT)) is first
    old = scene.run(only(operation))
    scene.list_topic("windmills")
    reading.forget()
    with pytest.raises(StopIteration) as end:
        slow.send(scene.run(only(slow.send(old))))
    assert end.value.value is first
    assert scene.run(reading.registry(Surface.AGENT)).named("windmill").topic is not None


def test_what_an_operator_of_this_process_changes_is_seen_at_once(scene):
    assert plan(scene, "tabacco")[0].key == "tabacco"
    scene.run(operators.put_alias(scene.ledger.context, "smoking", "tobacco"))
    assert [item.key for item in plan(scene, "tobacco", "tobaccos")] == ["smoking", "smoking"]
    scene.list_topic("windmills")
    assert plan(scene, "windmill")[0].key == "windmills"


@pytest.fixture
def elsewhere(scene, settings_for):
    """Another process of the same deployment, whose operators change the registry."""
    with Ledger.open(settings_for(scene.database)) as other:
        scene.ledger.principal("warm").plan(["kids"])
        yield other


def test_an_alias_that_another_process_put_names_its_topic_at_once(scene, elsewhere):
    assert plan(scene, "diet of smoking")[0].similar == ("diet", "smoking")
    for alias in ("tobacco", "diet of smoking"):
        elsewhere.run(operators.put_alias(elsewhere.context, "smoking", alias))
    scene.decide(Decision.GRANTED)
    assert [(item.key, item.similar) for item in plan(scene, "tobacco", "diet of smoking")] == [
        ("smoking", ())
    ] * 2
    assert scene.say("Tobacco", "I smoke outdoors").topic == "smoking"
    assert scene.quotes("tobacco") == {"smoking": "I smoke outdoors"}
    elsewhere.run(operators.put_alias(elsewhere.context, "diet", "tobacco"))
    assert scene.say("Tobacco", "I eat everything").topic == "diet"
    assert scene.stored() == {"smoking": "I smoke outdoors", "diet": "I eat everything"}


def test_what_another_process_forbids_or_asks_otherwise_counts_at_once(scene, elsewhere):
    there = replace(scene, ledger=elsewhere)
    assert scene.say("smoking", "No", asked="Do you use tobacco?").verdict.reason is Reason.NEEDS_QUESTION
    there.change("smoking", {"question": "Do you use tobacco?"})
    assert scene.say("smoking", "No", asked="Do you use tobacco?").verdict.accepted
    there.change("diet", {"handling": "forbidden"})
    assert scene.say("diet", "I eat everything").verdict.reason is Reason.FORBIDDEN_TOPIC
    there.change("diet", {"handling": "open"})
    assert scene.say("diet", "I eat everything").verdict.accepted
    assert scene.stored() == {"smoking": "No", "diet": "I eat everything"}


def test_what_was_deleted_under_a_key_that_another_process_merges_stays_deleted(scene, elsewhere):
    there = replace(scene, ledger=elsewhere)
    there.list_topic("children", "Any children?")
    scene.say("children", "I want three kids")
    scene.act(principals.delete, "children")
    scene.say("pets", "I have two cats", on=scene.today - timedelta(days=1))
    there.merge("children", "kids")
    assert scene.say("kids", "I want three kids").verdict.accepted
    assert set(scene.stored()) == {"pets"}


def test_what_was_deleted_under_a_key_that_was_merged_into_an_unlisted_one_stays_deleted(scene):
    scene.say("windmills", "I like old windmills")
    scene.act(principals.delete, "windmills")
    installer = scene.database.installer
    scene.run(agents.coin(scene.ledger.context, "mills"))
    installer.execute("delete from ledger.topic where key = 'windmills'")
    installer.execute("insert into ledger.topic_alias values ('windmills', 'mills')")
    installer.execute("insert into ledger.retired_key values ('windmills', 'mills')")
    for label in ("mills", "windmills"):
        assert scene.say(label, "I like old windmills").verdict.accepted
    assert scene.stored() == {}
    assert scene.database.rows("select key from ledger.topic where key = 'windmills'") == []
    scene.say("windmills", "I like old windmills", name="ben")
    assert scene.stored("ben") == {"mills": "I like old windmills"}


def test_a_topic_that_is_confirmed_by_its_principal_still_waits(scene):
    """The path of captures changed; what handling asks for did not."""
    scene.list_topic("salary", "What do you earn?", Handling.CONFIRM)
    scene.say("salarys", "I make 50k a year")
    assert scene.own()["salary"].pending and scene.stored() == {}
    assert Freshness.FRESH not in scene.covered().values()
