"""Ephyran's views against messages that are built field by field, without the mirror that the codec uses."""

from __future__ import annotations

from tests.support.decides import random_match

from agon.codec.down import PartCache
from agon.codec.registry import get_codec
from agon.codec.views import ViewEncoder
from agon.games.ephyran.v1 import ephyran_pb2 as pb
from agon.v1 import match_pb2
from agon_engine.ephyran.enums import NOBODY
from agon_engine.ephyran.view import Column, OwnMemory, Sighting, View


def somebody(seat: int) -> int | None:
    return None if seat == NOBODY else seat


def column_of(column: Column) -> pb.Column:
    return pb.Column(zones=column.zones, tokens=column.tokens, lock=column.lock)


def memory_of(memory: OwnMemory) -> pb.OwnMemory:
    def sighting(seen: Sighting) -> pb.Sighting:
        return pb.Sighting(card=seen.card, holder=somebody(seen.holder), place=seen.place)

    return pb.OwnMemory(accounts=[pb.Account(sightings=map(sighting, account)) for account in memory.accounts])


def message_of(view: View) -> pb.View:
    colour, item = pb.Colour.ValueType, pb.Item.ValueType
    table, pending = view.table, view.pending
    return pb.View(
        seat=view.seat,
        deal=pb.Deal(
            first=view.deal.first,
            gods=map(colour, view.deal.gods),
            defender_redraws=view.deal.defender_redraws,
            tie_break=pb.TieBreak.ValueType(view.deal.tie_break),
        ),
        table=pb.Table(
            round=table.round,
            turn=table.turn,
            deck=table.deck,
            under=table.under,
            tokens=table.tokens,
            ending=pb.Ending.ValueType(table.ending),
            quiet_rounds=table.quiet_rounds,
            stirred=table.stirred,
            closed=table.closed,
        ),
        pending=pb.Pending(
            phase=pb.Phase.ValueType(pending.phase),
            seat=somebody(pending.seat),
            support=pb.Support.ValueType(pending.support),
            card=pending.card,
            half=pending.half,
            target=somebody(pending.target),
            colour=colour(pending.colour),
            token=pending.token,
            built=pending.built,
            draws=pending.draws,
        ),
        first_discard=pb.Pile(cards=view.first_discard.cards),
        second_discard=pb.Pile(cards=view.second_discard.cards),
        cities=[
            pb.City(seat=city.seat, columns=map(column_of, city.columns), completed=city.completed)
            for city in view.cities
        ],
        hands=[pb.PublicHand(seat=hand.seat, size=hand.size, known=hand.known) for hand in view.hands],
        token_lore=pb.TokenLore(seen_by=view.token_lore.seen_by, shown=map(item, view.token_lore.shown)),
        own_hand=pb.OwnHand(cards=view.own_hand.cards, looking=view.own_hand.looking),
        own_tokens=pb.OwnTokens(
            tokens=[pb.KnownToken(token=known.token, item=item(known.item)) for known in view.own_tokens.tokens]
        ),
        own_memory=memory_of(view.own_memory),
    )


def test_a_view_parses_as_the_message_that_protobuf_makes_of_it() -> None:
    remembered = tokens = 0
    for number in range(12):
        seats = 2 + number % 3
        for asked in random_match("ephyran", seats, number):
            for seat in (asked.seat, None):
                view = asked.table.state.view(seat)
                data, _ = ViewEncoder(get_codec("ephyran"), PartCache(), changed=False).encode(view)

                assert match_pb2.View(ephyran=message_of(view)) == match_pb2.View.FromString(data)
                remembered += bool(view.own_memory.accounts)
                tokens += bool(view.own_tokens.tokens)

    assert remembered > 0, "no view had a memory: the matches are too few"
    assert tokens > 0, "no view had a known token: the matches are too few"


def test_the_last_view_of_a_match_shows_the_tokens() -> None:
    shown = 0
    for number in range(6):
        *_, asked = random_match("ephyran", 2, number)
        view = asked.table.state.view(None)
        data, _ = ViewEncoder(get_codec("ephyran"), PartCache(), changed=False).encode(view)

        assert match_pb2.View(ephyran=message_of(view)) == match_pb2.View.FromString(data)
        shown += bool(view.token_lore.shown)

    assert shown > 0
