"""The rules that a span has to pass where it stands, in the order in which they are applied; the first that refuses gives its name.

Each is a small pure function of a place in a message, with its own examples: messages with the span in [brackets], refused by this very
rule or let through by it. What the rules look at is worked out by a Reading, once a message.

Source: DESIGN section 6, rules 2 to 6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ledger.core.gate.details import LONGEST
from ledger.core.gate.names import Names
from ledger.core.gate.scope import Turn
from ledger.core.model import Reason
from ledger.core.text import holds_tags

if TYPE_CHECKING:
    from ledger.core.gate.reading import Reading


@dataclass(frozen=True)
class Spot:
    """A slice [start, end) of a message that starts and ends at edges of words, with what it is offered for."""

    reading: Reading
    start: int
    end: int
    question: str | None
    avoid: Names

    @property
    def answer(self) -> str:
        return self.reading.message[self.start : self.end]

    @cached_property
    def cut(self) -> Turn | None:
        """The first cue that turns the slice and that it leaves behind."""
        return self.reading.first_cut(self.start, self.end)

    @cached_property
    def fault(self) -> str | None:
        """What the structure of its sentence has against the slice."""
        return self.reading.structural_fault(self.start, self.end)

    def cut_by(self, rule: str) -> Turn | None:
        return self.cut if self.cut is not None and self.cut.rule == rule else None


Check = Callable[[Spot], Turn | bool | None]


class Rule(NamedTuple):
    """A rule: its check refuses a spot with the reason, by what is true of it or by the cue that it leaves behind.

    `of_words`: it looks at the words of the slice alone, wherever they stand.
    """

    name: str
    reason: Reason
    check: Check
    refused: tuple[str, ...]
    kept: tuple[str, ...]
    of_words: bool = False

    @property
    def of_structure(self) -> bool:
        """Whether it looks at the structure of the sentence, which is told once for all the languages that it may be in."""
        return self.name in OF_STRUCTURE

    @property
    def purpose(self) -> str:
        """What it refuses, and where that comes from: the docstring of its check."""
        return self.check.__doc__ or ""


RULES: list[Rule] = []


def _rule(
    reason: Reason, *, refused: tuple[str, ...], kept: tuple[str, ...], of_words: bool = False
) -> Callable[[Check], Check]:
    def register(check: Check) -> Check:
        RULES.append(Rule(check.__name__, reason, check, refused, kept, of_words))
        return check

    return register


@_rule(Reason.TOO_LONG, refused=("[" + "a long story, " * 40 + "the end]",), kept=("[a short story]",))
def length(spot: Spot) -> bool:
    """An answer has 500 code points at most. Source: DESIGN section 4."""
    return spot.end - spot.start > LONGEST


@_rule(
    Reason.NOT_OWN_WORDS,
    refused=("> [I smoke]\nso they say", "see `[I smoke]` there", "[10:42] Kim: [I smoke]"),
    kept=("I said it before: [I smoke]",),
)
def block(spot: Spot) -> bool:
    """Quoted lines, forwarded mail, pasted chat, code and a prompt block of this ledger are not typed by him. Source: DESIGN section 6, rule 4."""
    return spot.reading.is_in_block(spot.start, spot.end)


@_rule(
    Reason.NOT_OWN_WORDS,
    refused=("[I smoke\U000e0041\U000e0042]",),
    kept=("[I live in \U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f now]",),
)
def hidden(spot: Spot) -> bool:
    """Invisible tag characters, which spell text that nobody sees, stand in flags alone. Source: Unicode TS #51, emoji tag sequences; UTR #36."""
    return holds_tags(spot.answer)


@_rule(
    Reason.NOT_OWN_WORDS,
    refused=('my ex said "[never have kids]" and I laughed', 'the ad says "[no pets allowed]"'),
    kept=('my favourite book is "[Moby Dick]"', '[my ex said "never have kids" and I laughed]'),
)
def quotation(spot: Spot) -> bool:
    """What stands in quotation marks is somebody else's, unless the span holds all of it or it is a title. Source: DESIGN section 6, rule 4."""
    return spot.reading.is_in_quotation(spot.start, spot.end)


@_rule(
    Reason.QUESTION,
    refused=("[do you want kids?]", "Kim, [what is your dog called]", "I do, [how about you]?"),
    kept=("can you book it for [two people]?", "I have [two kids], what about you?"),
)
def question(spot: Spot) -> bool:
    """A real question answers nothing, even whole; a request states its content. Source: DESIGN section 6, rule 3."""
    return spot.reading.asks(spot.start, spot.end)


