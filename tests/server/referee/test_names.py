"""What a match is known by to its bots: aliases that tell nothing, and tickets that cannot be guessed."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from agon_server.queue.ids import new_id
from agon_server.referee.aliases import NAMES, aliases_for
from agon_server.referee.tickets import Tickets


@pytest.mark.parametrize("seats", [1, 2, 4, 16, len(NAMES)])
def test_the_aliases_of_a_match_are_different_and_the_same_on_every_server(seats: int) -> None:
    for match in (new_id() for _ in range(50)):
        aliases = aliases_for(match, seats)

        assert len(aliases) == len(set(aliases)) == seats
        assert set(aliases) <= set(NAMES)
        assert aliases == aliases_for(match, seats)
        assert aliases[: seats // 2] == aliases_for(match, seats // 2)


def test_no_alias_is_the_habit_of_a_seat() -> None:
    """M9: every name comes at every seat about equally often."""
    matches = [f"match {number}" for number in range(4_800)]
    counts = Counter((seat, name) for match in matches for seat, name in enumerate(aliases_for(match, 4)))

    assert set(counts) == set(product(range(4), NAMES))
    assert min(counts.values()) > 120
    assert max(counts.values()) < 290


def test_a_ticket_is_good_for_one_seat_of_one_match() -> None:
    tickets = Tickets(b"k" * 32)
    issued = {(match, seat): tickets.issue(match, seat) for match in ("a", "b", "a\x001") for seat in (0, 1, 11)}

    assert len(set(issued.values())) == len(issued)
    for (match, seat), (place, ticket) in product(issued, issued.items()):
        assert tickets.fits(ticket, match, seat) == ((match, seat) == place)


def test_another_key_makes_other_tickets_and_the_same_key_the_same() -> None:
    one, same, other = Tickets(b"k" * 16), Tickets(b"k" * 16), Tickets(b"x" * 16)

    assert one.issue("match", 0) == same.issue("match", 0)
    assert not other.fits(one.issue("match", 0), "match", 0)


@pytest.mark.parametrize("ticket", ["", "0" * 32, "\N{SNOWMAN}", "x" * 20_000, "é"])
def test_any_other_text_is_no_ticket(ticket: str) -> None:
    assert not Tickets(b"k" * 32).fits(ticket, "match", 0)
