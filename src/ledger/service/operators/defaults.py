"""The default window: that of topics which have none of their own."""

from __future__ import annotations

from dataclasses import asdict

from ledger.core import windows
from ledger.core.figures import Figures
from ledger.core.model import Window
from ledger.db import operator as db
from ledger.db.operation import UseCase
from ledger.service.context import Context
from ledger.service.operators.preview import Asked, Preview, Shown, allowed, etag_of


def default_etag(window: Window) -> str:
    return etag_of(asdict(window))


def default_window(context: Context) -> UseCase[Window]:
    setting = yield db.setting_read()
    return Window(setting["reconfirm_after"], setting["drop_after"])


def set_default_window(
    context: Context,
    reconfirm_after: int | None = None,
    drop_after: int | None = None,
    if_match: str | None = None,
    preview: str | None = None,
    *,
    dry_run: bool = False,
) -> UseCase[Window | Preview]:
    """Changes the default; what is not given stays. Holds for every entry at once.

    A dry run gives the Preview. Raises InvalidRequest, and where it becomes shorter PreviewNeeded, PreconditionFailed.
    """
    old = yield from default_window(context)
    new = (
        windows.checked(
            old.reconfirm_after if reconfirm_after is None else reconfirm_after,
            old.drop_after if drop_after is None else drop_after,
        )
        or old
    )
    shorter = windows.shorter(old, new)
    destroys = (
        ("answers that are older than the new window keeps; others become a question earlier",)
        if shorter
        else ()
    )

    def figures(snapshot: Figures) -> Shown:
        followers = snapshot.of_the_default()
        if not shorter:
            return Shown(followers.all)
        return Shown(followers.all, followers.dropped(old, new), followers.asked_again(old, new))

    step = {"step": "defaults", "old": asdict(old), "new": asdict(new)}
    asked = Asked(if_match, preview, dry_run)
    seen = yield from allowed(context, asked, default_etag(old), step, destroys, None, figures)
    if isinstance(seen, Preview):
        return seen
    setting = yield db.setting_change(asdict(old), asdict(new))
    return Window(setting["reconfirm_after"], setting["drop_after"])