@_rule(
    Reason.MEANING_CUT,
    refused=("Minä en halua [lapsia] nyt ollenkaan",),
    kept=("[Minä en halua lapsia nyt ollenkaan]",),
)
def sentence(spot: Spot) -> bool:
    """Without data for the language nothing tells what turns a span, so it has to be whole sentences. Source: DESIGN section 6."""
    return not spot.reading.covers_unknown(spot.start, spot.end)


@_rule(
    Reason.NOT_OWN_WORDS,
    refused=("my boss says [I work too much]", "I was told [I snore]"),
    kept=("[my boss says I work too much]", "I said [I work a lot]"),
)
def speech(spot: Spot) -> bool:
    """Reported speech is somebody else's word about him. Source: DESIGN section 6, rule 4; Huddleston and Pullum 2002, chapter 11."""
    return spot.cut is not None and spot.reading.first_cut(spot.start, spot.end, speech=True) is not None


@_rule(
    Reason.MEANING_CUT,
    refused=("I don't [want kids]", "without [a car]", "I [smoke]? not at all"),
    kept=("[I don't want kids]", "I don't smoke, [I vape]", "No, [I live in Ghent]", "not red but [blue]"),
)
def negation(spot: Spot) -> Turn | None:
    """A negation that reaches the span is left behind. Source: DESIGN section 6, rule 3; Huddleston and Pullum 2002, chapter 9 (scope of negation)."""
    return spot.cut_by("negation")


@_rule(
    Reason.MEANING_CUT,
    refused=("[I want kids] if I marry", "If I marry, [I want kids]", "I smoke only when [I drink]"),
    kept=("[I want kids if I marry]", "if that's ok, [Friday at nine]"),
)
def condition(spot: Spot) -> Turn | None:
    """A condition on the span is left behind. Source: DESIGN section 6, rule 3; Huddleston and Pullum 2002, chapter 8 (conditional adjuncts)."""
    return spot.cut_by("condition")


@_rule(
    Reason.MEANING_CUT,
    refused=("[I eat everything] except pork", "[I eat fish] but not meat"),
    kept=("[I eat everything except pork]", "except on Sundays I am free; [I work from home]"),
)
def exception(spot: Spot) -> Turn | None:
    """An exception from the span is left behind. Source: DESIGN section 6, rule 3."""
    return spot.cut_by("exception")


@_rule(
    Reason.MEANING_CUT,
    refused=("I doubt that [I want kids]", "I might [move to Spain]"),
    kept=("[I doubt that I want kids]", "I doubt it will rain; [I have two kids]"),
)
def hedge(spot: Spot) -> Turn | None:
    """A hedge that reaches the span is left behind. Source: DESIGN section 6, rule 3; Hyland 1998 (what hedges are)."""
    return spot.cut_by("hedge")


@_rule(
    Reason.MEANING_CUT,
    refused=("I think [I want kids]", "it's under [Kim Smith], I guess"),
    kept=("[I think I want kids]", "I think [7 people]"),
)
def opinion(spot: Spot) -> Turn | None:
    """What marks the span as an opinion is left behind; a number or a time is let through. Source: DESIGN section 6, rule 3."""
    return spot.cut_by("opinion")


@_rule(
    Reason.MEANING_CUT,
    refused=("I wish [I had kids]", "I want to [quit smoking]"),
    kept=("[I wish I had kids]", "I would like [a table for two]"),
)
def wish(spot: Spot) -> Turn | None:
    """A wish or a plan that reaches the span is left behind. Source: DESIGN section 6, rule 3."""
    return spot.cut_by("wish")


@_rule(
    Reason.MEANING_CUT,
    refused=("I used to [smoke]", "[I smoke], but not anymore"),
    kept=("[I used to smoke]", "I used to smoke. [I run now.]"),
)
def past(spot: Spot) -> Turn | None:
    """What says that it is over is left behind. Source: DESIGN section 6, rule 3."""
    return spot.cut_by("past")


@_rule(
    Reason.MEANING_CUT,
    refused=("my sister [has two kids]", "she [smokes]"),
    kept=("[my sister has two kids]", "My wife and I [have two kids]"),
)
def subject(spot: Spot) -> Turn | None:
    """The subject is somebody else, and is left behind. Source: DESIGN section 6, rule 3."""
    return spot.cut_by("subject")


@_rule(
    Reason.MEANING_CUT,
    refused=("[Friday], no wait, Saturday", "[Friday works.] Scratch that, Saturday."),
    kept=("Friday, no wait, [Saturday]",),
)
def correction(spot: Spot) -> Turn | None:
    """He takes the span back in words that are left behind. Source: DESIGN section 6, rule 3."""
    return spot.cut_by("correction")


