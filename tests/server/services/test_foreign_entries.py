"""Operations go on when the results stream holds what is no result."""

from __future__ import annotations

from tests.support.ladder_store import Ladders, score

from agon.codec import ladder as calls
from agon_server.operations import matches
from agon_server.operations.installation import Installation
from agon_server.store import keys


async def test_matches_are_listed_and_found_past_a_foreign_entry(installation: Installation, arena: Ladders) -> None:
    """X15."""
    await arena.join("a", "b")
    made = [(await arena.end(score(1, 2), "a", "b")).match]
    await arena.store.command("XADD", keys.RESULTS, "*", "what", "ever")
    made.append((await arena.end(score(1, 2), "a", "b")).match)

    for _ in range(2):
        page = await matches.list_matches(installation, calls.ListMatchesRequest())
        assert [item.match for item in page.matches] == made[::-1]
        for match in made:
            assert (await matches.get_match(installation, calls.GetMatchRequest(match))).match.match == match
        # The second time from the archive.
        await installation.archive.drain()
