"""Use cases of operators: they own the topic registry and the windows, and have no way to an entry.

    registry    the topics that they see, and what they do to one
    labels      aliases, and merges
    defaults    the window of topics that have none of their own
    preview     what a step would destroy; a step that does wants it shown first
    holds       legal holds
    sweeping    a sweep that is asked for

They see listed topics and proposals; a call on any other key answers as if it had never been coined. What they get is
made of the registry and of the weekly snapshot, so that no difference of two calls shows a person.

Source: DESIGN sections 4, 7, 8.
"""

from ledger.service.operators.defaults import default_etag, default_window, set_default_window
from ledger.service.operators.fields import problem_of
from ledger.service.operators.holds import lift_hold, place_hold
from ledger.service.operators.labels import delete_alias, merge, put_alias
from ledger.service.operators.preview import Preview, etag
from ledger.service.operators.registry import Which, adopt, change, create, topic, topics, whole_registry
from ledger.service.operators.sweeping import due, sweep

__all__ = [
    "Preview",
    "Which",
    "adopt",
    "change",
    "create",
    "default_etag",
    "default_window",
    "delete_alias",
    "due",
    "etag",
    "lift_hold",
    "merge",
    "place_hold",
    "problem_of",
    "put_alias",
    "set_default_window",
    "sweep",
    "topic",
    "topics",
    "whole_registry",
]
