"""What a label names, by the listed topics alone.

Nothing else is looked at: neither a principal nor a topic that is not listed. So whatever a reply says about a
label, and the time that it takes, tells of the label and of what operators listed.

Source: design, section 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ledger.core.model import Topic
from ledger.core.registry.forms import Lists
from ledger.core.registry.near import Listed, Near


@dataclass(frozen=True, slots=True)
class Named:
    """What a label names.

    `label` is its normal form; of a slip, a plural or a reordering it is the key that was meant. `topic` is the
    listed topic; None: the label's own key, coined or not, and `similar` holds up to five listed keys, best first.
    """

    label: str
    topic: Topic | None
    similar: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return self.label if self.topic is None else self.topic.key


class Registry:
    """The listed topics at one moment, made ready for labels; that takes 0.1 s for 5,000 of these."""

    def __init__(
        self, topics: Sequence[Topic], lists: Lists, former: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """`former` holds labels that operators moved, and the keys to which they led."""
        self.topics = tuple(topics)
        self.former = dict(former or {})
        self._moved = Listed({label: label for label in self.former}, lists)
        self._names = {name: topic for topic in topics for name in (topic.key, *topic.aliases)}
        self._near = Listed(
            {name: topic.key for name, topic in self._names.items()},
            lists,
            {topic.key: topic.question for topic in topics if topic.question is not None},
        )

    def named(self, key: str) -> Named:
        """What a label in normal form names: exact key or alias, else near enough, else its own key."""
        if (topic := self._names.get(key)) is not None:
            return Named(key, topic)
        match self._near.near(key):
            case Near("same", (meant,)):
                return Named(meant, self._names[meant])
            case Near(_, similar):
                return Named(key, None, similar)

    def names(self, key: str, names: Sequence[str]) -> tuple[str, ...]:
        """The names of the topic to which a label leads, and behind them the keys to which it may have led at other times.

        Which label leads where depends on all that are listed: one more takes plurals and slips away from another. What
        was deleted or withheld under one of these keys stays so for what is said under the label. `key` is the label in
        normal form, and its own key.
        """
        beside = (name for other in self._near.alike(key) for name in self._names[other].names)
        return tuple(dict.fromkeys((*names, key, *beside, *self.moved(key))))

    def moved(self, key: str) -> tuple[str, ...]:
        """The keys to which a label in normal form led before operators moved it, or another that it is almost."""
        return tuple(former for label in self._moved.alike(key) for former in self.former[label])
