"""Rule 4: the principal's own words, not somebody else's that stand in his message.

Blocks (quoted lines, forwarded mail, pasted chat, code, a prompt block of this ledger) never give an answer, not even in part.
A quotation does when the span holds it whole, with what introduces it outside or in: then the sentence is his. Reported speech
without quotation marks is a cue like those of rule 3 (table `speech` of the language data), and found with them.

Source: DESIGN section 6, rule 4.
"""

from __future__ import annotations

import re
from bisect import bisect_left

import regex

from ledger.core.gate.sentences import Sentences
from ledger.core.language import Lexicon

# How mail programs open what is quoted or forwarded, in the languages with data. "¦" stands for the name and the time.
_ORIGINAL = (
    "original message|forwarded message|mensaje original|mensaje reenviado|ursprüngliche nachricht|weitergeleitete nachricht|oorspronkelijk bericht"
    "|doorgestuurd bericht|message d['’]origine|message transféré|messaggio originale|messaggio inoltrato|mensagem original|mensagem encaminhada"
    "|oprindelig meddelelse|videresendt meddelelse|pesan asli|pesan terusan|originalna poruka|prosleđena poruka|orijinal mesaj|iletilen mesaj"
    "|元のメッセージ|転送されたメッセージ|原始邮件|转发的邮件|الرسالة الأصلية|رسالة معاد توجيهها"
)
_WROTE = (
    "on ¦ wrote|el ¦ escribió|am ¦ schrieb[^\n]{0,60}|op ¦ schreef[^\n]{0,60}|le ¦ a écrit|il ¦ ha scritto|em ¦ escreveu|den ¦ skrev[^\n]{0,60}"
    "|pada ¦ menulis|¦ je napisao/la|¦ şunları yazdı|¦のメール|¦写道|كتب ¦"
).replace("¦", r"[^\n]{4,120}")
_SENDER = "from|de|von|van|da|fra|dari|od|kimden|gönderen|差出人|发件人|من"
_SENT = (
    "sent|date|to|enviado|enviada em|fecha|para|gesendet|datum|an|verzonden|aan|envoyé|à|inviato|data|a|sendt|til|terkirim|kepada|tanggal|poslato|za"
    "|gönderilme|tarih|kime|送信日時|宛先|发送时间|日期|收件人|تاريخ|إلى"
)
_BLOCKS = regex.compile(
    r"(?P<ledger><\s*answer-ledger\b.*?(?:<\s*/\s*answer-ledger\s*>|\Z))"
    r"|(?P<fence>```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z))"
    r"|(?P<entry>\{\"topic\":[^\n]*)"
    rf"|(?P<mail>(?m:^)[ \t]*(?:-{{2,}}[ \t]*(?:{_ORIGINAL})"
    rf"|begin forwarded message|(?:{_WROTE})[ \t]?[:：][ \t]*(?m:$)"
    rf"|(?:{_SENDER})[ \t]?[:：][^\n]*\n(?:{_SENT})[ \t]?[:：]).*)"
    r"|(?P<quoted>(?m:^)[ \t]*>[^\n]*)"
    r"|(?P<log>(?m:^)[ \t]*\[[^\]\n]{0,40}\d{1,2}:\d{2}[^\]\n]{0,40}\][ \t]*[^\n:]{1,40}:[^\n]*)"
    r"|(?P<code>`[^`\n]+`)",
    regex.DOTALL | regex.IGNORECASE,
)
# Each with one character class in front, by which the search skips what is none of these several times faster than by alternatives.
_BLOCK_MARKS = re.compile(
    r"[<`{>\[:：~-](?:(?<![~-])|(?<=~)~~|(?<=-)-)"
)  # without any of them there is no block
_QUOTE_MARKS = re.compile(r"[\"“”„‟«»「」『』＂'‘’‚]")
_LETTER = r"[\w\u0300-\u036f]"
_QUOTES = re.compile(
    rf"[\"“”„‟«»「」『』＂'‘’‚](?:(?<!['‘’‚])|(?<=(?<!{_LETTER})['‘‚])(?={_LETTER})|(?<=\S['’])(?!{_LETTER}))"
)
_CLOSING = {
    "“": "”",
    "„": "“”",
    "‟": "”",
    "«": "»",
    "「": "」",
    "『": "』",
    '"': '"',
    "＂": "＂",
    "»": "«",
    "”": "”",
}
_SINGLE_CLOSING = {"'": "'’", "‘": "’", "‚": "‘’"}
_CODE = re.compile(
    r"(?=[^\s]*[A-Z0-9_])(?![^\s]*[a-z])[\w.:/#-]+"
)  # what a program shows: "ERR_RESET", "0x80070005"
_LEADING = 5  # words before a quotation in which what introduces it is looked for
_SMALL_WORD = 3  # letters of words that titles leave small
_NAMED = 3  # words that a quotation without a capital may have and still be a name for something
_ENDS_LIKE_SPEECH = (".", "!", "?", ",")


