"""A tournament's file: what it gives, what it leaves out, and what the documentation says of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.support.tournament_files import WHOLE
from tests.support.toy_files import GAME

from agon_engine.core import Deals
from agon_engine.core.policy import FaultPolicy, OnFault
from agon_engine.core.timing import TimeControl
from agon_ladder.pairing.blocks import Rotations
from agon_ladder.pairing.schedules.gauntlet import Gauntlet
from agon_ladder.pairing.schedules.knockout import Knockout
from agon_ladder.pairing.schedules.round_robin import RoundRobin
from agon_ladder.pairing.schedules.swiss import Swiss
from agon_server.tournaments.definition import (
    FORMATS,
    BotDef,
    FormatDef,
    GauntletDef,
    KnockoutDef,
    RoundRobinDef,
    Runs,
    Seeding,
    SwissDef,
    TournamentDef,
)
from agon_server.tournaments.reading import TournamentFileError, read_tournament


def test_a_whole_file_gives_the_tournament_it_describes(folder: Path) -> None:
    path = folder / "whole.toml"
    path.write_text(WHOLE)

    made = read_tournament(path)

    assert ("spring", "toy", GAME.spec.version, 3, "s") == (made.name, made.game, made.version, made.seats, made.seed)
    assert (made.deals, made.rotations, made.places, made.concurrency) == (Deals.SHARED, Rotations.ALL, 6, 4)
    assert RoundRobinDef(cycles=2) == made.format
    assert made.files == {"label": "a label"}
    assert {"hand": 1, "wards": True, "label": GAME.with_file("label", "a label").files["label"].hash} == made.options
    assert TimeControl(move=500_000, bank=10_000_000) == made.time
    assert FaultPolicy(OnFault.FORFEIT, strikes=5) == made.policy
    assert (
        BotDef(name="mine", bot="mine.py:MyBot"),
        BotDef(name="house", bot="random"),
        BotDef(name="module", bot="some.bots:Good"),
        BotDef(name="program", command=("./program", "--fast")),
        BotDef(name="python", command=("sh", "-c", "true")),
        BotDef(name="far", connected="alice", trusted=True),
    ) == made.bots
    assert [bot.runs for bot in made.bots] == [Runs.BOT] * 3 + [Runs.COMMAND] * 2 + [Runs.CONNECTED]
    assert made.bots[5] == made.bot("far")
    assert made.bot("mine").loaded == f"{folder.resolve()}/mine.py:MyBot"
    assert made.bot("program").started == (f"{folder.resolve()}/program", "--fast")
    assert made.bot("python").started == ("sh", "-c", "true")
    assert made.schedule().planned_blocks == 2 * 20


def test_what_a_file_leaves_out_has_the_defaults_of_ladders(folder: Path) -> None:
    path = folder / "short.toml"
    path.write_text(
        'name = "a"\ngame = "toy"\nseats = 2\nseed = 7\nformat.kind = "round-robin"\n'
        'bots = [{ name = "a", bot = "random" }, { name = "b", bot = "greedy" }]'
    )

    made = read_tournament(path)

    assert (*(made.deals, made.rotations, made.places, made.concurrency, made.seed),) == (
        Deals.FRESH,
        Rotations.CYCLIC,
        2,
        None,
        "7",
    )
    assert (TimeControl(), FaultPolicy.default(2), {}) == (made.time, made.policy, made.files)


@pytest.mark.parametrize(
    ("text", "expected", "schedule"),
    [
        ('kind = "round-robin"\nblocks_per_bot = 3', RoundRobinDef(blocks_per_bot=3), RoundRobin),
        (
            'kind = "gauntlet"\nchallengers = ["mine", "far"]',
            GauntletDef(challengers=("mine", "far")),
            Gauntlet,
        ),
        (
            'kind = "swiss"\nrounds = 5\nbye = 0.5\nseeding = "random"',
            SwissDef(rounds=5, bye=0.5, seeding=Seeding.RANDOM),
            Swiss,
        ),
        (
            'kind = "knockout"\nblocks = 3\nextra_blocks = 0\nadvance = 1\nseeding = "file"',
            KnockoutDef(blocks=3, extra_blocks=0),
            Knockout,
        ),
    ],
)
def test_each_format_has_its_settings(folder: Path, text: str, expected: FormatDef, schedule: type) -> None:
    path = folder / "format.toml"
    path.write_text(WHOLE.replace('kind = "round-robin"\ncycles = 2', text))

    made = read_tournament(path)

    assert expected == made.format
    assert isinstance(made.schedule(), schedule)
    assert made.to_json() == TournamentDef.from_json(json.loads(json.dumps(made.to_json()))).to_json()
    assert sorted(bot.name for bot in made.bots) == sorted(made.schedule().bots)


def test_seeds_are_in_the_order_of_the_file_or_drawn(folder: Path) -> None:
    path = folder / "seeds.toml"
    orders = {}
    for seeding in Seeding:
        knockout = f'kind = "knockout"\nseeding = "{seeding}"'
        path.write_text(WHOLE.replace('kind = "round-robin"\ncycles = 2', knockout))
        orders[seeding] = read_tournament(path).schedule().bots

    assert orders[Seeding.FILE] == ("mine", "house", "module", "program", "python", "far")
    assert orders[Seeding.FILE] != orders[Seeding.RANDOM]
    assert sorted(orders[Seeding.FILE]) == sorted(orders[Seeding.RANDOM])


def test_two_files_that_give_the_same_results_are_the_same(folder: Path) -> None:
    """How many matches run at a time changes no result; all else may."""
    path = folder / "same.toml"
    path.write_text(WHOLE)
    one = read_tournament(path)
    path.write_text("# another\n" + WHOLE.replace("concurrency = 4\n", ""))
    same = read_tournament(path)
    others = []
    for changed in (("seed = ", "seed = 'x' #"), ("cycles = 2", "cycles = 3"), ("bank = 10", "bank = 11")):
        path.write_text(WHOLE.replace(*changed))
        others.append(read_tournament(path).to_json())

    assert one.to_json() == same.to_json()
    assert one.to_json() not in others
    assert "seed='s'" not in repr(one)


@pytest.mark.parametrize("named", ["./mine.py", "sub/../mine.py", "{folder}/mine.py"])
def test_a_bots_file_is_known_by_where_it_lies_however_it_is_named(folder: Path, named: str) -> None:
    path = folder / "named.toml"
    path.write_text(WHOLE.replace('"mine.py:', f'"{named.format(folder=folder.resolve())}:'))

    assert read_tournament(path).bot("mine").bot == "mine.py:MyBot"


def test_what_was_played_is_read_without_its_bots(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_text(" a   label\n")
    paths = [folder / "moved.toml", tmp_path / "moved.toml"]
    for path in paths:
        path.write_text(WHOLE)

    with pytest.raises(TournamentFileError, match="no such file"):
        read_tournament(paths[1])
    assert read_tournament(paths[0]).to_json() == read_tournament(paths[1], needs_bots=False).to_json()


def test_the_file_that_the_documentation_shows_is_one(folder: Path) -> None:
    document = (Path(__file__).parents[3] / "server" / "TOURNAMENTS.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```toml\n(.*?)```", document, re.DOTALL)
    path = folder / "shown.toml"
    path.write_text(shown.replace('"GAME"', '"toy"'))

    made = read_tournament(path)

    assert (TimeControl(), FaultPolicy.default(3)) == (made.time, made.policy)
    assert (made.deals, made.rotations, made.concurrency) == (Deals.FRESH, Rotations.CYCLIC, 4)
    assert list(Runs) == [bot.runs for bot in made.bots]


def test_the_documentation_names_every_key_of_every_format() -> None:
    document = (Path(__file__).parents[3] / "server" / "TOURNAMENTS.md").read_text(encoding="utf-8")

    assert [kind for kind in FORMATS if f"**{kind}**" not in document] == []
    keys = {key for kind in FORMATS.values() for key in kind.__dataclass_fields__}
    assert [key for key in keys if f"`{key}" not in document] == []
