"""What everybody is told is enough to keep the whole table (C10.6): an observer's notes against the views."""

import pytest
from tests.engine.cyclades.observer import Observer
from tests.engine.cyclades.positions import random_match

from agon_engine.core import OptionValue, Seat
from agon_engine.cyclades import View
from agon_engine.cyclades.board import BOARDS
from agon_engine.cyclades.data import SPACE_PRICES

BUILDINGS = ("port", "fortress", "temple", "university")


def name(member: object) -> str:
    return str(getattr(member, "name", "")).lower()


def seen(view: View) -> dict[str, object]:
    """Return what a view shows, in the words of the observer."""
    sea_names = BOARDS[view.deal.seats].sea_names
    creatures = view.creatures
    return {
        "cycle": view.table.cycle,
        "order": list(view.table.order),
        "next_order": list(view.table.next_order),
        "fallen": list(view.table.fallen),
        "gods": [name(offer.god) for offer in view.gods.offers],
        "out": [name(god) for god in view.gods.out],
        "bids": {name(offer.god): (offer.bidder, offer.amount) for offer in view.gods.offers if offer.amount},
        "apollo": list(view.gods.apollo),
        "gold": [player.most_gold for player in view.players],
        "priests": [player.priests for player in view.players],
        "philosophers": [player.philosophers for player in view.players],
        "troop_reserve": [player.troops for player in view.players],
        "fleet_reserve": [player.fleets for player in view.players],
        "discounts": [player.discounts_used for player in view.players],
        "isles": {f"IS{isle.island}": (isle.owner, isle.troops) for isle in view.islands if isle.owner >= 0},
        "buildings": [dict(zip(BUILDINGS, isle.buildings, strict=True)) for isle in view.islands],
        "metropolises": {f"IS{isle.island}" for isle in view.islands if isle.metropolis},
        "horns": {f"IS{isle.island}": isle.prosperity for isle in view.islands if isle.prosperity},
        "fleets": {sea_names[held.sea]: (held.owner, held.fleets) for held in view.seas.fleets},
        "deck": creatures.deck,
        "spaces": {price: name(card) for price, card in zip(SPACE_PRICES, creatures.spaces, strict=True) if card},
        "discard": [name(card) for card in creatures.discard],
        "gone": [name(card) for card in creatures.gone],
        "playing": [name(card) for card in view.turn.playing],
        "figurines": {name(f.creature): (f.owner, f"IS{f.island}", f.cycle) for f in creatures.figurines},
        "kraken": sea_names[creatures.kraken],
        "battle": (view.battle.attacker, view.battle.attackers) if view.battle.attackers else None,
    }


def noted(notes: Observer) -> dict[str, object]:
    isles = {island: (owner, notes.troops[island]) for island, owner in notes.owner.items()}
    built = [{kind: built[kind] for kind in BUILDINGS} for built in notes.buildings.values()]
    battle = notes.battle and notes.battle[1:]
    return {**vars(notes), "isles": isles, "buildings": built, "horns": dict(notes.horns), "battle": battle}


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("rule", ["remove", "forbid"])
def test_events_alone_are_enough_to_keep_the_table(seats: int, rule: str) -> None:
    """C10.6: all but gold and the deck is public, and gold can be counted."""
    compared = 0
    for number in range(5):
        notes, heard = Observer(seats), 0
        options: dict[str, OptionValue] = {"metropolis_over_buildings": rule, "attacker_port_bonus": number % 2 == 0}
        for state in random_match(seats, number, busy=True, **options):
            for event in state.events_since(heard):
                told, seat = event.told_to(None), event.seat
                assert told
                notes.hear(told, seat)
            heard = state.events_count
            watcher: Seat | None = None if compared % 2 else compared % seats

            shown, kept = seen(state.view(watcher)), noted(notes)
            assert shown == {key: kept[key] for key in shown}, f"match {number}, {state.events_since(heard - 9)}"
            compared += 1
        assert notes.over
    assert compared > 500