@_rule(
    Reason.MEANING_CUT,
    refused=("[I love smokers] lol jk", "[I want five kids.] NOT!"),
    kept=("[I love dogs] lol",),
)
def irony(spot: Spot) -> Turn | None:
    """What marks the span as not meant is left behind. Source: DESIGN section 6, rule 3."""
    return spot.cut_by("irony")


@_rule(
    Reason.NEEDS_CONTEXT,
    refused=("[I'd love to work for you]", "I found [your office] easily"),
    kept=("[I start this month]", "[I live in Dallas]"),
)
def context(spot: Spot) -> bool:
    """Words that lean on the listener or the place say nothing to anybody else. Source: DESIGN section 6, rule 5; Levinson 1983, chapter 2 (deixis)."""
    return spot.reading.leans(spot.start, spot.end)


@_rule(
    Reason.NEEDS_QUESTION,
    refused=("[yes]", "[same as before]", "[no] idea"),
    kept=("[two]", "[yes, I smoke]"),
)
def bare(spot: Spot) -> bool:
    """A yes, a no or a pointer means nothing without its question, nor without the words that follow it. Source: DESIGN section 6, rule 5."""
    return spot.reading.is_bare_unasked(spot.answer, spot.question) or spot.reading.cuts_bare(
        spot.start, spot.end
    )


@_rule(
    Reason.SECRET,
    refused=(
        "[my password is hunter2!]",
        "[my card is 4111 1111 1111 1111]",
        "my password is [hunter2]",
        "my card is 4111 [1111 1111 1111]",
    ),
    kept=("[my phone has 4111 contacts]", "my pin is 4821. [I have two kids]"),
)
def secret(spot: Spot) -> bool:
    """No credential, and no card, account or identity number, nor a part of one. Source: DESIGN section 6, rule 6; ISO/IEC 7812, ISO 13616."""
    return spot.reading.meets_secret(spot.start, spot.end)


@_rule(Reason.NAMES_COUNTERPARTY, refused=(), kept=("[I work at Acme]",), of_words=True)
def names(spot: Spot) -> bool:
    """None of the names to avoid, in any case, accent or inflection. Source: DESIGN section 6, rule 6."""
    return spot.avoid.one_in(spot.answer)


@_rule(
    Reason.MID_WORD,
    refused=("my budget is [2] million", "I want [50] % remote", "twenty [five]"),
    kept=("my budget is [2 million]", "I want [50 % remote]"),
)
def value(spot: Spot) -> bool:
    """A number goes on behind the span, or stands behind a part of it. Source: DESIGN section 6, rule 2."""
    return spot.fault == "value"


@_rule(
    Reason.MEANING_CUT,
    refused=("[Remote work] ✗", "[Smoking]: none", "Mum: [type 2 diabetes]"),
    kept=("[Smoking: none]", "Sam: [10.04]"),
)
def label(spot: Spot) -> bool:
    """What is only named is kept without what is said of it, or a value without whose it is. Source: DESIGN section 6, rule 3."""
    return spot.fault == "label"


@_rule(
    Reason.MEANING_CUT,
    refused=("[I have a cat] allergy", "[night shifts] don't work for me", "[I've had no claims] since 2019"),
    kept=("[I have a cat allergy], so no cats", "[I've had no claims since 2019]"),
)
def phrase(spot: Spot) -> bool:
    """The span ends inside its phrase or clause: what follows belongs to it. Source: DESIGN section 6, rule 3."""
    return spot.fault == "phrase"


@_rule(
    Reason.MEANING_CUT,
    refused=("pay me double and [I work nights]", "last year, [I wanted kids]"),
    kept=("[at a push I can start in March]", "hey Marta, [I can start in March]"),
)
def front(spot: Spot) -> bool:
    """What stands in front of the subject belongs to its clause. Source: DESIGN section 6, rule 3; Huddleston and Pullum 2002, chapter 8."""
    return spot.fault == "front"


@_rule(
    Reason.MEANING_CUT,
    refused=("I ruled out [surgery]", "I'm negative for [HIV]", "half my team [works nights]"),
    kept=("I live in [Ghent]", "we use [Postgres 16]", "[I ruled out surgery]"),
)
def frame(spot: Spot) -> bool:
    """What governs the span is not on the list of what affirms, or its subject is not the speaker. Source: DESIGN section 6, rule 3."""
    return spot.fault == "frame"


OF_STRUCTURE = frozenset({"value", "label", "phrase", "front", "frame"})
NAMES = frozenset(rule.name for rule in RULES)
