"""How the greedy bot plays Cyclades: what each listed action is worth at once, in gold, by the seat's view alone.

What things are worth is in `cyclades_worth.py` and `cyclades_turns.py`; here is what an action changes, what it costs,
and how high to bid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from agon_bots.house.greedy.cyclades_turns import Turns
from agon_bots.house.greedy.cyclades_worth import FLEET, LADDER, METROPOLIS, PRIEST, SLOT, SPARE, TROOP
from agon_engine.core import Game
from agon_engine.cyclades.data import (
    BUILDING_PRICE,
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
"""So much of what a god is worth over the next best choice is given away to keep others off it."""
FIRST: Final = 1_000.0
"""What is bought comes before moves of pieces: they may be better for it."""
NEVER: Final = -1_000.0
EFFORT: Final = 0.05
"""What a step that costs nothing has to be worth."""


def rate(_: Game[View], view: View, actions: Sequence[str]) -> list[float]:
    """Return what each action is worth to the view's seat, in gold."""
    choice = Choice(view)
    return [choice.worth(MOVES[NOTATION.parse(code)]) for code in actions]


class Choice(Turns):
    """What the actions in one view are worth. The end of a turn, of a move or of a sale is worth 0."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._bids: dict[God, int] = {}

    def worth(self, move: Move) -> float:
        judge = _KINDS.get(move.kind)
        return judge(self, move) if judge else 0.0

    def sea(self, cell: int) -> int:
        return self.board.sea_of_cell[cell]

    # -- offerings -------------------------------------------------------------------------------------------

    def god(self, move: Move) -> float:
        god = God(move.what)
        return self.offer_worth(god, self.standing_bid(god) + 1)

    def offer_worth(self, god: God, bid: int) -> float:
        """Return what a god is worth for a bid."""
        if god is God.APOLLO:
            return self.apollo_worth()

        cost = self.cost(bid)
        return self.turn_worth(god, self.gold - cost) + self.denial_worth(god) - cost

    def bid(self, move: Move) -> float:
        """The nearer to what the seat wants to bid, the better."""
        god = God(move.what)
        if god not in self._bids:
            self._bids[god] = self.wanted_bid(god)
        return -abs(move.number - self._bids[god])

    def wanted_bid(self, god: God) -> int:
        """Return the highest bid that leaves most of what the god is worth over the next best choice."""
        least = bid = self.standing_bid(god) + 1
        others = [offer for offer in self.view.gods.offers if offer.god is not god and offer.bidder != self.me]
        worths = [self.offer_worth(offer.god, offer.amount + 1) for offer in others if self.can_bid(offer.amount + 1)]
        second = max([self.apollo_worth(), *worths])
        enough = second + (1 - RAISE) * (self.offer_worth(god, least) - second)
        while bid < self.highest_rival_bid() and self.can_bid(bid + 1) and self.offer_worth(god, bid + 1) >= enough:
            bid += 1
        return bid

    def can_bid(self, bid: int) -> bool:
        return self.cost(bid) <= self.gold

    def highest_rival_bid(self) -> float:
        """Return what the richest rival can bid, if anybody can still come."""
        table = self.view.table
        if table.placed == len(table.order):
            return 0

        return max([self.purse(seat) + self.view.players[seat].priests for seat in self.rivals])

    # -- what is bought --------------------------------------------------------------------------------------

    def bought(self, worth: float, price: int) -> float:
        return FIRST + worth - price if worth > price else NEVER

    def recruit_fleet(self, move: Move) -> float:
        sea = self.sea(move.place)
        worth = FLEET / 2 if self.sea_owner[sea] == self.me else self.sea_worth(sea)
        return self.bought(worth, FLEET_PRICES[self.view.turn.recruited])

    def recruit_troop(self, move: Move) -> float:
        """At home, or for the campaign that it makes possible."""
        worth = max(TROOP / 2 + self.post_worth(move.place), self.campaign_share(move.place))
        return self.bought(worth, TROOP_PRICES[self.view.turn.recruited])

    def campaign_share(self, island: int) -> float:
        """Return what the next new troop on an island contributes to the best campaign that new troops make better."""
        now = max(0.0, self.best_campaign(island, 0))
        prices = TROOP_PRICES[self.view.turn.recruited :][: self.view.players[self.me].troops]
        share, spent = 0.0, 0
        for number, price in enumerate(prices, 1):
            spent += price
            if spent < self.gold:
                share = max(share, (self.best_campaign(island, number) - now - spent) / number)
        return share + prices[0] if share else 0.0

    def recruit_priest(self, _: Move) -> float:
        return self.bought(PRIEST * self.lasting, PRIEST_PRICES[self.view.turn.recruited])

    def recruit_philosopher(self, _: Move) -> float:
        return self.bought(self.philosopher_worth(self.me), PHILOSOPHER_PRICES[self.view.turn.recruited])

    def build(self, move: Move) -> float:
        """Where it is safe and leaves room; a spare one is not worth its slot."""
        building, island = Building(move.what), move.place
        site = 0.3 * self.free_slots(island) - self.risk(island, self.troops[island])
        if building is Building.FORTRESS:
            site += 0.05 * self.holding_worth(island)
        worth = self.building_worth(self.me, building)
        return self.bought(worth, BUILDING_PRICE) + site if worth > SPARE else NEVER

    def buy(self, move: Move) -> float:
        """Cards that bring gold come first."""
        creature = Creature(move.what)
        worth = self.bought(self.creature_worth(creature), self.price(creature))
        return worth + FIRST if creature in (Creature.GRIFFON, Creature.FATES) and worth > 0 else worth

    def change(self, _: Move) -> float:
        return NEVER

    # -- moves -----------------------------------------------------------------------------------------------

    def sail(self, move: Move) -> float:
        """Only the first step is paid; then `stop` ends the move."""
        price = 1 if self.view.pending.todo is Todo.TURN else EFFORT
        return self.sail_worth(self.sea(move.place), self.sea(move.target), move.number) - price

    def march(self, move: Move) -> float:
        return self.march_worth(move.place, move.target, move.number) - 1

    def fly(self, move: Move) -> float:
        return self.march_worth(move.place, move.target, move.number)

    # -- battles ---------------------------------------------------------------------------------------------

    def fight(self, _: Move) -> float:
        battle = self.view.battle
        attacks = battle.attacker == self.me
        if battle.sea:
            wins, left = self.boarding(battle.attackers, battle.sea)
            at_stake, unit, defenders = self.sea_worth(battle.sea), FLEET, self.fleets[battle.sea]
        else:
            unit, defenders = TROOP, self.troops[battle.island]
            wins, left = self.landing(battle.attackers, battle.island, defenders)
            at_stake = self.prize(battle.island) if attacks else self.holding_worth(battle.island)
        if attacks:
            return wins * at_stake - unit * (battle.attackers - left)

        return (1 - wins) * at_stake - unit * defenders * wins

    # -- sets ------------------------------------------------------------------------------------------------

    def give(self, move: Move) -> float:
        """Where buildings would lie under a frame, and where the risk is."""
        return self.under_frame(move.place) + self.risk(move.place, self.troops[move.place])

    def found(self, move: Move) -> float:
        """Where it is safe, and costs no building and few slots."""
        island = move.place
        frame = self.board.covered[island]
        danger = METROPOLIS / 2 * self.risk(island, self.troops[island])
        return -danger - LADDER[0] * self.under_frame(island) - SLOT * min(frame, self.free_slots(island))

    def raze(self, move: Move) -> float:
        """Of the kind that there is most of."""
        return float(self.owned[self.me][move.what - 1])

    def prosper(self, move: Move) -> float:
        """Where it is safe; best of all on a Metropolis, which is defended anyway."""
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
        spare = self.owned[self.me][move.what - 1] > 1
        return self.building_worth(self.me, Building(move.number)) - (SPARE if spare else LADDER[-1])

    def sell_troop(self, move: Move) -> float:
        return self.sold(TROOP - self.post_worth(move.place, more=-1))

    def sell_fleet(self, move: Move) -> float:
        sea = self.sea(move.place)
        return self.sold(self.sea_worth(sea) if self.fleets[sea] == 1 else FLEET)

    def sell_priest(self, _: Move) -> float:
        return self.sold(PRIEST * self.lasting)

    def sell_philosopher(self, _: Move) -> float:
        return self.sold(self.philosopher_worth(self.me))

    def sold(self, worth: float) -> float:
        return SALE_PRICE - worth - EFFORT

    def kill(self, move: Move) -> float:
        owner = self.owner[move.place]
        return NEVER if owner == self.me else self.holding_worth(move.place) / (1 + self.troops[move.place])

    def rob(self, move: Move) -> float:
        player = self.view.players[move.what]
        if self.view.pending.todo is Todo.GRIFFON:
            return self.purse(move.what)

        return float(2 * self.metropolises[move.what] + player.philosophers)

    def kraken(self, move: Move) -> float:
        free = self.view.pending.todo is Todo.KRAKEN
        return self.flood_worth(self.sea(move.place)) - (0 if free else 1)

    def place(self, move: Move) -> float:
        """Helpers on own islands, hindrances around rivals; never two on one island."""
        island, creature = move.place, self.view.pending.steps[-1].what
        if island in self.figurines.values():
            return NEVER

        own = self.owner[island] == self.me
        if creature == Creature.MINOTAUR:
            return self.shelter_worth(island) if own else NEVER

        if creature == Creature.CHIRON:
            return self.holding_worth(island) if own else NEVER

        if creature == Creature.MEDUSA:
            return NEVER if own or self.owner[island] == NOBODY else float(self.troops[island])

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
    Kind.CHANGE: Choice.change,
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
    Kind.SELL_TROOP: Choice.sell_troop,
    Kind.SELL_FLEET: Choice.sell_fleet,
    Kind.SELL_PRIEST: Choice.sell_priest,
    Kind.SELL_PHILOSOPHER: Choice.sell_philosopher,
    Kind.KILL: Choice.kill,
    Kind.ROB: Choice.rob,
    Kind.KRAKEN: Choice.kraken,
    Kind.PLACE: Choice.place,
    Kind.PUSH: Choice.push,
}