def foreign_blocks(message: str) -> list[tuple[int, int]]:
    """Blocks of a message that are not typed by the principal, in order. Linear: every pattern stops at its first end."""
    if _BLOCK_MARKS.search(message) is None:
        return []
    return [match.span() for match in _BLOCKS.finditer(message)]


def quotations(message: str) -> list[tuple[int, int, bool]]:
    """Text in quotation marks: (start, end, single) with the marks, outermost, in order. An opened one that is never closed is none."""
    found: list[tuple[int, int, bool]] = []
    if len(_QUOTE_MARKS.findall(message)) < 2:
        return found
    open_at, closing, single = -1, "", False
    for match in _QUOTES.finditer(message):
        at, mark = match.start(), match.group()
        # A mark inside a word is a slip for an apostrophe: 5 o"clock.
        if (
            open_at >= 0
            and mark in closing
            and (single or not (message[at - 1].isalnum() and message[at + 1 : at + 2].isalnum()))
        ):
            found.append((open_at, at + 1, single))
            open_at = -1
        elif mark in _SINGLE_CLOSING and open_at < 0 and message[at + 1 : at + 2].isalnum():
            open_at, closing, single = at, _SINGLE_CLOSING[mark], True
        elif mark in _CLOSING and (open_at < 0 or single) and not message[max(at - 1, 0) : at].isalnum():
            open_at, closing, single = at, _CLOSING[mark], False
    return found


def is_foreign(
    message: str, sentences: Sentences, lexicon: Lexicon, start: int, end: int, single: bool
) -> bool:
    """Whether a quotation is of somebody else. Not those are: a title, a name, what the principal says that he said himself."""
    if _CODE.fullmatch(message, start + 1, end - 1):
        return False
    introduced = _introduced(sentences, lexicon, start, end)
    if introduced is not None:
        return introduced
    if single:
        return False  # an apostrophe as likely as a quotation
    words: list[str] = []
    heads: list[str] = []
    subjects = lexicon.table("clause", "subjects")
    speaks = message[start + 1 : end - 1].rstrip().endswith(_ENDS_LIKE_SPEECH)
    for index in sentences.touched(start, end):
        sentence = sentences[index]
        for at in sentence.within(start + 1, end - 1):
            if sentence.is_word(at):
                words.append(sentence.words[at])
                speaks = speaks or bool(subjects.match(sentence.words, at))
                if len(words) == 1 or len(words[-1]) > _SMALL_WORD:
                    heads.append(message[sentence.starts[at]])
    if not words or _is_title(heads):
        return False
    return speaks or len(words) > _NAMED


def _introduced(sentences: Sentences, lexicon: Lexicon, start: int, end: int) -> bool | None:
    """Whether a verb of saying stands right before or after the quotation, with somebody else for its subject; None: no such verb."""
    leading, trailing = (
        sentences[sentences.touched(start, start + 1)[0]],
        sentences[sentences.touched(end - 1, end)[0]],
    )
    first, last = bisect_left(leading.starts, start), bisect_left(trailing.starts, end)
    for sentence, near in (
        (leading, range(first - 1, max(first - _LEADING, 0) - 1, -1)),
        (trailing, range(last, min(last + _LEADING, len(trailing)))),
    ):
        for at in near:
            if any(
                cue is not None and cue.rule == "speech" for _, cue in lexicon.cues_at(sentence.shapes, at)
            ):
                own, subjects = lexicon.table("clause", "own"), lexicon.table("clause", "subjects")
                words = sentence.words
                # "my" is his own, and "my ex" somebody else.
                return not any(
                    own.match(words, before) >= max(subjects.match(words, before), 1)
                    for before in range(max(at - 2, 0), at + 1)
                )
    return None


def _is_title(heads: list[str]) -> bool:
    """The first letters of the first word and of the long ones are mostly capitals or digits: a book, a film, a song."""
    capital = sum(head.isupper() or head.isdigit() for head in heads)
    return (heads[0].isupper() or heads[0].isdigit()) and 3 * capital >= 2 * len(heads)
