"""How what was measured is told: tables for people, JSON for machines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.balance.effects import BAND, MISSES, Band, Estimate
from tests.balance.playing import Lineup, Plan
from tests.balance.summary import Counts, GroupFigures, ItemFigures, Summary

from agon_server.cli.output import Output

DIGITS = 3
UNKNOWN = "-"
ENOUGH = 2_000
"""How many matches are enough to judge the house items of a game."""
_COUNTED = ("offered#?", "taken#", "used#", "transferred#?")


def tell(out: Output, plan: Plan, summary: Summary) -> None:
    """Print all tables of one seat count, the flagged items last."""
    title = f"{told_plan(plan)}, {summary.seats} seats, {summary.matches:,} matches"
    _table(
        out,
        ("item", "peers?", *_COUNTED, "points with#", "without#", "place with#", "without#", "effect#", "flag"),
        [_item_row(figures) for figures in summary.items],
        title,
    )
    out.line()
    _table(
        out,
        ("group", *_COUNTED, "effect#"),
        [_group_row(figures) for figures in (*summary.groups, *summary.peers)],
        f"{title}: groups (over their peers), and peers (over everything)",
    )
    out.line()
    _table(
        out,
        ("first turn", "points ahead#", "placement#"),
        [(f"disc {figures.start}", _told(figures.lead), _told(figures.placement)) for figures in summary.starts],
        f"{title}: the order of the first turn, greedy seats",
    )
    out.line()
    kinds = list(dict.fromkeys((figures.lineup, figures.player) for figures in summary.facts))
    names = list(dict.fromkeys(figures.name for figures in summary.facts))
    means = {(figures.name, figures.lineup, figures.player): figures.mean for figures in summary.facts}
    _table(
        out,
        ("at the end", *(_kind(lineup, player) for lineup, player in kinds)),
        [(name, *(_told(means[name, lineup, player]) for lineup, player in kinds)) for name in names],
        f"{title}: means of a seat",
    )
    out.line()
    for line in flag_lines(summary):
        out.line(line)


def told_plan(plan: Plan) -> str:
    """Return the game and its options in words: `elysium, families random, cards house`; a file by its hash.

    A plan of `Playing`, which has all options.
    """
    return ", ".join((plan.game, *(f"{name} {value}" for name, value in plan.options)))


def _table(out: Output, columns: Sequence[str], rows: Sequence[Sequence[object]], title: str) -> None:
    """Print a table with its title, which `Output.table` shows on terminals only."""
    if not out.is_terminal:
        out.line(title)
    out.table(columns, rows, title)


def _kind(lineup: str, player: str) -> str:
    return f"{player}, mixed#" if lineup == Lineup.MIXED else f"{player}#"


def _item_row(figures: ItemFigures) -> tuple[object, ...]:
    compared = figures.compared
    return (
        figures.item.name,
        figures.item.peers,
        *_counted(figures.counts),
        _told(compared.points_with),
        _told(compared.points_without),
        _told(compared.placement_with),
        _told(compared.placement_without),
        _signed(figures.effect),
        figures.verdict,
    )


def _group_row(figures: GroupFigures) -> tuple[object, ...]:
    return figures.name, *_counted(figures.counts), _signed(figures.effect)


def _counted(counts: Counts) -> tuple[int, int, int, int]:
    return counts.offered, counts.taken, counts.used, counts.transferred


def _told(estimate: Estimate | None) -> str:
    return UNKNOWN if estimate is None else f"{estimate.value:.2f} ±{estimate.plus_minus:.2f}"


def _signed(estimate: Estimate | None) -> str:
    return UNKNOWN if estimate is None else f"{estimate.value:+.2f} ±{estimate.plus_minus:.2f}"


def flag_lines(summary: Summary) -> Iterator[str]:
    """Yield what was found outside its band, how many were judged, and what chance alone does."""
    flagged, judged, items = summary.flagged, len(summary.judged), len(summary.items)
    seats = f"{summary.seats} seats"
    if judged < items:
        more = max(ENOUGH, 2 * summary.matches)
        yield f"{seats}: too few matches to say: {items - judged} of {items} items; try --matches {more}"
    if not judged:
        return

    rule = f"their median ± {BAND:g} points"
    end = ":" if flagged else ""
    yield f"{seats}: {len(flagged)} of {judged} items outside the band of their peers, {rule}{end}"
    for figures in flagged:
        assert figures.effect is not None
        band = summary.bands[figures.item.peers]
        yield (
            f"  {figures.verdict:<6} {figures.item.name:<30} {_signed(figures.effect)} points over the mean of "
            f"{figures.item.peers}, band {band.low:+.2f} to {band.high:+.2f}, drawn {figures.counts.drawn} times"
        )
    missed = judged * MISSES
    yield (
        f"{seats}: of {judged} intervals at 95 %, about {missed:.0f} miss the truth by chance; "
        "measure again with another --seed"
    )


# -- JSON ----------------------------------------------------------------------------------------------------------


def write(path: Path, measured: Sequence[tuple[Plan, Summary]]) -> None:
    """Write all figures as JSON, by seat count."""
    path.parent.mkdir(parents=True, exist_ok=True)
    value = {"runs": [{**_plan(plan), **_summary(summary)} for plan, summary in measured]}
    draft = path.with_name(path.name + ".part")  # whoever ends it meanwhile finds the old file, whole
    draft.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
    draft.replace(path)


def _plan(plan: Plan) -> dict[str, Any]:
    return {
        "game": plan.game,
        "seats": plan.seats,
        "seed": plan.seed,
        "options": dict(plan.options),
    }


def _summary(summary: Summary) -> dict[str, Any]:
    return {
        "matches": summary.matches,
        "bands": {name: _band(band) for name, band in summary.bands.items()},
        "flagged": [figures.item.name for figures in summary.flagged],
        "items": [_item(figures) for figures in summary.items],
        "groups": [_group(figures) for figures in summary.groups],
        "peers": [_group(figures) for figures in summary.peers],
        "first_turn": [
            {"start": figures.start, "lead": _estimate(figures.lead), "placement": _estimate(figures.placement)}
            for figures in summary.starts
        ],
        "facts": [
            {
                "name": figures.name,
                "lineup": str(figures.lineup),
                "player": str(figures.player),
                "mean": _estimate(figures.mean),
            }
            for figures in summary.facts
        ],
    }


def _item(figures: ItemFigures) -> dict[str, Any]:
    compared = figures.compared
    return {
        "name": figures.item.name,
        "group": figures.item.group,
        "peers": figures.item.peers,
        **_counts(figures.counts),
        "points_with": _estimate(compared.points_with),
        "points_without": _estimate(compared.points_without),
        "placement_with": _estimate(compared.placement_with),
        "placement_without": _estimate(compared.placement_without),
        "effect": _estimate(figures.effect),
        "verdict": figures.verdict,
    }


def _group(figures: GroupFigures) -> dict[str, Any]:
    return {"name": figures.name, **_counts(figures.counts), "effect": _estimate(figures.effect)}


def _counts(counts: Counts) -> dict[str, int]:
    return {
        "offered": counts.offered,
        "taken": counts.taken,
        "used": counts.used,
        "transferred": counts.transferred,
        "drawn": counts.drawn,
    }


def _estimate(estimate: Estimate | None) -> dict[str, float] | None:
    if estimate is None:
        return None
    return {name: round(getattr(estimate, name), DIGITS) for name in ("value", "low", "high")}


def _band(band: Band) -> dict[str, float]:
    return {"low": round(band.low, DIGITS), "high": round(band.high, DIGITS)}
