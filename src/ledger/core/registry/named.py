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
    `before`: the keys to which it led at other times, its own among them. What was deleted, withheld or forbidden under
    one of them stays so for what is said under the label.
    """

    label: str
    topic: Topic | None
    similar: tuple[str, ...] = ()
    before: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return self.label if self.topic is None else self.topic.key

    def names(self, names: Sequence[str]) -> tuple[str, ...]:
        """A topic's names, its key first, and behind them those that this label has from before."""
        return tuple(dict.fromkeys((*names, *self.before)))


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
        before = (key, *(former for label in self._moved.alike(key) for former in self.former[label]))
        if (topic := self._names.get(key)) is not None:
            return Named(key, topic, before=before)
        match self._near.near(key):
            case Near("same", (meant,)):
                return Named(meant, self._names[meant], before=before)
            case Near(_, similar):
                return Named(key, None, similar, before)
