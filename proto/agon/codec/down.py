"""Frames to bots: the server encodes them here; clients decode messages of them by `decode_down` (module `client`).

Every function and method returns one piece, framed so that `b"".join(pieces)` is a PlayResponse. The one frame that
decides throughput is Decide: `SeatEncoder` puts it together from bytes that it keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from agon.codec.client import decode_down
from agon.codec.enums import DEALS_NUMBERS, ON_FAULT_NUMBERS, TERMINATION_NUMBERS
from agon.codec.errors import CodecError
from agon.codec.frames import PROTOCOL, Clock, NoticeKind, RefusedCode, RejectedCode, WelcomeGame
from agon.codec.registry import get_codec
from agon.codec.views import PartCache, ViewEncoder
from agon.codec.wire import bytes_tag, framed, number_tag, varint
from agon.v1 import match_pb2, play_pb2 as pb
from agon_engine.core.game import Action, Maker, Notation, Seat
from agon_engine.core.options import OptionValue, option_text
from agon_engine.core.policy import FaultPolicy, Result, Termination
from agon_engine.core.record import Deals
from agon_engine.core.timing import TimeControl

__all__ = [
    "CodecError",
    "PartCache",
    "SeatEncoder",
    "decode_down",
    "notice",
    "offer",
    "over",
    "ping",
    "refused",
    "rejected",
    "welcome",
]

Told = tuple[str, Seat | None, Maker]
"""An event as one seat is told of it: its code, the seat it happened to or by, who made it."""

EVENTS_KEPT = 16_384
"""The encoded bytes of so many different events are kept a notation; then all are forgotten and kept anew."""

PROMPTS_KEPT = 1_024
"""As for events."""

NOTATIONS_KEPT = 32
"""So many notations have fields that are kept: games, and what files make of them; the last used ones stay."""

_FRAMES = bytes_tag(pb.PlayResponse.DESCRIPTOR.fields_by_name["frames"])
_DECIDE = bytes_tag(pb.DownFrame.DESCRIPTOR.fields_by_name["decide"])
_FIELDS = pb.Decide.DESCRIPTOR.fields_by_name
_SEQUENCE = number_tag(_FIELDS["sequence"])
_DECISION = number_tag(_FIELDS["decision"])
_PROMPT = bytes_tag(_FIELDS["prompt"])
_EVENTS = bytes_tag(_FIELDS["events"])
_VIEW = bytes_tag(_FIELDS["view"])
_FULL = number_tag(_FIELDS["full"]) + varint(1)
_ACTIONS = bytes_tag(_FIELDS["actions"])
_CLOCK = bytes_tag(_FIELDS["clock"])
_ACCOUNT = tuple(number_tag(field) for field in pb.ClockAccount.DESCRIPTOR.fields)
_LIMITS: Final = 3
"""So many fields of it, the first ones, say what is allowed and left: they seldom change."""
_LIMIT_TAGS: Final = _ACCOUNT[:_LIMITS]
_CHARGE_TAGS: Final = _ACCOUNT[_LIMITS:]


def _piece(frame: pb.DownFrame) -> bytes:
    # Deterministic: else the order of a map's entries would differ from process to process.
    return pb.PlayResponse(frames=[frame]).SerializeToString(deterministic=True)


# -- frames about the stream ---------------------------------------------------------------------------------


def welcome(
    bot: str, games: Iterable[WelcomeGame], slots: int, ping_interval_us: int, lobbies: Sequence[str] = ()
) -> bytes:
    """Return the frame that opens a stream."""
    return _piece(
        pb.DownFrame(
            welcome=pb.Welcome(
                protocol=PROTOCOL,
                games=[pb.WelcomeGame(name=game.name, version=game.version) for game in games],
                slots=slots,
                ping_interval_us=ping_interval_us,
                lobbies=lobbies,
                bot=bot,
            )
        )
    )


def refused(code: RefusedCode, message: str, needed: str = "", retry_delay_us: int = 0) -> bytes:
    """Return the last frame of a stream that is refused or ended on purpose."""
    return _piece(
        pb.DownFrame(
            refused=pb.Refused(
                code=pb.RefusedCode.ValueType(code), message=message, needed=needed, retry_delay_us=retry_delay_us
            )
        )
    )


def ping(number: int) -> bytes:
    """Return the frame that asks for a Pong with the same number."""
    return _piece(pb.DownFrame(ping=pb.Ping(id=number)))


# -- frames of a match ---------------------------------------------------------------------------------------


def offer(match: str, seat: Seat, epoch: int, *, ticket: str, game: str, seats: int, address: str = "") -> bytes:
    """Return the frame that offers a seat. `address`: where the referee is; empty: on this stream."""
    body = pb.Offer(ticket=ticket, address=address, game=game, seats=seats)
    return _piece(pb.DownFrame(match=match, seat=seat, epoch=epoch, offer=body))


def rejected(
    match: str,
    seat: Seat,
    epoch: int,
    *,
    code: RejectedCode,
    message: str,
    frame: str = "",
    decision: int = 0,
    open_decision: int = 0,
    attempts_left: int = 0,
    retry_delay_us: int = 0,
) -> bytes:
    """Return the answer to a frame that did not fit. `frame`: its kind; `decision`: the id that it named."""
    body = pb.Rejected(
        code=pb.RejectedCode.ValueType(code),
        message=message,
        frame=frame,
        decision=decision,
        open_decision=open_decision,
        attempts_left=attempts_left,
        retry_delay_us=retry_delay_us,
    )
    return _piece(pb.DownFrame(match=match, seat=seat, epoch=epoch, rejected=body))


def notice(
    match: str = "",
    seat: Seat = 0,
    epoch: int = 0,
    *,
    kind: NoticeKind,
    message: str,
    lobbies: Sequence[str] = (),
    termination: Termination | None = None,
) -> bytes:
    """Return a frame that needs no answer, about a match or (with no match) the stream."""
    why = match_pb2.TERMINATION_UNSPECIFIED if termination is None else TERMINATION_NUMBERS[termination]
    body = pb.Notice(kind=pb.NoticeKind.ValueType(kind), message=message, lobbies=lobbies, termination=why)
    return _piece(pb.DownFrame(match=match, seat=seat, epoch=epoch, notice=body))


def over(
    match: str,
    seat: Seat,
    epoch: int,
    sequence: int,
    events: Iterable[Told],
    result: Result,
    *,
    rated: bool,
    record_hash: str,
    seed: str,
    clock: Clock,
) -> bytes:
    """Return the frame that ends a match for a seat. `seed`: in hex, empty while it is still secret."""
    body = pb.Over(
        sequence=sequence,
        events=[_event(told) for told in events],
        termination=TERMINATION_NUMBERS[result.termination],
        placements=result.placements,
        scores=result.scores,
        seats=[TERMINATION_NUMBERS[why] for why in result.seats],
        rated=rated,
        record_hash=record_hash,
        seed=seed,
        clock=pb.ClockAccount.FromString(_clock_bytes(clock)),
    )
    return _piece(pb.DownFrame(match=match, seat=seat, epoch=epoch, over=body))


def _event(told: Told) -> match_pb2.Event:
    code, seat, maker = told
    return match_pb2.Event(code=code, seat=seat, maker=match_pb2.Maker.ValueType(maker))


def _clock_bytes(clock: Clock) -> bytes:
    """Return the bytes of a ClockAccount, whose fields are those of a `Clock` in its order."""
    return _numbers(_ACCOUNT, clock)


def _numbers(tags: tuple[bytes, ...], values: tuple[int, ...]) -> bytes:
    """Return the fields of numbers, one for each tag; what is 0 has none."""
    return b"".join([tag + varint(value) for tag, value in zip(tags, values, strict=True) if value])


# -- the frames of one seat ----------------------------------------------------------------------------------


class _Events(dict[Told, bytes]):
    """Each event as a field."""

    def __missing__(self, told: Told) -> bytes:
        if len(self) >= EVENTS_KEPT:
            self.clear()
        field = self[told] = framed(_EVENTS, _event(told).SerializeToString())
        return field


class _Prompts(dict[str, bytes]):
    """Each prompt as a field."""

    def __missing__(self, prompt: str) -> bytes:
        if len(self) >= PROMPTS_KEPT:
            self.clear()
        field = self[prompt] = framed(_PROMPT, prompt.encode())
        return field


class KeptFields:
    """Fields of Decide that are encoded once for all matches with a notation."""

    def __init__(self, notation: Notation) -> None:
        self.actions = tuple(framed(_ACTIONS, code.encode()) for code in notation.codes)
        self.events = _Events()
        self.prompts = _Prompts()

    @property
    def counts(self) -> tuple[int, int]:
        """How many events and prompts are kept."""
        return len(self.events), len(self.prompts)


@lru_cache(maxsize=NOTATIONS_KEPT)
def kept_of(notation: Notation) -> KeptFields:
    """Return what is kept for a notation, the same for all its encoders."""
    return KeptFields(notation)


class SeatEncoder:
    """Encodes the frames of one seat in one match, for one stream: its views follow from one another."""

    __slots__ = ("_epoch", "_game", "_head", "_kept", "_limits", "_limits_bytes", "_match", "_seat", "_views")

    def __init__(
        self, notation: Notation, match: str, seat: Seat, epoch: int, changed: bool, shared: PartCache
    ) -> None:
        """`notation`: the match's own, which names the game. `changed`: views hold changed parts only. `shared`: one
        for all seats of the match.

        Raise CodecError when the game has no codec.
        """
        game = notation.game
        self._game, self._match, self._seat, self._epoch = game, match, seat, epoch
        self._head = pb.DownFrame(match=match, seat=seat, epoch=epoch).SerializeToString() + _DECIDE
        self._views: ViewEncoder[Any] = ViewEncoder(get_codec(game), shared, changed=changed)
        self._kept = kept_of(notation)
        self._limits = (-1, -1, -1)
        self._limits_bytes = b""

    def reset(self) -> None:
        """Make the view of the next Decide full: the bot may not have the one before."""
        self._views.reset()

    def decide(
        self,
        sequence: int,
        decision: int,
        prompt: str,
        events: Iterable[Told],
        view: Any,
        actions: Iterable[Action],
        clock: Clock,
        *,
        full: bool = False,
    ) -> bytes:
        """Return the frame that asks for a choice. `view` is the game's own; `full` asks for all of its parts."""
        view_field, is_full = self._views.encode(view, full=full)
        kept = self._kept
        limits = clock[:_LIMITS]
        if limits != self._limits:
            self._limits, self._limits_bytes = limits, _numbers(_LIMIT_TAGS, limits)
        account = self._limits_bytes + _numbers(_CHARGE_TAGS, clock[_LIMITS:])
        texts, told = kept.actions, kept.events
        # Joined bytes know their length; to add up those of many pieces takes several times as long as to copy them.
        body = b"".join(
            [
                _SEQUENCE,
                varint(sequence),
                _DECISION,
                varint(decision),
                kept.prompts[prompt],
                _FULL if is_full else b"",
                _CLOCK,
                varint(len(account)),
                account,
                *[told[event] for event in events],
                _VIEW,
                varint(len(view_field)),
                view_field,
                *[texts[action] for action in actions],
            ]
        )
        length = varint(len(body))
        head = self._head
        return b"".join((_FRAMES, varint(len(head) + len(length) + len(body)), head, length, body))

    def start(
        self,
        *,
        version: int,
        options: Mapping[str, OptionValue],
        aliases: Sequence[str],
        time: TimeControl,
        policy: FaultPolicy,
        commitment: str,
        deals: Deals,
        rated: bool,
    ) -> bytes:
        """Return the frame with the facts of the match. `version`: of the rules; `commitment`: to the seed, in hex."""
        body = pb.Start(
            game=self._game,
            version=version,
            options={name: option_text(value) for name, value in options.items()},
            aliases=aliases,
            time=match_pb2.TimeControl(
                connect_us=time.connect,
                ready_us=time.ready,
                move_us=time.move,
                bank_us=time.bank,
                increment_us=time.increment,
                grace_us=time.grace,
            ),
            policy=match_pb2.FaultPolicy(
                on_fault=ON_FAULT_NUMBERS[policy.on_fault], attempts=policy.attempts, strikes=policy.strikes
            ),
            seed_commitment=commitment,
            deals=DEALS_NUMBERS[deals],
            rated=rated,
        )
        return _piece(pb.DownFrame(match=self._match, seat=self._seat, epoch=self._epoch, start=body))

    def accepted(self, decision: int, index: int) -> bytes:
        """Return the answer to a Choose that is already stored."""
        body = pb.Accepted(decision=decision, index=index)
        return _piece(pb.DownFrame(match=self._match, seat=self._seat, epoch=self._epoch, accepted=body))

    def notice(self, kind: NoticeKind, message: str, *, termination: Termination | None = None) -> bytes:
        """Return a frame that needs no answer. `termination`: for SEAT_OUT, why."""
        return notice(self._match, self._seat, self._epoch, kind=kind, message=message, termination=termination)

    def over(
        self,
        sequence: int,
        events: Iterable[Told],
        result: Result,
        *,
        rated: bool,
        record_hash: str,
        seed: str,
        clock: Clock,
    ) -> bytes:
        """Return the frame that ends the match for the seat. `seed`: in hex, empty while it is still secret."""
        return over(
            self._match,
            self._seat,
            self._epoch,
            sequence,
            events,
            result,
            rated=rated,
            record_hash=record_hash,
            seed=seed,
            clock=clock,
        )
