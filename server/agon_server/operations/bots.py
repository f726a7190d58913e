"""What is done with bots: register, renew, list, suspend, retire, trust, and read the private log."""

from __future__ import annotations

from collections import defaultdict

from agon.codec import admin, ladder
from agon_server.accounts import Bot
from agon_server.ladders.resting import read_rests
from agon_server.operations.errors import ExistsError, InvalidError, NotFoundError
from agon_server.operations.installation import Installation
from agon_server.operations.reasons import check_actor, check_reason
from agon_server.operations.times import rfc3339
from agon_server.presence import Present
from agon_server.retirements import RetirementError

LOG_LINES = 1_000
MAX_LOG_LINES = 10_000


async def register_bot(installation: Installation, request: admin.RegisterBotRequest) -> admin.RegisterBotResponse:
    """Register a bot, or give a registered one a new token."""
    if request.renew:
        await _find(installation, request.name)
        if request.owner or request.trusted:
            raise InvalidError("a renewal changes the token alone; leave owner and trusted out")
        return admin.RegisterBotResponse(request.name, await installation.accounts.renew(request.name))

    if await installation.accounts.get(request.name) is not None:
        raise ExistsError(f"a bot of this name is registered; --renew gives it a new token: {request.name!r}")
    token = await installation.accounts.register(request.name, request.owner or None, trusted=request.trusted)
    return admin.RegisterBotResponse(request.name, token)


async def suspend_bot(installation: Installation, request: admin.SuspendBotRequest) -> admin.SuspendBotResponse:
    """Keep a bot from new matches."""
    reason = check_reason(request.reason)
    if not reason:
        raise InvalidError("a suspension needs a reason, which its owner is told")

    await _find(installation, request.name)
    await installation.accounts.suspend(request.name, reason)
    return admin.SuspendBotResponse()


async def resume_bot(installation: Installation, request: admin.ResumeBotRequest) -> admin.ResumeBotResponse:
    """Let a suspended bot play again."""
    await _find(installation, request.name)
    await installation.accounts.resume(request.name)
    return admin.ResumeBotResponse()


async def retire_bot(installation: Installation, request: admin.RetireBotRequest) -> admin.RetireBotResponse:
    """Keep a version of a bot, or the bot, from new matches for good."""
    reason = check_reason(request.reason)
    if not reason:
        raise InvalidError("a retirement needs a reason, which the bot's owner is told")

    actor = check_actor(request.actor, "a retirement says who makes it")
    await _find(installation, request.name)
    try:
        await installation.retirements.retire(request.name, request.version, actor=actor, reason=reason)
    except RetirementError as error:
        raise NotFoundError(str(error)) from None
    return admin.RetireBotResponse()


async def unretire_bot(installation: Installation, request: admin.UnretireBotRequest) -> admin.UnretireBotResponse:
    """Let a version of a bot, or the bot, play again."""
    await _find(installation, request.name)
    try:
        await installation.retirements.unretire(request.name, request.version)
    except RetirementError as error:
        raise NotFoundError(str(error)) from None
    return admin.UnretireBotResponse()


async def trust_bot(installation: Installation, request: admin.TrustBotRequest) -> admin.TrustBotResponse:
    """Say whether a bot may play shared deals."""
    await _find(installation, request.name)
    await installation.accounts.set_trusted(request.name, trusted=request.trusted)
    return admin.TrustBotResponse()


async def read_bot_log(installation: Installation, request: admin.ReadBotLogRequest) -> admin.ReadBotLogResponse:
    """Return the end of a bot's private log."""
    if request.count > MAX_LOG_LINES:
        raise InvalidError(f"count is at most {MAX_LOG_LINES}, not {request.count!r}")

    bot = await _find(installation, request.name)
    notes = await installation.accounts.read_notes(request.name, request.count or LOG_LINES)
    retired = [
        admin.Retirement(each.version, each.actor, each.reason, rfc3339(each.at))
        for each in await installation.retirements.of(request.name)
    ]
    return admin.ReadBotLogResponse(tuple(notes.lines), notes.truncated, bot.suspended or "", tuple(retired))


async def list_bots(installation: Installation, _: ladder.ListBotsRequest) -> ladder.ListBotsResponse:
    """List all registered bots, with what their connected processes play."""
    present: dict[str, list[Present]] = defaultdict(list)
    for process in await installation.presence.online():
        present[process.bot].append(process)
    rests = await read_rests(installation.store, await installation.store.now_ms())
    retired: dict[str, set[str | None]] = defaultdict(set)
    for each in await installation.retirements.list():
        retired[each.bot].add(each.version)
    bots = []
    for bot in await installation.accounts.list():
        processes = present[bot.name]
        bots.append(
            ladder.Bot(
                name=bot.name,
                owner=bot.owner,
                created=rfc3339(bot.created),
                house=bot.house,
                trusted=bot.trusted,
                suspended=bool(bot.suspended),
                processes=len(processes),
                slots=sum(process.slots for process in processes),
                bot_version=max(processes, key=_version_number).bot_version if processes else "",
                games=tuple(sorted({game.name for process in processes for game in process.games})),
                retired=None in retired[bot.name],
                retired_versions=tuple(sorted(version for version in retired[bot.name] if version is not None)),
                rests_until=rfc3339(rests[bot.name]) if bot.name in rests else "",
            )
        )
    return ladder.ListBotsResponse(tuple(bots))


def _version_number(present: Present) -> tuple[bool, int]:
    """Order what is connected: who takes matches, and of these the newest version, comes last."""
    return present.slots > 0 and not present.retired, present.version_number


async def _find(installation: Installation, name: str) -> Bot:
    bot = await installation.accounts.get(name)
    if bot is None:
        raise NotFoundError(f"no bot is called {name!r}")
    return bot
