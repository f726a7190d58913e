"""One seat of one match on a server, from Offer to Over: what was asked, what was answered, and what must be said
again after a cut. Frames come in by its methods, and leave on the link that the client gave it; the bot is a player's.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass
from typing import Any, Protocol

from agon.address import Address
from agon.codec.errors import CodecError
from agon.codec.frames import (
    Choose,
    Decide,
    Join,
    Note,
    Notice,
    NoticeKind,
    Offer,
    Over,
    Ready,
    Rejected,
    RejectedCode,
    Resign,
    Start,
    ToldEvent,
    UpBody,
)
from agon.codec.registry import get_codec
from agon.codec.up import NOTE_BYTES
from agon.codec.views import ViewDecoder
from agon_bots.sdk.bot import Bot, Match, MatchResult, Turn
from agon_bots.sdk.link import Link
from agon_bots.sdk.player import Player
from agon_bots.sdk.settings import OnError
from agon_bots.sdk.thinking import Done, Thinker, chosen_index
from agon_engine.core import OptionsError
from agon_engine.core import Seat as SeatNumber
from agon_engine.registry import get_game

MAX_UNSAID = 100
"""Notes that are kept while there is no link; the oldest are dropped."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered to a decision, and to what, so that it can be told whether that is asked again."""

    decision: int
    index: int
    took_us: int
    actions: tuple[str, ...]
    view: Any


class Host(Protocol):
    """What a seat needs from the client that holds it."""

    bot_class: type[Bot]
    thinker: Thinker
    on_error: OnError
    seed: str | None

    def failed(self, seat: OnlineSeat, method: str, error: BaseException) -> str:
        """Tell the person who runs the bot; return one line for the bot's log."""

    def warn(self, seat: OnlineSeat, text: str) -> None:
        """Tell the person who runs the bot."""

    def leave(self, seat: OnlineSeat) -> None:
        """Forget a seat that is done with."""


