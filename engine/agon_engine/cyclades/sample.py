"""Drawing a full state that is consistent with a view: what is public stays, gold and the deck's order are drawn."""

from __future__ import annotations

from agon_engine.core import Chance, Seat
from agon_engine.cyclades import play
from agon_engine.cyclades.data import PHILOSOPHERS, PRIESTS
from agon_engine.cyclades.enums import CREATURES, FIGURINES, NOBODY
from agon_engine.cyclades.layout import KINDS, figurine_index
from agon_engine.cyclades.state import CycladesState
from agon_engine.cyclades.view import View


def sample_state(view: View, chance: Chance) -> CycladesState:
    """Return a state whose view for the same seat equals the given one, with the same decision open."""
    deal = view.deal
    state = CycladesState(
        deal.seats,
        deal.creature_start,
        deal.two_player_gods,
        deal.attacker_port_bonus,
        deal.metropolis_over_buildings,
        deal.tie_break,
        deal.max_cycles,
    )
    _lay_out_table(state, view)
    _lay_out_turn(state, view)
    _lay_out_players(state, view)
    _lay_out_map(state, view)
    _lay_out_creatures(state, view)
    _draw_gold(state, view, chance)
    _draw_deck(state, chance)
    state.chance = chance
    _reopen(state, view)
    return state


# -- what everybody knows ------------------------------------------------------------------------------------


def _lay_out_table(state: CycladesState, view: View) -> None:
    table, gods = view.table, view.gods
    state.cycle = table.cycle
    state.phase = table.phase
    state.ending = table.ending
    state.order = list(table.order)
    state.placed = table.placed
    state.next_order = list(table.next_order)
    state.fallen = list(table.fallen)
    for god, bidder, amount in gods.offers:
        state.gods.append(god)
        state.bidders[god] = bidder
        state.bids[god] = amount
    state.gods_out = list(gods.out)
    state.apollo = list(gods.apollo)
    state.acted = gods.acted


def _lay_out_turn(state: CycladesState, view: View) -> None:
    turn = view.turn
    state.turn_seat = turn.seat
    state.turn_god = turn.god
    state.recruited = turn.recruited
    state.moves = turn.moves
    state.changes = turn.changes
    state.bought = sum([1 << creature for creature in turn.bought])
    state.playing = list(turn.playing)
    state.fought = sum([1 << sea for sea in turn.fought])
    battle = view.battle
    state.battle_island, state.battle_sea = battle.island, battle.sea
    state.attacker, state.attackers = battle.attacker, battle.attackers
    state.rolls = list(battle.rolls)


def _lay_out_players(state: CycladesState, view: View) -> None:
    for player in view.players:
        seat: Seat = player.seat
        state.priests[seat] = player.priests
        state.philosophers[seat] = player.philosophers
        state.troop_reserve[seat] = player.troops
        state.fleet_reserve[seat] = player.fleets
        state.discounts_used[seat] = player.discounts_used
    supply = view.supply
    state.buildings_left = [0, *supply.buildings]
    state.metropolises_left = supply.metropolises
    state.prosperity_left = supply.prosperity
    state.priests_left = supply.priests
    state.philosophers_left = supply.philosophers
    state.lost_priests = PRIESTS - supply.priests - sum(state.priests)
    state.lost_philosophers = PHILOSOPHERS - supply.philosophers - sum(state.philosophers)


def _lay_out_map(state: CycladesState, view: View) -> None:
    for island in view.islands:
        number = island.island
        state.island_owner[number] = island.owner
        if island.owner != NOBODY:
            state.isles[island.owner] |= 1 << number
        state.troops[number] = island.troops
        state.buildings[number * KINDS + 1 : (number + 1) * KINDS] = island.buildings
        state.metropolises |= island.metropolis << number
        state.prosperity[number] = island.prosperity
    for sea, owner, count in view.seas.fleets:
        state.sea_owner[sea] = owner
        state.waters[owner] |= 1 << sea
        state.fleets[sea] = count


def _lay_out_creatures(state: CycladesState, view: View) -> None:
    creatures = view.creatures
    state.spaces = list(creatures.spaces)
    state.discard = list(creatures.discard)
    state.gone = list(creatures.gone)
    state.kraken = creatures.kraken
    for creature, owner, island, cycle in creatures.figurines:
        index = figurine_index(creature)
        state.figurine_owner[index] = owner
        state.figurine_island[index] = island
        state.figurine_cycle[index] = cycle


# -- what is hidden ------------------------------------------------------------------------------------------


def _draw_gold(state: CycladesState, view: View, chance: Chance) -> None:
    """Give every seat gold in the range that the view states; the viewer what it has."""
    for player in view.players:
        spread = player.most_gold - player.least_gold
        drawn = player.least_gold + (chance.below("gold", spread + 1) if spread else 0)
        state.purses[player.seat] = drawn
        state.ledger[player.seat] = player.least_gold
    if view.seat is not None:
        state.purses[view.seat] = view.own.gold


def _draw_deck(state: CycladesState, chance: Chance) -> None:
    """Shuffle the cards that are nowhere else into a deck."""
    standing = [creature for creature in FIGURINES if state.figurine_owner[figurine_index(creature)] != NOBODY]
    placed = {*state.spaces, *state.discard, *state.gone, *state.playing, *standing}
    state.deck = [creature for creature in CREATURES if creature not in placed]
    chance.shuffle("deck", state.deck)


def _reopen(state: CycladesState, view: View) -> None:
    """Ask again what is asked in the view."""
    state.agenda = list(view.pending.steps)
    if state.agenda:
        play.run(state)
