"""Rule 3: a span that leaves behind what turns its meaning is refused, in the words of people who chat.

Each line: the message, with the span in [[ ]], and what the gate says.
"""

from __future__ import annotations

import pytest

CUT = {
    "negation": [
        "Honestly I don't [[want kids]]",
        "I have never [[smoked in my life]]",
        "I do not [[drink]]",
        "i dont [[eat meat]]",
        "I don’t think I [[want kids]]",
        "I do n't [[smoke]]",
        "i din't [[vote for them]]",
        "I don;t [[like cats]]",
        "I didn,t [[vote for them]]",
        "there is no [[4 star hotel]] that I like",
        "With that boot one may as well, so why not [[get the wagon]]",
        "It is not [[true love]], I know that",
        "don't [[forget to call me]] before nine",
        "I can't [[swim]], drive or ski",
        "No [[pets]] please",
        "no [[kids, dogs, or cats]]",
        "I don't have [[kids]], dogs, or cats",
        "I don't have kids, dogs, or [[cats]]",
        "none of the above apply, nor do I [[smoke]]",
        "I live alone without [[a dog]]",
        "I [[smoke]]? not at all",
        "I do n\u200bot [[smoke]]",
        "I do not\n[[smoke]]",
        "I no longer [[smoke]]",
        "I stopped [[smoking]]",
        "[[I want kids]], not",
        "I'd rather have a cat instead of [[a dog]]",
        "I don't smoke because [[I run]]",
        "I don't, as a rule, [[smoke]]",
        "I do not - and never will - [[smoke]]",
        "it does not, however, [[work well]]",
        "I do not (really!) [[smoke]]",
        "I don't... [[have a car]]",
        "It does not really work, as far as I know, [[on a Mac]]",
        "it is among the loudest, if not [[the best]]",
        "I don?t [[smoke]]",
        "it is a myth that [[I smoke]]",
        "I did'nt [[like the food]]",
        "i couldn t [[find the place]]",
        "they do nt [[eat meat]]",
        "I have yet to [[see the sea]]",
        "it kept me from [[sleeping]]",
        "the flat is free from [[mould]]",
        "there are very few [[quiet rooms]]",
    ],
    "condition": [
        "[[I want kids]] if I find the right person",
        "[[I want two kids]], but only after 35",
        "[[I could start in May]] unless my notice is longer",
        "[[I'm fine with remote]] as long as I get a desk",
        "[[I want kids]], provided that we live near my parents",
        "I smoke only when [[I drink]]",
        "If I marry again, [[I want kids]]",
        "[[it would be better]] if we never met",
        "[[I want two kids.]] But only after 35.",
        "[[I eat meat.]] Unless I cook myself.",
        "I don't know if [[I want kids]]",
    ],
    "exception": [
        "[[I eat everything]] except pork",
        "[[I eat fish]] but not meat",
        "[[I'm free all week]] apart from Tuesday",
        "[[I speak Spanish]], just not well",
    ],
    "hedge": [
        "I doubt that [[I want kids]]",
        "maybe [[I will move to Spain]]",
        "I might [[want kids]]",
        "This may [[be my last job]]",
        "If you would [[like a dog one day]], I have space",
        "I'm not sure [[I want kids]]",
        "[[I want kids]], maybe",
        "I almost [[quit smoking]]",
        "I don't think, honestly, [[it is cheap]]",
        "let's say [[I have two kids]]",
        "whether [[I want kids]] is unclear",
        "In a perfect world [[I'd have five kids]]",
        "I was thinking of [[moving to Spain]]",
    ],
    "opinion": [
        "I think [[I want kids]]",
        "I think it's under [[Marion Batterson]]",
        "[[i want kids]] i guess",
    ],
    "wish": [
        "I wish [[I had kids]]",
        "I'd love to [[have kids]]",
        "I hope [[I have kids by then]]",
        "I want to [[quit smoking]]",
        "I tried to [[quit smoking]]",
        "I plan on [[moving to Spain]]",
        "they want me to [[start in May]]",
    ],
    "past": [
        "I used to [[smoke]]",
        "As a kid [[I had two dogs]]",
        "Once [[I smoked a pack a day]]",
        "Back in school [[I smoked]]",
        "[[I smoke]], but not anymore",
        "[[I smoked a lot]] but I quit",
    ],
    "subject": [
        "my sister [[has two kids]]",
        "My ex-wife [[is allergic to cats]]",
        "she [[has two kids]]",
        "My best friend [[smokes]] and drinks",
        "my mum smokes and [[drinks]]",
        "Unlike me, my sister [[has two kids]]",
        "my kids [[have two cats]]",
        "my wife's sister [[lives in Ghent]]",
        "Kim's brother [[has two kids]]",
        "somebody I know [[has two kids]]",
        "people here [[smoke a lot]]",
        "everyone but me [[smokes]]",
        "Kim [[has two kids]]",
        "Kim Lee has [[two kids]]",
        "Honestly, Tom [[smokes]]",
        "I live alone, and Kim [[has two kids]]",
        "Kim works at [[Acme]]",
        "Kim [[is allergic to nuts]]",
    ],
    "correction": [
        "[[Friday]], no wait, Saturday",
        "[[I have two kids]], sorry, I mean three",
        "[[Friday works.]] Scratch that, Saturday.",
        "[[Two]], actually no, three",
        "[[I smoke]], that is not true",
    ],
    "irony": [
        "[[I love smokers]] lol jk",
        "[[I totally want five kids.]] NOT!",
        "[[I want kids.]] Just kidding",
        "[[I adore meetings]] /s",
        "[[I adore meetings]] said no one",
    ],
}

