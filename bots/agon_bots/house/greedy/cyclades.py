"""How the greedy bot plays Cyclades: what each listed action is worth at once, in gold, by the seat's view alone.

What things are worth is `cyclades_worth`'s; here is what an action changes, what it costs, and how high to bid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from agon_bots.house.greedy.cyclades_worth import FLEET, PRIEST, SPARE, TROOP, Worth
from agon_engine.cyclades.board import members
from agon_engine.cyclades.data import (
    FLEET_PRICES,
    PHILOSOPHER_PRICES,
    PRIEST_PRICES,
    SALE_PRICE,
    TROOP_PRICES,
)
from agon_engine.cyclades.enums import NOBODY, Building, Creature, God, Todo
from agon_engine.cyclades.notation import MOVES, NOTATION, Kind, Move
from agon_engine.cyclades.view import View

RAISE: Final = 0.35
"""So much of what a god is worth over the next best choice is bid at once."""
FIRST: Final = 40.0
"""Recruiting comes before marching, whatever the march is worth."""
NEVER: Final = -1.0


def rate(view: View, actions: Sequence[str]) -> list[float]:
    """Return what each action is worth to the view's seat, in gold."""
    sums = Choice(view)
    return [sums.worth(MOVES[NOTATION.parse(code)]) for code in actions]


