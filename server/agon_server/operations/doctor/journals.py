"""Checks of the journals of running matches: pure, on what was read. Nothing of what a journal says is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agon.codec.admin import Condition
from agon_engine.core.errors import OptionsError
from agon_engine.registry import game_names, game_of, get_game
from agon_server.operations.doctor.store_look import Kept, StoreLook
from agon_server.operations.doctor.suspicion import Suspicion
from agon_server.queue.entry import MatchEntry
from agon_server.referee.entries import JournalError, JournalReader, Kind
from agon_server.store import keys


def check_journals(look: StoreLook) -> list[Suspicion]:
    """Return all that is suspicious about journals."""
    entries = {item.match: item.entry for item in look.queued if item.entry is not None}
    return [found for kept in look.journals for found in _check(kept, entries.get(kept.match), look.files)]


def _check(kept: Kept, entry: MatchEntry | None, files: Mapping[str, str]) -> Iterator[Suspicion]:
    if not kept.has_state:
        what = f"a journal of {len(kept.lines)} entries belongs to no match"
        yield Suspicion("journal", Condition.ORPHANED, what, kept.match, f"in the store DEL {keys.JOURNAL}{kept.match}")
        return

    letter = "its referee plays on; another that takes it makes it a dead letter: `agon queue requeue` plays it again"
    if kept.kind != "list":
        what = f"the journal is no list, but a {kept.kind}"
        yield Suspicion("journal", Condition.INCONSISTENT, what, kept.match, letter)
        return
    if len(kept.lines) < kept.known:
        what = f"the journal has {len(kept.lines)} entries, and had {kept.known} when the match was claimed"
        yield Suspicion("journal", Condition.INCONSISTENT, what, kept.match, letter, len(kept.lines))
        return
    if entry is None or entry.game not in game_names() or entry.version != get_game(entry.game).spec.version:
        return  # who has these rules can tell

    try:
        game = game_of(entry.game, get_game(entry.game).spec.check_options(entry.options), files)
    except OptionsError:
        return  # that a file is missing is told once and for all
    reader = JournalReader(kept.match, game.notation, len(entry.seats))
    decisions = 0
    try:
        for line in kept.lines:
            decisions += reader.read(line)[0].kind in (Kind.CHOICE, Kind.STRIKE)
    except JournalError as error:
        what = f"the journal cannot be followed: {error}"
        yield Suspicion("journal", Condition.INCONSISTENT, what, kept.match, letter)
        return

    if decisions < kept.progress:
        what = f"the journal has {decisions} decisions, and the match has made {kept.progress}"
        yield Suspicion("journal", Condition.INCONSISTENT, what, kept.match, letter, decisions)
    elif decisions > game.spec.max_decisions:
        what = f"the journal has {decisions} decisions, and a match has {game.spec.max_decisions} at most"
        yield Suspicion("journal", Condition.INCONSISTENT, what, kept.match, letter)
