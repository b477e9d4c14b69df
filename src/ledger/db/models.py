"""Every table as a class: the allow-list of what can be kept, in Python.

The hot path does not go through these: there each operation is one function call (schema/). They are what
tests and `doctor` hold a live database against, and what the demo reads the whole database with.

Source: schema/02_tables.sql, where the reasons stand.
"""

from __future__ import annotations

from datetime import date
from uuid import UUID

from sqlalchemy import BigInteger, Column, MetaData, Text
from sqlalchemy.dialects.postgresql import ARRAY, REGCLASS
from sqlalchemy.types import UserDefinedType
from sqlmodel import Field, SQLModel


class _Xid8(UserDefinedType[int]):
    """A transaction's number, 64 bits wide. Source: PostgreSQL, section 8.19."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        return "xid8"


class Table(SQLModel):
    metadata = MetaData(schema="ledger")


class OfPrincipal(Table):
    """A table of principals: it leads with `principal`, and so does its key."""

    principal: UUID = Field(primary_key=True)


class Entry(OfPrincipal, table=True):
    topic: str = Field(primary_key=True, sa_type=Text)
    answer: str = Field(sa_type=Text)
    as_of: date


class Pending(OfPrincipal, table=True):
    topic: str = Field(primary_key=True, sa_type=Text)
    answer: str = Field(sa_type=Text)
    as_of: date


class Consent(OfPrincipal, table=True):
    decision: str = Field(sa_type=Text)
    decided_on: date
    notice: str = Field(sa_type=Text)


class ConsentHistory(OfPrincipal, table=True):
    __tablename__ = "consent_history"
    decided_on: date = Field(primary_key=True)
    decision: str = Field(primary_key=True, sa_type=Text)
    notice: str = Field(primary_key=True, sa_type=Text)


class Withheld(OfPrincipal, table=True):
    topic: str = Field(primary_key=True, sa_type=Text)


class Objection(OfPrincipal, table=True):
    pass


class LegalHold(OfPrincipal, table=True):
    __tablename__ = "legal_hold"
    erase_asked: bool = False
    postponed: list[str] = Field(default=[], sa_type=ARRAY(Text))
    postponed_waiting: list[str] = Field(default=[], sa_type=ARRAY(Text))


class Barrier(OfPrincipal, table=True):
    mark: UUID = Field(primary_key=True)
    what: str = Field(primary_key=True, sa_type=Text)
    not_before: date


class Audit(OfPrincipal, table=True):
    on_day: date = Field(primary_key=True)
    action: str = Field(primary_key=True, sa_type=Text)
    n: int


class Topic(Table, table=True):
    key: str = Field(primary_key=True, sa_type=Text)
    question: str | None = Field(default=None, sa_type=Text)
    handling: str | None = Field(default=None, sa_type=Text)
    authority: str | None = Field(default=None, sa_type=Text)
    reconfirm_after: int | None = None
    drop_after: int | None = None
    listed: bool = False


class TopicAlias(Table, table=True):
    __tablename__ = "topic_alias"
    alias: str = Field(primary_key=True, sa_type=Text)
    key: str = Field(sa_type=Text)


class RetiredKey(Table, table=True):
    __tablename__ = "retired_key"
    key: str = Field(primary_key=True, sa_type=Text)
    merged_into: str = Field(primary_key=True, sa_type=Text)
    fixed: bool = True
    handling: str | None = Field(sa_type=Text)


class FormerKey(Table, table=True):
    __tablename__ = "former_key"
    label: str = Field(primary_key=True, sa_type=Text)
    key: str = Field(primary_key=True, sa_type=Text)


class BareForm(Table, table=True):
    __tablename__ = "bare_form"
    form: str = Field(primary_key=True, sa_type=Text)


class Outcome(Table, table=True):
    topic: str = Field(primary_key=True, sa_type=Text)
    age_weeks: int = Field(primary_key=True)
    still_true: bool = Field(primary_key=True)
    n: int


class Snapshot(Table, table=True):
    topic: str = Field(primary_key=True, sa_type=Text)
    age_weeks: int = Field(primary_key=True)
    n: int


class Proposal(Table, table=True):
    topic: str = Field(primary_key=True, sa_type=Text)


class Setting(Table, table=True):
    only_row: bool = Field(default=True, primary_key=True)
    reconfirm_after: int = 120
    drop_after: int = 540
    undecided_tier: str = Field(default="topics", sa_type=Text)
    visible_from: str = Field(default="same_day", sa_type=Text)
    pepper_proof: UUID | None = None
    record_ahead: bool = False


class Credential(Table, table=True):
    id: UUID = Field(primary_key=True)
    issued_on: date
    expires_on: date
    revoked: bool = False


class SweepMark(Table, table=True):
    __tablename__ = "sweep_mark"
    only_row: bool = Field(default=True, primary_key=True)
    cut_on: date | None = None
    cut_at: int | None = Field(default=None, sa_column=Column(_Xid8))
    cluster: int | None = Field(default=None, sa_type=BigInteger)
    restored_on: date | None = None
    swept_on: date | None = None
    snapshot_on: date | None = None
    asked_on: date | None = None
    asked_hour: int | None = None
    record_mark: UUID | None = None


class PieceMark(Table, table=True):
    __tablename__ = "piece_mark"
    piece: str = Field(primary_key=True, sa_type=REGCLASS)
    stamp: int = Field(sa_column=Column(_Xid8, nullable=False))
    up_to: int | None = Field(default=None, sa_column=Column(_Xid8))


class Version(Table, table=True):
    version_num: str = Field(primary_key=True, max_length=32)
