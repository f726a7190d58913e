"""Codes are those of the match's own notation on both sides: of the game with the files that its options name."""

from __future__ import annotations

import pytest
from tests.support import card_files
from tests.support.card_files import GAME, OPTION, OTHER_ID
from tests.support.decides import account_of

from agon.codec.client import decode_down
from agon.codec.down import PartCache, SeatEncoder, kept_of
from agon.codec.errors import CodecError
from agon.codec.frames import Decide
from agon.codec.registry import get_codec
from agon.codec.views import ViewDecoder
from agon_engine.core import Chance, Deal, FaultPolicy, Table, TimeControl
from agon_engine.registry import get_game

HOUSE = get_game(GAME)
OTHER = HOUSE.with_file(OPTION, card_files.other_text())


def asked(seats: int = 2) -> list[Decide]:
    """Play a match with the other set at random; return each Decide as it arrives, compared with what was sent."""
    table = Table(OTHER, Deal.of(OTHER, seats, {}, (4).to_bytes(16, "big")), FaultPolicy.default(seats), TimeControl())
    shared, chance = PartCache(), Chance(bytes(16))
    encoders = [SeatEncoder(OTHER.notation, "m", seat, 1, True, shared) for seat in range(seats)]
    decoders = [ViewDecoder(get_codec(GAME), OTHER.notation) for _ in range(seats)]
    found = []
    while (decision := table.decision) is not None:
        seat = decision.seat
        view = table.state.view(seat)
        piece = encoders[seat].decide(
            table.sequence(seat),
            table.asked[seat],
            decision.prompt,
            table.news(seat),
            view,
            decision.actions,
            account_of(table, seat),
        )
        decide = decode_down(piece)[0].body
        assert isinstance(decide, Decide)
        assert decoders[seat].view(decide) == view
        assert decoders[seat].actions(decide) == decision.actions
        assert decide.actions == tuple(map(OTHER.notation.code, decision.actions))
        found.append(decide)
        table.choose(seat, chance.choice("choice", decision.actions))
    return found


def test_actions_of_another_set_travel_by_its_own_codes() -> None:
    listed = [decide for decide in asked() if any(OTHER_ID in code for code in decide.actions)]

    assert listed
    for decide in listed:
        with pytest.raises(CodecError, match=f"not an action of {GAME}: .*{OTHER_ID}"):
            ViewDecoder(get_codec(GAME), HOUSE.notation).actions(decide)


def test_what_is_kept_for_one_set_is_not_taken_for_another() -> None:
    assert kept_of(OTHER.notation) is kept_of(OTHER.notation) is not kept_of(HOUSE.notation)
    assert len(kept_of(OTHER.notation).actions) == len(OTHER.notation)
    assert kept_of(OTHER.notation).actions != kept_of(HOUSE.notation).actions
