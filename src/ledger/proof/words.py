"""What the people of a generated history talk about: listed topics, labels to coin, sentences, counterparties."""

from __future__ import annotations

from typing import NamedTuple

from ledger.core.model import Handling


class Spoken(NamedTuple):
    """A listed topic, and sentences that answer it: each stands by itself, whatever was asked."""

    question: str
    handling: Handling
    sentences: tuple[str, ...]


LISTED: dict[str, Spoken] = {
    "kids": Spoken("Do you want kids?", Handling.OPEN, ("I want two kids", "I want three kids", "I want one kid")),
    "pets": Spoken("Do you have pets?", Handling.OPEN, ("I have two cats", "I have an old dog", "I keep some hens")),
    "smoking": Spoken("Do you smoke?", Handling.OPEN, ("I smoke outdoors", "I quit smoking", "I smoke cigars")),
    "start_date": Spoken("When could you start?", Handling.OPEN, ("I can start in March", "I can start in May")),
    "notice_period": Spoken(
        "What is your notice period?", Handling.OPEN, ("I have to give two months of notice", "I am free at once")
    ),
    "database": Spoken("Which database do you run?", Handling.OPEN, ("We run MariaDB", "We run an old Oracle")),
    "weekend": Spoken("What do you do at weekends?", Handling.OPEN, ("I climb every weekend", "I bake bread")),
    "diet": Spoken("What do you eat?", Handling.OPEN, ("I eat everything", "I eat a lot of fish")),
    "car": Spoken("Do you drive?", Handling.OPEN, ("I drive a small van", "I drive an electric car")),
    "commute": Spoken("How far would you travel?", Handling.OPEN, ("I would travel for an hour", "I ride my bike")),
    "salary": Spoken("What do you earn?", Handling.SEALED, ("I earn a little over the median", "I earn enough")),
    "health": Spoken("How is your health?", Handling.SEALED, ("I sleep badly in summer", "I sleep well again")),
    "income_proof": Spoken(
        "Can you prove your income?", Handling.CONFIRM, ("I can send three payslips", "I can send a tax notice")
    ),
    "pregnancy": Spoken(
        "Are you expecting?", Handling.CONFIRM, ("I am expecting a child in June", "I am expecting twins")
    ),
    "diagnosis": Spoken("What was diagnosed?", Handling.FORBIDDEN, ("I was told it is a sprain", "I had the flu")),
}  # fmt: skip

UNLISTED: dict[str, tuple[str, ...]] = {
    "favourite lake": ("I swim in cold lakes", "I like the lake near the mill"),
    "garden": ("I grow beans in my garden", "I grow roses and onions"),
    "choir": ("I sing in a small choir", "I sang bass for years"),
    "boat licence": ("I hold a boat licence", "I let my boat licence lapse"),
    "night shifts": ("I take night shifts in winter", "I work early shifts"),
    "furniture": ("I build my own furniture", "I buy old furniture"),
    "chess": ("I play chess by mail", "I play chess on Fridays"),
    "camera": ("I use an old camera", "I use the camera of my phone"),
    "balcony": ("I need a balcony", "I need a balcony with sun"),
    "telescope": ("I own a telescope", "I borrowed a telescope"),
}

PERSONAL: dict[str, tuple[str, ...]] = {
    "habit": ("I whistle when I cook", "I read the paper backwards", "I count stairs"),
    "errand": ("I have to fetch a parcel", "I have to return a book", "I have to mend a bicycle"),
    "worry": ("I worry about the roof", "I worry about the boiler", "I worry about my tooth"),
}
"""Labels that a person shares with nobody, and so coins for themselves: each is followed by their number."""

COUNTERPARTIES = ("Marta", "Ingrid", "Paolo", "Yusuf", "Wanda", "Ottilie", "Henrik", "Zsofia")
"""Whom the agents act for, a thread each. No sentence holds one of them."""

GREETINGS = ("Hi", "Hello", "Good morning,", "Hey")
PARTINGS = ("Talk later.", "How about you?", "Thanks for asking.", "Have to run.")