class Choice(Worth):
    """What the actions in one view are worth. Ending a turn, a move or a sale is worth 0."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._bid: tuple[God, int] | None = None

    def worth(self, move: Move) -> float:
        judge = _KINDS.get(move.kind)
        return judge(self, move) if judge else 0.0

    def sea(self, cell: int) -> int:
        return self.board.sea_of_cell[cell]

    # -- offerings -------------------------------------------------------------------------------------------

    def god(self, move: Move) -> float:
        return self.offer_worth(God(move.what))

    def offer_worth(self, god: God) -> float:
        """Return what a god is worth for the least that has to be bid."""
        if god is God.APOLLO:
            return self.turn_worth(god, self.gold)

        cost = self.cost(self.standing_bid(god) + 1)
        return self.turn_worth(god, self.gold - cost) + self.denial_worth(god) - cost

    def bid(self, move: Move) -> float:
        """The nearer to what the seat wants to bid, the better."""
        god = God(move.what)
        if self._bid is None:
            self._bid = god, self.wanted_bid(god)
        return float(-abs(move.number - self._bid[1]))

    def wanted_bid(self, god: God) -> int:
        least = self.standing_bid(god) + 1
        if self.view.table.placed == len(self.view.table.order):
            return least

        others = [offer.god for offer in self.view.gods.offers if offer.god != god and offer.bidder != self.me]
        second = max([self.offer_worth(other) for other in (God.APOLLO, *others)])
        return least + max(0, int(RAISE * (self.offer_worth(god) - second)))

    # -- a god turn ------------------------------------------------------------------------------------------

    def recruit_fleet(self, move: Move) -> float:
        sea = self.sea(move.place)
        worth = self.sea_worth(sea) + FLEET if self.sea_owner[sea] == NOBODY else FLEET / 2
        return self.recruit(worth, FLEET_PRICES)

    def recruit_troop(self, move: Move) -> float:
        """At home, or for the march that it makes possible."""
        island, gold = move.place, self.gold
        now = max([worth for worth, _ in self.campaigns(island, 0)], default=0.0)
        soon = max([worth for worth, _ in self.campaigns(island, 1)], default=0.0)
        price = TROOP_PRICES[self.view.turn.recruited]
        gain = soon - max(now, 0.0) if gold > price and soon > 1 else 0.0
        # The way to a campaign that takes more than one new troop.
        far = self.distant_gain(island) if gain <= 0 else 0.0
        return self.recruit(max(TROOP / 2 + self.post_worth(island), gain + TROOP / 2, far), TROOP_PRICES)

    def distant_gain(self, island: int) -> float:
        """Return what a campaign with all the troops that can still be paid brings for each of them."""
        reserve, spent, number = self.reserve()[0], 0, 0
        for price in TROOP_PRICES[self.view.turn.recruited :]:
            if number < reserve and spent + price + 1 <= self.gold:
                number, spent = number + 1, spent + price
        if number < 2:
            return 0.0

        now = max([worth for worth, _ in self.campaigns(island, 0)], default=0.0)
        soon = max([worth for worth, _ in self.campaigns(island, number)], default=0.0)
        gain = soon - max(0.0, now) - spent
        return gain / number + TROOP_PRICES[self.view.turn.recruited] if gain > 0 else 0.0

    def recruit_priest(self, _: Move) -> float:
        return self.recruit(PRIEST * self.lasting, PRIEST_PRICES)

    def recruit_philosopher(self, _: Move) -> float:
        return self.recruit(self.philosopher_worth(self.me), PHILOSOPHER_PRICES)

    def recruit(self, worth: float, prices: Sequence[int]) -> float:
        net = worth - prices[self.view.turn.recruited]
        return FIRST + net if net > 0 else net

    def build(self, move: Move) -> float:
        """A spare one is not worth its slot."""
        building, island = Building(move.what), move.place
        worth = self.building_worth(self.me, building)
        if worth <= SPARE:
            return NEVER

        place = (
            0.5 * self.free_slots(island) - 4 * self.risk(island, self.troops[island]) - 0.3 * self.under_frame(island)
        )
        if building is Building.FORTRESS:
            place += 0.05 * self.holding_worth(island)
        return 2 * FIRST + worth + place

    def sail(self, move: Move) -> float:
        worth = self.sail_worth(self.sea(move.place), self.sea(move.target), move.number)
        return worth - (1 if self.view.pending.todo is Todo.TURN else 0)

    def march(self, move: Move) -> float:
        return self.march_worth(move.place, move.target, move.number) - 1

    def fly(self, move: Move) -> float:
        return self.march_worth(move.place, move.target, move.number)

    def buy(self, move: Move) -> float:
        creature = Creature(move.what)
        net = self.creature_worth(creature) - self.price(creature)
        # What brings gold, or a part of a set, comes first.
        return 3 * FIRST + net if net > 0 else NEVER

    def never(self, _: Move) -> float:
        return NEVER

    # -- battles ---------------------------------------------------------------------------------------------

    def fight(self, _: Move) -> float:
        battle = self.view.battle
        attacks = battle.attacker == self.me
        if battle.sea:
            wins, left = self.boarding(battle.attackers, battle.sea)
            at_stake, unit, defenders = self.sea_worth(battle.sea), FLEET, self.fleets[battle.sea]
        else:
            wins, left = self.landing(battle.attackers, battle.island)
            unit, defenders = TROOP, self.troops[battle.island]
            at_stake = self.prize(battle.island) if attacks else self.holding_worth(battle.island)
        if attacks:
            return wins * at_stake - unit * (battle.attackers - left)

        return (1 - wins) * at_stake - unit * defenders * wins

    def retreat(self, _: Move) -> float:
        """Return 0 for the attacker; the defender gives the place up, and saves what defends it."""
        return 0.0

    # -- sets ------------------------------------------------------------------------------------------------

    def give(self, move: Move) -> float:
        """Where buildings would lie under a frame, and where the risk is."""
        return self.under_frame(move.place) + self.risk(move.place, self.troops[move.place])

    def found(self, move: Move) -> float:
        """Where it is safe and costs no building and few slots."""
        island = move.place
        frame = self.board.covered[island]
        safety = 12 * (1 - self.risk(island, self.troops[island])) + self.buildings[island][Building.FORTRESS - 1]
        return safety - 3 * self.under_frame(island) - 0.8 * frame - 0.3 * self.free_slots(island)

    def raze(self, move: Move) -> float:
        return float(self.count(self.me)[move.what - 1])

    def prosper(self, move: Move) -> float:
        return -self.risk(move.place, self.troops[move.place]) + 0.1 * self.metropolis[move.place]

    # -- creatures -------------------------------------------------------------------------------------------

    def lure(self, move: Move) -> float:
        return self.sea_worth(self.sea(move.place))

    def come_from(self, move: Move) -> float:
        sea = self.sea(move.place)
        return -self.sea_worth(sea) if self.fleets[sea] == 1 else 0.0

    def destroy(self, move: Move) -> float:
        return self.ruin_worth(move.place, Building(move.what))

    def replay(self, move: Move) -> float:
        return self.creature_worth(Creature(move.what))

    def replace(self, move: Move) -> float:
        spare = self.count(self.me)[move.what - 1] > 1
        return self.building_worth(self.me, Building(move.number)) - (0.0 if spare else self.part_worth(self.me, 0) * 2)

    def sell(self, move: Move) -> float:
        worth = {
            Kind.SELL_PHILOSOPHER: self.philosopher_worth(self.me),
            Kind.SELL_PRIEST: PRIEST * self.lasting,
            Kind.SELL_TROOP: TROOP + self.post_worth(move.place),
            Kind.SELL_FLEET: FLEET + self.sea_worth(self.sea(move.place)),
        }
        return SALE_PRICE - worth[move.kind] - 0.5

    def kill(self, move: Move) -> float:
        owner = self.owner[move.place]
        return NEVER if owner == self.me else self.holding_worth(move.place) / (1 + self.troops[move.place])

    def rob(self, move: Move) -> float:
        player = self.view.players[move.what]
        if self.view.pending.todo is Todo.GRIFFON:
            return self.purse(move.what)

        return float(self.metropolises(move.what) * 2 + player.philosophers)

    def kraken(self, move: Move) -> float:
        free = self.view.pending.todo is Todo.KRAKEN
        return self.flood_worth(self.sea(move.place)) - (0 if free else 1)

    def place(self, move: Move) -> float:
        """Helpers on own islands, hindrances around rivals; never two on one island."""
        island, creature = move.place, self.view.pending.steps[-1].what
        if island in self.islands_of_creatures.values():
            return -FIRST

        own = self.owner[island] == self.me
        if creature == Creature.MINOTAUR:
            return self.shelter_worth(island) if own else -FIRST

        if creature == Creature.CHIRON:
            return self.holding_worth(island) if own else -FIRST

        if creature == Creature.MEDUSA:
            return -FIRST if own or self.owner[island] == NOBODY else float(self.troops[island])

        seas = self.board.island_seas[island]
        return sum([self.fleets[sea] * (-2 if self.sea_owner[sea] == self.me else 1) for sea in seas])

    def push(self, move: Move) -> float:
        return self.sea_worth(self.sea(move.place))


_KINDS: Final[dict[Kind, Callable[[Choice, Move], float]]] = {
    Kind.GOD: Choice.god,
    Kind.BID: Choice.bid,
    Kind.FIGHT: Choice.fight,
    Kind.RECRUIT_FLEET: Choice.recruit_fleet,
    Kind.RECRUIT_TROOP: Choice.recruit_troop,
    Kind.RECRUIT_PRIEST: Choice.recruit_priest,
    Kind.RECRUIT_PHILOSOPHER: Choice.recruit_philosopher,
    Kind.BUILD: Choice.build,
    Kind.SAIL: Choice.sail,
    Kind.MARCH: Choice.march,
    Kind.CHANGE: Choice.never,
    Kind.BUY: Choice.buy,
    Kind.PROSPER: Choice.prosper,
    Kind.GIVE: Choice.give,
    Kind.FOUND: Choice.found,
    Kind.RAZE: Choice.raze,
    Kind.LURE: Choice.lure,
    Kind.COME_FROM: Choice.come_from,
    Kind.FLY: Choice.fly,
    Kind.DESTROY: Choice.destroy,
    Kind.REPLAY: Choice.replay,
    Kind.REPLACE: Choice.replace,
    Kind.SELL_TROOP: Choice.sell,
    Kind.SELL_FLEET: Choice.sell,
    Kind.SELL_PRIEST: Choice.sell,
    Kind.SELL_PHILOSOPHER: Choice.sell,
    Kind.KILL: Choice.kill,
    Kind.ROB: Choice.rob,
    Kind.KRAKEN: Choice.kraken,
    Kind.PLACE: Choice.place,
    Kind.PUSH: Choice.push,
}
