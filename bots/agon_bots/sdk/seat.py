"""One seat of one match on a server, from Offer to Over: what was asked, what was answered, and what must be said
again after a cut. Frames come in by its methods, and leave on the link that the client gave it; the bot is a player's.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Coroutine, Mapping
from contextlib import suppress
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
    UpBody,
)
from agon.codec.registry import get_codec
from agon.codec.views import ViewDecoder
from agon_bots.sdk.bot import Bot, MatchResult, Turn
from agon_bots.sdk.facts import checked_options, match_facts
from agon_bots.sdk.files import Files
from agon_bots.sdk.link import Link
from agon_bots.sdk.player import Player
from agon_bots.sdk.progress import Answer, Progress
from agon_bots.sdk.settings import OnError
from agon_bots.sdk.text import cut_note
from agon_bots.sdk.thinking import Done, Thinker, answer
from agon_engine.core import Game, OptionValue, Seat as SeatNumber, Termination

MAX_UNSAID = 100
"""Notes that are kept while there is no link; the oldest are dropped."""
MAX_PAUSE_SECONDS = 60.0
"""A server that asks for a longer pause is not believed: no match waits so long."""


class Host(Protocol):
    """What a seat needs from the client that holds it."""

    bot_class: type[Bot]
    thinker: Thinker
    files: Files
    on_error: OnError
    seed: str | None

    def spawn(self, job: Coroutine[Any, Any, None]) -> None:
        """Run a task as long as the client runs."""

    def failed(self, seat: OnlineSeat, method: str, error: BaseException) -> str:
        """Tell the person who runs the bot; return one line for the bot's log."""

    def hangs(self, seat: OnlineSeat) -> None:
        """Tell the person who runs the bot that a method has not returned when the seat's time was spent."""

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
        self.progress = Progress()
        self.started = False
        """Start has come on the stream in use."""
        self.sent_away = False
        """Its Join was answered by Wait: an Offer will say where to go."""
        self.out = False
        """It was put out, or gave up: nothing is to be answered."""
        self.over = False
        self.failed = False
        """The bot's own code has failed in it."""
        self.waits_since = asyncio.get_running_loop().time()
        """When it was offered or joined last, by the loop's clock."""
        self._player: Player | None = None
        self._start: Start | None = None
        self._decoder: ViewDecoder[Any] | None = None
        self._early: list[Decide] | None = None
        """What was asked while a file is on its way without which it cannot be read; None: none is."""
        self._ready = False
        self._gave_up = False
        self._taken_over = False
        self._joins_again = False
        """It has said Join anew because of a frame that it could not read, and has read none since."""
        self._rng = random.Random()  # noqa: S311  # a bot's own draws, no secret
        self._unsaid: deque[Note] = deque(maxlen=MAX_UNSAID)
        """Notes that wait for a link."""
        self._again: asyncio.TimerHandle | None = None

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

    def is_placed(self, epoch: int, address: Address) -> bool:
        """Tell whether an Offer for it changes nothing: it is of an earlier delivery, or the seat is there already."""
        return epoch < self.epoch or (epoch == self.epoch and (self.is_playing or self.is_at(address)))

    @property
    def is_set_up(self) -> bool:
        """Tell whether the match has ever started here."""
        return self._player is not None

    @property
    def has_answered(self) -> bool:
        """Tell whether the bot has found an answer to the decision asked last."""
        return self.progress.answer is not None

    def saw_epoch(self, epoch: int) -> bool:
        """Tell whether a frame of this delivery is to be handled; one of an earlier delivery is not."""
        if epoch > self.epoch:
            self._taken_over = self.epoch > 0
            self.epoch = epoch
        return epoch >= self.epoch

    def offered(self, offer: Offer, address: Address) -> None:
        """Take note of where the match is now: nothing is said of it anywhere else, or heard from there."""
        self.ticket = offer.ticket
        self.address = address
        self.link = None
        self.started = self.sent_away = False
        self.waits_since = asyncio.get_running_loop().time()

    def join(self, link: Link) -> None:
        """Say Join on a link, the first time or again; what is unanswered is said again as the answers come."""
        self.link = link
        self.started = self.sent_away = False
        self.waits_since = asyncio.get_running_loop().time()
        self._say(Join(self.ticket, self.progress.sequence))

    def _say(self, body: UpBody) -> None:
        """Say something about the match, where it has started on the link in use.

        Without that nothing is lost: whatever still matters then is said after Start.
        """
        if self.link is not None and self.link.is_open and (self.started or isinstance(body, Join)):
            self.link.say(body, self.match, self.number)
        elif isinstance(body, Note):
            self._unsaid.append(body)

    def _say_again(self) -> None:
        """Repeat what has no answer yet."""
        self._again = None
        found = self.progress.answer
        if self.over:
            return
        if not self.started:
            self._say(Join(self.ticket, self.progress.sequence))
        elif self._gave_up:
            self._say(Resign())
        elif found is not None:
            self._choose(found)
        elif self._ready:
            self._say(Ready())

    # -- frames ----------------------------------------------------------------------------------------------

    def on_start(self, start: Start) -> None:
        """Set up for the match; after a cut, only say Ready again. Raise CodecError where it cannot be played here."""
        self.started = True
        while self._unsaid:
            self._say(self._unsaid.popleft())
        if self._player is None:
            self._begin(start)
            return

        if self._ready:
            self._say(Ready())
        if self._gave_up:
            self._say(Resign())

    def on_decide(self, decide: Decide) -> None:
        """Think, or answer again what is asked again. Raise CodecError where it cannot be read."""
        if self._early is not None:
            self._early = [decide]  # what was asked before it is asked no more
            return

        player = self._player
        progress = self.progress
        if player is None or self._decoder is None:
            self.host.warn(self, "a decision came before the match started")
            return
        if not decide.actions:
            raise CodecError("a decision without actions")

        view = self._decoder.view(decide)
        self._joins_again = False
        if self._taken_over:
            self._taken_over = False
            if progress.begins_anew(decide, view):
                player = self._begin_anew()
                progress = self.progress
        if decide.decision < progress.decision:
            return

        progress.hear(decide.sequence, decide.events)
        if self.out:
            return
        if progress.asks_again(decide):
            if progress.answer is not None:
                self._choose(progress.answer)
            return

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
        player.think(turn, progress.news)

    def unreadable(self, error: CodecError) -> None:
        """Do without a frame that cannot be read: Join once more for a full one, and give the match up if that fails.

        The stream and its other matches go on.
        """
        if self.is_set_up and not self._joins_again and not self.out and self.link is not None:
            self.host.warn(self, f"a frame cannot be read, so it joins again: {error}")
            self._joins_again = True
            self.join(self.link)
        elif not self._gave_up:
            self.host.warn(self, f"it cannot be played here and is given up: {error}")
            self._give_up()

    def on_rejected(self, rejected: Rejected) -> None:
        """Take back, repeat or give up what was rejected."""
        code = rejected.code
        if code == RejectedCode.RATE:
            self._pause(rejected.retry_delay_us / 1e6)
        elif code in (RejectedCode.NO_MATCH, RejectedCode.NO_TICKET):
            if rejected.frame == "join":
                self.forget(f"the server does not know it any more: {rejected.message}")
            elif self.started and self.link is not None:
                # A referee that another one has overtaken lets its matches go without a word: Join asks where it is.
                self.join(self.link)
            # Else it was said before the Join that is under way now.
        elif code == RejectedCode.SEAT_OUT:
            self._be_out()
        elif code == RejectedCode.ILLEGAL:
            # The Decide comes again, and is then a new question.
            if rejected.decision == self.progress.decision:
                self.progress.ask_anew()
            self.host.warn(self, f"decision {rejected.decision} was answered unusably: {rejected.message}")
        elif code == RejectedCode.EXPIRED:
            self.host.warn(self, f"the answer to decision {rejected.decision} came too late, a substitute stands")
        elif code != RejectedCode.STALE:
            self.host.warn(self, f"{rejected.frame or 'a frame'} was rejected: {rejected.message}")

    def _pause(self, seconds: float) -> None:
        if self._again is None:
            seconds = min(max(seconds, 0.01), MAX_PAUSE_SECONDS)
            self._again = asyncio.get_running_loop().call_later(seconds, self._say_again)

    def on_notice(self, notice: Notice) -> None:
        """Stop playing when the seat is out; wait for an Offer when the match is between two referees."""
        if notice.kind == NoticeKind.WAIT:
            self.sent_away = True
        elif notice.kind == NoticeKind.SEAT_OUT:
            self._maybe_hangs(notice.termination)
            if not self.out:
                self.host.warn(self, notice.message or f"the seat is out: {notice.termination}")
            self._be_out()

    def on_over(self, over: Over) -> None:
        """Tell the bot how it ended, after the method that runs now."""
        self._maybe_hangs(over.seats[self.number] if self.number < len(over.seats) else None)
        self._end()
        with suppress(CodecError):
            self.progress.hear(over.sequence, over.events)
        if self._player is not None:
            self._player.over(
                MatchResult(
                    termination=over.termination,
                    placements=over.placements,
                    scores=over.scores,
                    seats=over.seats,
                    rated=over.rated,
                    events=self.progress.news(),
                    record_hash=over.record_hash,
                    seed=over.seed,
                )
            )
        self.host.leave(self)

    def _maybe_hangs(self, why: Termination | None) -> None:
        if why is Termination.TIMEOUT and not self.is_idle:
            self.host.hangs(self)

    def forget(self, why: str) -> None:
        """Be done with a match of which nothing more will be heard."""
        self.host.warn(self, why)
        self._end()
        if self._player is not None:
            self._player.stop()
        self.host.leave(self)

    def _end(self) -> None:
        self.over = True
        if self._again is not None:
            self._again.cancel()
            self._again = None

    # -- the bot ---------------------------------------------------------------------------------------------

    def _begin(self, start: Start) -> None:
        """Set up, as soon as the files that the options name are here."""
        options = checked_options(start)
        engine = self.host.files.game(start.game, options)
        if engine is not None:
            self._early = None
            self._set_up(start, engine)
            return

        assert self.link is not None
        self._early = []
        self.host.spawn(self._fetch(start, options, self.link))

    async def _fetch(self, start: Start, options: Mapping[str, OptionValue], link: Link) -> None:
        try:
            came = await self.host.files.ask(link, start.game, options)
            if not came or self.link is not link or self._early is None or self.over:
                return  # it has moved, and is told again what it has to do

            early = self._early
            self._begin(start)
            for decide in early:
                self.on_decide(decide)
        except CodecError as error:
            if self.link is link:
                self._early = None
                self.unreadable(error)

    def _set_up(self, start: Start, engine: Game[Any]) -> Player:
        facts = match_facts(start, self.match, self.number, engine)
        decoder: ViewDecoder[Any] = ViewDecoder(get_codec(start.game), engine.notation)
        if self.host.seed is not None:
            self._rng.seed(f"{self.host.seed}/{self.match}/{self.number}")
        self._start = start
        self._decoder = decoder
        self._player = Player(self.host.bot_class, facts, self.host.thinker, self)
        self._player.start()
        return self._player

    def _begin_anew(self) -> Player:
        """Begin with a bot that knows nothing of what was."""
        assert self._start is not None
        assert self._player is not None
        engine = self._player.match.engine
        self._player.stop()
        self.progress = Progress()
        self._ready = False
        decoder = self._decoder
        player = self._set_up(self._start, engine)
        # A new decoder would not know the full view that has just been read.
        self._decoder = decoder
        return player

    @property
    def is_idle(self) -> bool:
        """Tell whether none of the bot's methods runs or waits."""
        return self._player is None or self._player.is_idle

    def noted(self, _: Player, text: str) -> None:
        if not self.over:
            self._say(Note(cut_note(text)))

    def ready(self, player: Player, method: str, error: BaseException | None) -> None:
        self._ready = True
        self._say(Ready())
        if error is not None:
            self._fault(method, error)
        elif player.has_resigned:
            self._give_up()

    def chosen(self, player: Player, turn: Turn, done: Done) -> None:
        if turn.decision != self.progress.decision or self.out or self.over:
            return
        if player.has_resigned:
            self._give_up()
            return

        index, error = answer(turn.actions, done)
        if error is not None:
            if self._fault("choose", error):
                return
            index = self._rng.randrange(len(turn.actions))
        found = self.progress.answer = Answer(turn.decision, index, done.took_us, turn.actions, turn.view)
        self._choose(found)

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
