"""What only clients need: messages from a server, decoded to frames. The views in them are `views.ViewDecoder`'s."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import TypeVar

from google.protobuf.message import DecodeError

from agon.codec.enums import DEALS, ON_FAULTS, TERMINATIONS
from agon.codec.errors import CodecError
from agon.codec.frames import (
    Accepted,
    Clock,
    Decide,
    Down,
    DownBody,
    Notice,
    NoticeKind,
    Offer,
    Over,
    Ping,
    Refused,
    RefusedCode,
    Rejected,
    RejectedCode,
    Start,
    ToldEvent,
    Welcome,
    WelcomeGame,
    WireView,
)
from agon.v1 import match_pb2, play_pb2 as pb
from agon_engine.core.game import Maker
from agon_engine.core.policy import FaultPolicy
from agon_engine.core.timing import TimeControl

E = TypeVar("E", bound=IntEnum)
_MAKERS: dict[int, Maker] = {maker.value: maker for maker in Maker}


def decode_down(message: bytes) -> list[Down]:
    """Return the frames of a PlayResponse, in order, without those of a kind that this side does not know.

    Raise CodecError for bytes that are no PlayResponse, or a frame in it that cannot be.
    """
    try:
        frames = pb.PlayResponse.FromString(message).frames
    except (DecodeError, UnicodeDecodeError):  # the latter from protobuf without its C part
        raise CodecError(f"these {len(message)} bytes are no PlayResponse") from None

    downs: list[Down] = []
    for frame in frames:
        kind = frame.WhichOneof("body")
        if kind is None:
            continue
        try:
            body = _BODIES[kind](frame)
        except (ValueError, LookupError) as error:
            raise CodecError(f"no frame of this protocol: {kind}: {error!r}") from None

        downs.append(Down(frame.match, frame.seat, frame.epoch, body))
    return downs


def _known(enum: type[E], number: int) -> E | int:
    """Return the member with that number, or the number where a newer server says something new."""
    try:
        return enum(number)
    except ValueError:
        return number


def _welcome(frame: pb.DownFrame) -> Welcome:
    welcome = frame.welcome
    games = tuple(WelcomeGame(game.name, game.version) for game in welcome.games)
    return Welcome(
        welcome.bot, games, welcome.slots, welcome.ping_interval_us, tuple(welcome.lobbies), welcome.protocol
    )


def _refused(frame: pb.DownFrame) -> Refused:
    refused = frame.refused
    return Refused(_known(RefusedCode, refused.code), refused.message, refused.needed, refused.retry_delay_us)


def _offer(frame: pb.DownFrame) -> Offer:
    offer = frame.offer
    return Offer(offer.ticket, offer.game, offer.seats, offer.address)


def _start(frame: pb.DownFrame) -> Start:
    start = frame.start
    time, policy = start.time, start.policy
    return Start(
        game=start.game,
        version=start.version,
        options=dict(start.options),
        aliases=tuple(start.aliases),
        time=TimeControl(
            connect=time.connect_us,
            ready=time.ready_us,
            move=time.move_us,
            bank=time.bank_us,
            increment=time.increment_us,
            grace=time.grace_us,
        ),
        policy=FaultPolicy(ON_FAULTS[policy.on_fault], policy.attempts, policy.strikes),
        seed_commitment=start.seed_commitment,
        deals=DEALS[start.deals],
        rated=start.rated,
    )


def _decide(frame: pb.DownFrame) -> Decide:
    decide = frame.decide
    view = decide.view
    game = view.WhichOneof("game")
    if game is None:
        raise ValueError("the view is of no game that is known here")

    return Decide(
        sequence=decide.sequence,
        decision=decide.decision,
        prompt=decide.prompt,
        events=_events(decide.events),
        view=WireView(game, getattr(view, game).SerializeToString()),
        full=decide.full,
        actions=tuple(decide.actions[:]),
        clock=_clock(decide.clock),
    )


def _rejected(frame: pb.DownFrame) -> Rejected:
    rejected = frame.rejected
    return Rejected(
        code=_known(RejectedCode, rejected.code),
        message=rejected.message,
        frame=rejected.frame,
        decision=rejected.decision,
        open_decision=rejected.open_decision,
        attempts_left=rejected.attempts_left,
        retry_delay_us=rejected.retry_delay_us,
    )


def _accepted(frame: pb.DownFrame) -> Accepted:
    return Accepted(frame.accepted.decision, frame.accepted.index)


def _over(frame: pb.DownFrame) -> Over:
    over = frame.over
    return Over(
        sequence=over.sequence,
        events=_events(over.events),
        termination=TERMINATIONS[over.termination],
        placements=tuple(over.placements),
        scores=tuple(over.scores),
        seats=tuple(TERMINATIONS[why] for why in over.seats),
        rated=over.rated,
        record_hash=over.record_hash,
        seed=over.seed,
        clock=_clock(over.clock),
    )


def _notice(frame: pb.DownFrame) -> Notice:
    notice = frame.notice
    why = TERMINATIONS[notice.termination] if notice.termination else None
    return Notice(_known(NoticeKind, notice.kind), notice.message, tuple(notice.lobbies), why)


def _ping(frame: pb.DownFrame) -> Ping:
    return Ping(frame.ping.id)


def _events(events: Iterable[match_pb2.Event]) -> tuple[ToldEvent, ...]:
    return tuple(
        [
            ToldEvent(event.code, event.seat if event.HasField("seat") else None, _MAKERS[event.maker])
            for event in events
        ]
    )


def _clock(clock: pb.ClockAccount) -> Clock:
    return Clock(
        clock.allowed_us,
        clock.bank_us,
        clock.strikes,
        clock.last_charge_us,
        clock.last_elapsed_us,
        clock.last_host_us,
        clock.last_late,
        clock.latency_us,
    )


_BODIES: dict[str, Callable[[pb.DownFrame], DownBody]] = {
    "welcome": _welcome,
    "refused": _refused,
    "offer": _offer,
    "start": _start,
    "decide": _decide,
    "rejected": _rejected,
    "accepted": _accepted,
    "over": _over,
    "notice": _notice,
    "ping": _ping,
}
