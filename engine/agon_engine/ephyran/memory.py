"""What one seat knows of hidden cards since it put them under the deck (P8.1): pure functions on its accounts.

An account says where each such card is; exactly one account is true. Several arise when another seat looks at such a
card and may have kept it; what is seen later rules the false ones out. Accounts without a fact are no accounts: `()`.
The deck's cards are counted from below, so that a draw from the top moves no place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agon_engine.core import Seat
from agon_engine.ephyran.enums import NOBODY
from agon_engine.ephyran.view import Sighting

Account = tuple[Sighting, ...]
Accounts = tuple[Account, ...]


def after_draw(accounts: Accounts, seat: Seat, place: int) -> Accounts:
    """Another seat has drawn the card at that place unseen."""
    return _tidy(
        [Sighting(fact.card, seat, 0) if fact.holder == NOBODY and fact.place == place else fact for fact in account]
        for account in accounts
    )


def after_own_draw(accounts: Accounts, card: int, place: int) -> Accounts:
    """The seat itself has drawn a card from that place, and holds it now."""
    seen = after_look(accounts, (card,), place + 1)
    return _tidy([fact for fact in account if fact.card != card] for account in seen)


def after_reveal(accounts: Accounts, seat: Seat, card: int, unknown: int) -> Accounts:
    """Another seat has played a card openly; it still holds `unknown` cards that are not publicly known."""
    if not any(fact.card == card or fact.holder == seat for account in accounts for fact in account):
        return accounts

    kept: list[list[Sighting]] = []
    for account in accounts:
        rest = [fact for fact in account if fact.card != card]
        elsewhere = any(fact.card == card and fact.holder != seat for fact in account)
        if not elsewhere and sum(fact.holder == seat for fact in rest) <= unknown:
            kept.append(rest)
    return _tidy(kept)


def after_pick(accounts: Accounts, seat: Seat, deck: int, looked: int) -> Accounts:
    """Another seat has looked at the top cards of a deck of that size, kept one and put the others under it."""
    lifted = looked - 1
    branches: list[list[Sighting]] = []
    for account in accounts:
        seen = {fact.card: deck - 1 - fact.place for fact in account if _is_on_top(fact, deck, looked)}
        for kept in range(looked) if seen else (0,):
            branch: list[Sighting] = []
            for card, holder, place in account:
                index = seen.get(card)
                if index is None:
                    branch.append(Sighting(card, holder, place + lifted if holder == NOBODY else place))
                elif index == kept:
                    branch.append(Sighting(card, seat, 0))
                else:
                    branch.append(Sighting(card, NOBODY, lifted - 1 - (index if index < kept else index - 1)))
            branches.append(branch)
    return _tidy(branches)


def after_look(accounts: Accounts, cards: Sequence[int], deck: int) -> Accounts:
    """The seat itself sees the top cards of a deck of that size, the top one first."""
    true = dict(zip(cards, range(deck - 1, -1, -1), strict=False))
    by_place = {place: card for card, place in true.items()}
    return _tidy(
        list(account)
        for account in accounts
        if all(
            true.get(fact.card, fact.place) == fact.place and by_place.get(fact.place, fact.card) == fact.card
            if fact.holder == NOBODY
            else fact.card not in true
            for fact in account
        )
    )


def after_own_pick(accounts: Accounts, cards: Sequence[int], kept: int) -> Accounts:
    """The seat itself has kept one of the cards that it looked at and put the others under the deck in that order."""
    under = [card for card in cards if card != kept]
    placed = [Sighting(card, NOBODY, len(under) - 1 - index) for index, card in enumerate(under)]
    return _tidy(
        [
            Sighting(card, holder, place + len(under) if holder == NOBODY else place)
            for card, holder, place in account
            if card not in cards
        ]
        + placed
        for account in accounts or ((),)
    )


def _is_on_top(fact: Sighting, deck: int, looked: int) -> bool:
    return fact.holder == NOBODY and fact.place >= deck - looked


def _tidy(accounts: Iterable[list[Sighting]]) -> Accounts:
    """Sort each account's facts, drop repeated accounts, and return none where nothing is known."""
    distinct = tuple(dict.fromkeys(tuple(sorted(account)) for account in accounts))
    return () if distinct == ((),) else distinct