class OnlineSeat:
    """A seat that was offered; the module's docstring says what it does."""

    def __init__(self, host: Host, match: str, number: SeatNumber) -> None:
        self.host = host
        self.match = match
        self.number = number
        self.link: Link | None = None
        """The stream on which it said Join last; None while that is gone."""
        self.ticket = ""
        self.address: Address | None = None
        """Where its referee is."""
        self.epoch = 0
        self.sequence = 0
        """Events told so far."""
        self.decision = 0
        """The decision asked last."""
        self.started = False
        """Start has come on the stream in use."""
        self.sent_away = False
        """Its Join was answered by Wait: an Offer will say where to go."""
        self.out = False
        """It was put out, or gave up: nothing is to be answered."""
        self.over = False
        self._player: Player | None = None
        self._start: Start | None = None
        self._decoder: ViewDecoder[Any] | None = None
        self._ready = False
        self._gave_up = False
        self._taken_over = False
        self._open = False
        """The decision asked last is being thought about, or is answered."""
        self._answer: Answer | None = None
        self._rng = random.Random()  # noqa: S311  # a bot's own draws, no secret
        self._untold: list[ToldEvent] = []
        """Events that the bot has not seen yet."""
        self._unsaid: deque[Note] = deque(maxlen=MAX_UNSAID)
        """Notes that wait for a link."""

    def __repr__(self) -> str:
        return f"match {self.match}, seat {self.number}"

    # -- coming and coming back ------------------------------------------------------------------------------

    def is_at(self, address: Address | None) -> bool:
        """Tell whether it has said Join there (None: anywhere) and can still be answered."""
        link = self.link
        return link is not None and link.is_open and not self.sent_away and address in (None, link.address)

    @property
    def is_playing(self) -> bool:
        """Tell whether it has a place at a referee just now."""
        return self.started and self.is_at(None)

    def saw_epoch(self, epoch: int) -> bool:
        """Tell whether a frame of this delivery is to be handled; one of an earlier delivery is not."""
        if epoch > self.epoch:
            self._taken_over = self.epoch > 0
            self.epoch = epoch
        return epoch >= self.epoch

    def offered(self, offer: Offer, address: Address) -> None:
        """Take note of where the match is now."""
        self.ticket = offer.ticket
        self.address = address

    def join(self, link: Link) -> None:
        """Say Join on a link, the first time or again; what is unanswered is said again as the answers come."""
        self.link = link
        self.started = self.sent_away = False
        self._say(Join(self.ticket, self.sequence))

    def _say(self, body: UpBody) -> None:
        """Say something about the match, where it has started on the link in use.

        Without that nothing is lost: whatever still matters then is said after Start.
        """
        if self.link is not None and self.link.is_open and (self.started or isinstance(body, Join)):
            self.link.say(body, self.match, self.number)
        elif isinstance(body, Note):
            self._unsaid.append(body)

    def say_again(self) -> None:
        """Repeat what has no answer yet, after a server asked for a pause."""
        if not self.started:
            self._say(Join(self.ticket, self.sequence))
        elif self._gave_up:
            self._say(Resign())
        elif self._answer is not None and self._answer.decision == self.decision:
            self._choose(self._answer)
        elif self._ready:
            self._say(Ready())

    # -- frames ----------------------------------------------------------------------------------------------

    def on_start(self, start: Start) -> None:
        """Set up for the match; after a cut, only say Ready again."""
        self.started = True
        while self._unsaid:
            self._say(self._unsaid.popleft())
        if self._player is None:
            self._start = start
            self._set_up(start)
            return

        if self._ready:
            self._say(Ready())
        if self._gave_up:
            self._say(Resign())

    def on_decide(self, decide: Decide) -> None:
        """Think, or answer again what is asked again. Raise CodecError where the view cannot be read."""
        player = self._player
        if player is None or self._decoder is None:
            self.host.warn(self, "a decision came before the match started")
            return

        view = self._decoder.view(decide)
        if self._taken_over:
            self._taken_over = False
            if self._begins_anew(decide, view):
                player = self._begin_anew()
        if decide.decision < self.decision:
            return

        self._hear(decide.sequence, decide.events)
        again = decide.decision == self.decision and self._open
        self.decision = decide.decision
        if self.out:
            return
        if again:
            answer = self._answer
            if answer is not None:
                self._choose(answer)
            return

        self._open = True
        self._answer = None
        turn = Turn(
            view=view,
            actions=decide.actions,
            prompt=decide.prompt,
            events=(),
            decision=decide.decision,
            clock=decide.clock,
            match=player.match,
            random=self._rng,
        )
        player.think(turn, self._news)

    def on_rejected(self, rejected: Rejected) -> None:
        """Take back, repeat or give up what was rejected."""
        code = rejected.code
        if code in (RejectedCode.NO_MATCH, RejectedCode.NO_TICKET):
            self.host.warn(self, f"the server does not know it any more: {rejected.message}")
            self.over = True
            if self._player is not None:
                self._player.stop()
            self.host.leave(self)
        elif code == RejectedCode.SEAT_OUT:
            self._be_out()
        elif code == RejectedCode.ILLEGAL:
            # The Decide comes again, and is then a new question.
            self._open = False
            self.host.warn(self, f"decision {rejected.decision} was answered unusably: {rejected.message}")
        elif code == RejectedCode.EXPIRED:
            self.host.warn(self, f"the answer to decision {rejected.decision} came too late, a substitute stands")
        elif code != RejectedCode.STALE:
            self.host.warn(self, f"{rejected.frame or 'a frame'} was rejected: {rejected.message}")

    def on_notice(self, notice: Notice) -> None:
        """Stop playing when the seat is out; wait for an Offer when the match is between two referees."""
        if notice.kind == NoticeKind.WAIT:
            self.sent_away = True
        elif notice.kind == NoticeKind.SEAT_OUT:
            self.host.warn(self, f"the seat is out ({notice.termination}): {notice.message}")
            self._be_out()

    def on_over(self, over: Over) -> None:
        """Tell the bot how it ended, after the method that runs now."""
        self.over = True
        self._hear(over.sequence, over.events)
        if self._player is not None:
            self._player.over(
                MatchResult(
                    termination=over.termination,
                    placements=over.placements,
                    scores=over.scores,
                    seats=over.seats,
                    rated=over.rated,
                    events=self._news(),
                    record_hash=over.record_hash,
                    seed=over.seed,
                )
            )
        self.host.leave(self)

    # -- the bot ---------------------------------------------------------------------------------------------

    def _set_up(self, start: Start) -> Player:
        if self.host.seed is not None:
            self._rng.seed(f"{self.host.seed}/{self.match}/{self.number}")
        self._decoder = ViewDecoder(get_codec(start.game))
        self._player = Player(self.host.bot_class, self._facts(start), self.host.thinker, self)
        self._player.start()
        return self._player

    def _facts(self, start: Start) -> Match:
        try:
            spec = get_game(start.game).spec
            options = dict(spec.parse_option(f"{name}={value}") for name, value in start.options.items())
        except OptionsError as error:
            raise CodecError(str(error)) from error

        return Match(
            id=self.match,
            game=start.game,
            version=start.version,
            seat=self.number,
            seats=len(start.aliases),
            aliases=start.aliases,
            options=options,
            time=start.time,
            policy=start.policy,
            deals=start.deals,
            rated=start.rated,
            commitment=start.seed_commitment,
        )

    @property
    def is_idle(self) -> bool:
        """Tell whether none of the bot's methods runs or waits."""
        return self._player is None or self._player.is_idle

    def noted(self, _: Player, text: str) -> None:
        if not self.over:
            self._say(Note(cut_note(text)))

    def ready(self, player: Player, error: BaseException | None) -> None:
        self._ready = True
        self._say(Ready())
        if error is not None:
            self._fault("start", error)
        elif player.has_resigned:
            self._give_up()

    def chosen(self, player: Player, turn: Turn, done: Done) -> None:
        if turn.decision != self.decision or self.out or self.over:
            return
        if player.has_resigned:
            self._give_up()
            return

        try:
            if done.error is not None:
                raise done.error
            index = chosen_index(turn.actions, done.value)
        except (Exception, SystemExit) as error:
            if self._fault("choose", error):
                return
            index = self._rng.randrange(len(turn.actions))
        self._answer = Answer(turn.decision, index, done.took_us, turn.actions, turn.view)
        self._choose(self._answer)

    def left(self, _: Player, error: BaseException | None) -> None:
        if error is not None:
            self.host.failed(self, "over", error)
        self.host.leave(self)

    def _choose(self, answer: Answer) -> None:
        self._say(Choose(answer.decision, answer.index, answer.took_us))

    def _fault(self, method: str, error: BaseException) -> bool:
        """Do what the settings say about an error of the bot; return whether the match is given up."""
        self._say(Note(cut_note(self.host.failed(self, method, error))))
        if self.host.on_error is OnError.RANDOM:
            return False

        self._give_up()
        return True

    def _give_up(self) -> None:
        self._gave_up = True
        self._be_out()
        self._say(Resign())

    def _be_out(self) -> None:
        self.out = True
        if self._player is not None:
            self._player.forget_turns()

    # -- events and epochs -----------------------------------------------------------------------------------

    def _hear(self, sequence: int, events: tuple[ToldEvent, ...]) -> None:
        """Keep the events that were not told before; after a cut some may come twice."""
        known = self.sequence - (sequence - len(events))
        self._untold.extend(events[max(0, known) :])
        self.sequence = max(self.sequence, sequence)

    def _begins_anew(self, decide: Decide, view: Any) -> bool:
        """Tell whether another referee plays the match again from its start, rather than going on where it stood."""
        if decide.decision != self.decision:
            return decide.decision < self.decision

        answer = self._answer
        return decide.sequence != self.sequence or (
            answer is not None and (answer.actions != decide.actions or answer.view != view)
        )

    def _begin_anew(self) -> Player:
        """Begin with a bot that knows nothing of what was."""
        assert self._start is not None
        if self._player is not None:
            self._player.stop()
        self.sequence = self.decision = 0
        self._open = self._ready = False
        self._answer = None
        self._untold.clear()
        decoder = self._decoder
        player = self._set_up(self._start)
        # A new decoder would not know the full view that has just been read.
        self._decoder = decoder
        return player

    def _news(self) -> tuple[ToldEvent, ...]:
        """Return the events that the bot has not seen yet; it then has."""
        news = tuple(self._untold)
        self._untold.clear()
        return news


def cut_note(text: str) -> str:
    """Return the text within the contract's limit for notes, with a mark of what was cut."""
    data = text.encode("utf-8", "replace")
    if len(data) <= NOTE_BYTES:
        return data.decode()

    mark = f" … ({len(data)} bytes)"
    return data[: NOTE_BYTES - len(mark.encode())].decode("utf-8", "ignore") + mark
