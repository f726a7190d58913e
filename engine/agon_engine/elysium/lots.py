"""The lots of the cards that lie face down: what all know of which card may be which.

Cards that were shuffled together are a *base lot*: 0 the deal, then one for each shuffle of the discard pile (D1). A
look at cards of several lots makes one *mixed lot* of them, since they are put back in private (D2): how many came from
where is public, which ones only the seat has seen. When a card of a mixed lot turns up, all see its face, but not which
lot it came from; so it stays *shown* as long as it says something of cards that still lie face down.

What views tell of lots is the same whichever of the possible cards lie where: nothing here may depend on more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from agon_engine.core import Seat
from agon_engine.elysium.enums import NOBODY
from agon_engine.elysium.layout import STALE_OWNS, STALE_TABLE, Mix
from agon_engine.elysium.view import Shown

if TYPE_CHECKING:
    from agon_engine.elysium.state import ElysiumState

# -- what happens to cards -----------------------------------------------------------------------------------


def shuffle_in(state: ElysiumState, cards: list[int]) -> None:
    """Make a lot of cards that are shuffled. Those with marks on them (T1) are lots of their own, mixed with the
    others: when one of them turns up, all see by its marks which lot it came from."""
    by_marks: dict[int, list[int]] = {}
    for card in cards:
        by_marks.setdefault(state.marks[card], []).append(card)
    number = _next_number(state)
    lot_of = {marks: number + index for index, marks in enumerate(sorted(by_marks))}
    state.veils += [(lot, marks) for marks, lot in lot_of.items() if marks]
    if len(by_marks) > 1:
        _mix(state, NOBODY, cards, number + len(by_marks), [lot_of[state.marks[card]] for card in cards])
    else:
        for card in cards:
            state.lots[card] = number


def look(state: ElysiumState, seat: Seat, cards: list[int]) -> None:
    """Make one lot of cards that a seat looks at, where they are of several. Who knew them before is still known."""
    parents = [state.lots[card] for card in cards]
    is_mixed = len(set(parents)) > 1
    if state.veils:
        _tell_apart(state, seat, cards, is_mixed=is_mixed)
    if is_mixed:
        _mix(state, seat, cards, _next_number(state), parents)


def _mix(state: ElysiumState, seat: Seat, cards: list[int], number: int, parents: list[int]) -> None:
    design = state.tables.design
    origins = sorted((parent, design[card]) for parent, card in zip(parents, cards, strict=True))
    state.mixes.append(Mix(number, seat, tuple(origins)))
    for card in cards:
        state.lots[card] = number


def _tell_apart(state: ElysiumState, seat: Seat, cards: list[int], *, is_mixed: bool) -> None:
    """Note of each card looked at which base lots it may be of: of copies with and without marks, which look the same
    from below, the seat goes on knowing which came from where."""
    told = dict(state.told)
    held = _held(state)
    for card in cards:
        before = told.pop(card, ())
        if before and state.known_by[card] >> seat & 1:
            told[card] = before
        elif is_mixed:
            design = state.tables.design[card]
            told[card] = tuple(lot for lot in _bases(state, state.lots[card]) if design in held[lot])
    state.told = sorted(told.items())


def _bases(state: ElysiumState, lot: int) -> list[int]:
    """Return the base lots from which cards have come into a lot."""
    parents = {mix.number: {parent for parent, _ in mix.origins} for mix in state.mixes}
    found: set[int] = set()
    left = [lot]
    while left:
        lot = left.pop()
        if lot in parents:
            left += parents[lot]
        else:
            found.add(lot)
    return sorted(found)


def _next_number(state: ElysiumState) -> int:
    """Return a number above those of all lots that anything speaks of; so a lot's number is above its parents'."""
    used = [max(state.lots)]
    for mix in state.mixes:
        used += [mix.number, *(parent for parent, _ in mix.origins)]
    for shown in state.shown:
        used += shown.lots
    return max(used) + 1


def leave(state: ElysiumState, card: int) -> None:
    """Take a card that all see now, and that lies nowhere yet, out of its lot."""
    lot = state.lots[card]
    if any(mix.number == lot for mix in state.mixes):
        state.shown.append(Shown(lot, state.tables.design[card], _told_by_marks(state, card)))
    state.lots[card] = 0
    if state.mixes:
        _settle(state)
    if state.veils:
        held = listed(state)
        state.veils = [(number, marks) for number, marks in state.veils if number in held]
        state.told = [(other, lots) for other, lots in state.told if other != card and state.veils]
    state.stale |= STALE_TABLE | STALE_OWNS


def clear_veils(state: ElysiumState, bits: int) -> None:
    """Clear marks of cards that lie face down."""
    if state.veils:
        state.veils = [(lot, marks & ~bits) for lot, marks in state.veils if marks & ~bits]
        if not state.veils:
            state.told.clear()
        _settle(state)


def _told_by_marks(state: ElysiumState, card: int) -> tuple[int, ...]:
    """Return the base lots that a card turned up may be of by its marks; empty where they tell nothing."""
    if not state.veils:
        return ()

    veils = dict(state.veils)
    design, marks = state.tables.design[card], state.marks[card]
    with_copies = [lot for lot, designs in _held(state).items() if design in designs]
    possible = sorted(lot for lot in with_copies if veils.get(lot, 0) == marks)
    return tuple(possible) if len(possible) < len(with_copies) else ()


# -- what all know -------------------------------------------------------------------------------------------


def listed(state: ElysiumState) -> dict[int, list[int]]:
    """Return by base lot, but for the deal, the designs of its cards: those that lie face down, and those of mixed lots
    of which one cannot tell whether they do."""
    mixed = {mix.number for mix in state.mixes}
    design = state.tables.design
    cards: dict[int, list[int]] = {}
    for card, lot in enumerate(state.lots):
        if lot and lot not in mixed:
            cards.setdefault(lot, []).append(design[card])
    for mix in state.mixes:
        for parent, number in mix.origins:
            if parent and parent not in mixed:
                cards.setdefault(parent, []).append(number)
    for designs in cards.values():
        designs.sort()
    return cards


def _held(state: ElysiumState) -> dict[int, set[int]]:
    """Return the same as sets, with the deal."""
    held = {lot: set(designs) for lot, designs in listed(state).items()}
    deal = {design for mix in state.mixes for parent, design in mix.origins if not parent}
    deal |= {state.tables.design[card] for card in _face_down(state) if not state.lots[card]}
    return {0: deal, **held}


def _face_down(state: ElysiumState) -> Iterator[int]:
    """Yield the cards of the draw pile and those that are Citizens, wherever they lie."""
    yield from state.deck
    groups = [state.gone, *state.domains]
    for cards in groups:
        yield from (-card for card in cards if card < 0)
    for elysium in state.elysiums:
        for legend in elysium:
            yield from (-card for card in legend.cards if card < 0)


# -- what says nothing any more ------------------------------------------------------------------------------


def _settle(state: ElysiumState) -> None:
    """Take cards that were shown out of the account as soon as all can tell where they came from, then lots that no
    card which lies face down has to do with."""
    _unite(state)
    while _settle_one(state):
        pass
    state.mixes = [mix for mix in state.mixes if mix.origins]
    bound = {state.lots[card] for card in _face_down(state)}
    before = -1
    while before < len(bound):
        before = len(bound)
        for mix in state.mixes:
            lots = {mix.number, *(parent for parent, _ in mix.origins)}
            if lots & bound:
                bound |= lots
    state.mixes = [mix for mix in state.mixes if mix.number in bound]
    state.shown = [shown for shown in state.shown if shown.lot in bound]


def _unite(state: ElysiumState) -> None:
    """Make base lots of what was shuffled together, where no marks, nor what they have told, part it any more."""
    parted = {lot for lot, _ in state.veils} | {lot for shown in state.shown for lot in shown.lots}
    united = {
        parent: mix.number
        for mix in state.mixes
        if mix.seat == NOBODY and not any(parent in parted for parent, _ in mix.origins)
        for parent, _ in mix.origins
    }
    if united:
        numbers = set(united.values())
        state.mixes = [mix for mix in state.mixes if mix.number not in numbers]
        state.shown = [shown for shown in state.shown if shown.lot not in numbers]
        state.told = [(card, tuple(sorted({united.get(lot, lot) for lot in lots}))) for card, lots in state.told]


def _settle_one(state: ElysiumState) -> bool:
    held = _held(state)
    for shown in state.shown:
        way = _only_way(state, held, shown)
        if way:
            state.shown.remove(shown)
            state.mixes = [
                mix._replace(origins=_without(mix.origins, (way[mix.number], shown.design)))
                if mix.number in way
                else mix
                for mix in state.mixes
            ]
            return True
    return False


def _only_way(state: ElysiumState, held: dict[int, set[int]], shown: Shown) -> dict[int, int]:
    """Return by mixed lot from which lot a card shown came into it; empty where all cannot tell."""
    ways = {
        lot: 1 for lot, designs in held.items() if shown.design in designs and (not shown.lots or lot in shown.lots)
    }
    for mix in state.mixes:
        ways[mix.number] = sum(ways.get(parent, 0) for parent in {parent for parent, _ in mix.origins})
    if ways[shown.lot] != 1:
        return {}

    parents = {mix.number: [parent for parent, _ in mix.origins] for mix in state.mixes}
    way: dict[int, int] = {}
    lot = shown.lot
    while lot in parents:
        way[lot] = next(parent for parent in parents[lot] if ways.get(parent))
        lot = way[lot]
    return way


def _without(origins: tuple[tuple[int, int], ...], origin: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    at = origins.index(origin)
    return origins[:at] + origins[at + 1 :]