KEPT = [
    "Honestly? [[I don't want kids]]",
    "No, [[I live in Maryland]]",
    "no [[I am running Linux Mint]]",
    "oh no [[I live in Maryland]]",
    "it was 3 no make that [[4 people]]",
    "don't forget that [[I work at night]]",
    "I don't have a boat, but [[I like to fish]]",
    "I don't smoke, [[I vape]]",
    "[[I want kids if I find the right person]]",
    "[[I want two kids. But only after 35.]]",
    "I want [[two kids]], for sure",
    "I'd like to book a table for [[8 people]]",
    "I would like [[a room with a view]] please",
    "I can't wait, [[we move to Berlin]] in May",
    "We start in [[May 2027]]",
    "My wife and I [[have two kids]]",
    "I live with my sister in [[Dallas]]",
    "I think for [[7 people]]",
    "Saturday. [[I said Saturday]]",
    "I used to smoke. [[I run now.]]",
    "My sister smokes. [[I have two cats.]]",
    "I love dogs (cats not so much) and [[I have two]]",
    "The flat is 900, and [[I can pay 950]]",
    "If that's okay, [[Friday at 9]]",
    "would it be ok if we come at [[nine]]",
    "what about if I start on [[2 May]]",
    "I was thinking [[7 May]]",
    "[[7 May]] hopefully",
    "I'd really like a table for [[six]]",
    "find me somebody in [[Ghent]]",
    "Kim, [[I have two kids]]",
    "I love my kids and [[two dogs]]",
    "I have a travel plan on [[Friday]]",
    "Kim and I [[have two kids]]",
    "I met Kim in [[Dallas]]",
    "Coffee [[makes me sick]]",
    "my Mac has [[16 GB]]",
    "my name is [[Marta Ruiz]] but I can't remember the number",
    "sorry but I can't come, my name is [[Marta Ruiz]]",
    "I lived abroad in the past and these days [[I live in Ghent]]",
    "I don't drive and Brussels [[isn't cheap either]]",
    "I also [[think it is cheap]]",
    "the rent is like [[900 euros]]",
    "for me, my wife and [[our two kids]]",
    "no kids, just [[me and my wife]]",
    "on [[Jul 23rd]]",
    "no change it to [[the 2nd]]",
]


def parts(marked: str) -> tuple[str, str]:
    before, rest = marked.split("[[")
    span, after = rest.split("]]")
    return before + span + after, span


@pytest.mark.parametrize(
    ("rule", "marked"),
    [(rule, marked) for rule, group in CUT.items() for marked in group],
    ids=lambda value: value,
)
def test_a_span_without_what_turns_it_is_refused(gate, rule, marked):
    message, span = parts(marked)
    verdict = gate.judge(message, span)
    assert not verdict.accepted
    assert verdict.reason == "meaning_cut"
    assert verdict.left_behind is not None


@pytest.mark.parametrize("marked", KEPT, ids=lambda value: value)
def test_a_span_that_means_the_same_alone_is_kept(outcome, marked):
    message, span = parts(marked)
    assert outcome(message, span) == "kept"
