"""What is done with bots: register, renew, list, suspend, trust, and read the private log."""

from __future__ import annotations

from collections import defaultdict

from agon.codec import admin, ladder
from agon_server.operations.errors import ExistsError, InvalidError, NotFoundError
from agon_server.operations.installation import Installation
from agon_server.operations.times import rfc3339
from agon_server.presence import Present

LOG_LINES = 1_000
MAX_LOG_LINES = 10_000
MAX_REASON = 200


async def register_bot(installation: Installation, request: admin.RegisterBotRequest) -> admin.RegisterBotResponse:
    """Register a bot, or give a registered one a new token."""
    known = await installation.accounts.get(request.name)
    if request.renew:
        if known is None:
            raise NotFoundError(f"no bot is called {request.name!r}")
        if request.owner or request.trusted:
            raise InvalidError("a renewal changes the token alone; leave owner and trusted out")
        return admin.RegisterBotResponse(request.name, await installation.accounts.renew(request.name))

    if known is not None:
        raise ExistsError(f"a bot of this name is registered; --renew gives it a new token: {request.name!r}")
    token = await installation.accounts.register(request.name, request.owner or None, trusted=request.trusted)
    return admin.RegisterBotResponse(request.name, token)


async def suspend_bot(installation: Installation, request: admin.SuspendBotRequest) -> admin.SuspendBotResponse:
    """Keep a bot from new matches."""
    reason = request.reason.strip()
    if not reason or len(reason) > MAX_REASON or not reason.isprintable():
        raise InvalidError(f"a reason is printable text of 1 to {MAX_REASON} characters, not {request.reason!r}")

    await _known(installation, request.name)
    await installation.accounts.suspend(request.name, reason)
    return admin.SuspendBotResponse()


async def resume_bot(installation: Installation, request: admin.ResumeBotRequest) -> admin.ResumeBotResponse:
    """Let a suspended bot play again."""
    await _known(installation, request.name)
    await installation.accounts.resume(request.name)
    return admin.ResumeBotResponse()


async def trust_bot(installation: Installation, request: admin.TrustBotRequest) -> admin.TrustBotResponse:
    """Say whether a bot may play shared deals."""
    await _known(installation, request.name)
    await installation.accounts.set_trusted(request.name, trusted=request.trusted)
    return admin.TrustBotResponse()


async def read_bot_log(installation: Installation, request: admin.ReadBotLogRequest) -> admin.ReadBotLogResponse:
    """Return the end of a bot's private log."""
    if request.count > MAX_LOG_LINES:
        raise InvalidError(f"count is at most {MAX_LOG_LINES}, not {request.count!r}")

    bot = await installation.accounts.get(request.name)
    if bot is None:
        raise NotFoundError(f"no bot is called {request.name!r}")
    notes = await installation.accounts.read_notes(request.name, request.count or LOG_LINES)
    return admin.ReadBotLogResponse(tuple(notes.lines), notes.truncated, bot.suspended or "")


async def list_bots(installation: Installation, _: ladder.ListBotsRequest) -> ladder.ListBotsResponse:
    """List all registered bots, with what their connected processes play."""
    present: dict[str, list[Present]] = defaultdict(list)
    for process in await installation.presence.online():
        present[process.bot].append(process)
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
                bot_version=processes[-1].bot_version if processes else "",
                games=tuple(sorted({game.name for process in processes for game in process.games})),
            )
        )
    return ladder.ListBotsResponse(tuple(bots))


async def _known(installation: Installation, name: str) -> None:
    if await installation.accounts.get(name) is None:
        raise NotFoundError(f"no bot is called {name!r}")
