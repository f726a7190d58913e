"""A comparison and its sequential test, told in the words and the order that users of cutechess and fastchess know.

With more than two seats the same words are used where they fit: wins, losses and draws count comparisons with the other
bots at the table, and the block's scores stand where the pair's five stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agon_ladder.stats.block_scores import Comparison
from agon_ladder.stats.sprt import EloModel, Sprt, Verdict

_PAIR = 2
ELO_NAMES = {EloModel.NORMALIZED: "nElo", EloModel.LOGISTIC: "Elo"}


def comparison_lines(comparison: Comparison, test: Sprt | None, about: str) -> list[str]:
    """Return the lines of a comparison, and of its test where there is one. `about` says what was played.

    >>> comparison_lines(Comparison(["new", "old"], 2), None, "go, 2 seats")
    ['Results of new vs old (go, 2 seats):', 'no block is complete yet']
    """
    lines = [f"Results of {comparison.first} vs {', '.join(comparison.others)} ({about}):"]
    estimate = comparison.estimate()
    if estimate is None:
        return [*lines, "no block is complete yet"]

    is_pair = comparison.seats == _PAIR
    games = f"Games: {comparison.matches}"
    if not is_pair:
        games += f", Blocks: {comparison.blocks}, Comparisons: {comparison.compared * comparison.blocks}"
    scores = f"[{', '.join(map(str, comparison.counts))}]"
    lines += [
        f"Elo: {_with_error(estimate.elo, estimate.elo_error)}, "
        f"nElo: {_with_error(estimate.nelo, estimate.nelo_error)}",
        f"LOS: {_percent(estimate.los)}, DrawRatio: {_percent(estimate.draw_ratio)}, "
        f"{'PairsRatio' if is_pair else 'BlocksRatio'}: {_number(estimate.block_ratio)}",
        f"{games}, Wins: {comparison.wins}, Losses: {comparison.losses}, Draws: {comparison.draws}, "
        f"Points: {comparison.points:.1f} ({_percent(estimate.score)})",
    ]
    if is_pair:
        halves = comparison.counts[2]
        ratio = (halves - comparison.all_drawn) / comparison.all_drawn if comparison.all_drawn else None
        lines.append(f"Ptnml(0-2): {scores}, WL/DD Ratio: {_number(ratio)}")
    else:
        lines.append(f"Blocks(0-{comparison.compared}): {scores}")
    if any("?" in line for line in lines[1:]):
        lines.append("?: no finite number follows, as of a ratio to none, or of blocks that all ended alike")
    if test is not None:
        lines += _test_lines(comparison, test)
    return lines


def llr_text(comparison: Comparison, test: Sprt) -> str:
    """Return the ratio with its bounds and hypotheses, such as `LLR: 1.20 (-2.94, 2.94) [0.00, 10.00]`."""
    llr = test.llr(comparison.counts, comparison.places)
    return f"LLR: {llr:.2f} ({test.lower:.2f}, {test.upper:.2f}) [{test.elo0:.2f}, {test.elo1:.2f}]"


def _test_lines(comparison: Comparison, test: Sprt) -> list[str]:
    verdict = test.verdict(test.llr(comparison.counts, comparison.places))
    unit = ELO_NAMES[test.model]
    told = {
        Verdict.H1: f"H1 was accepted ({test.elo1:g} {unit})",
        Verdict.H0: f"H0 was accepted ({test.elo0:g} {unit})",
        Verdict.OPEN: "neither was accepted",
    }
    return [llr_text(comparison, test), f"SPRT: {told[verdict]}"]


def comparison_json(comparison: Comparison, test: Sprt | None) -> Mapping[str, Any]:
    """Return a comparison as values of JSON; what nothing finite can be said of is null."""
    estimate = comparison.estimate()
    told: dict[str, Any] = {
        "first": comparison.first,
        "others": list(comparison.others),
        "seats": comparison.seats,
        "block_size": comparison.places,
        "blocks": comparison.blocks,
        "matches": comparison.matches,
        "wins": comparison.wins,
        "losses": comparison.losses,
        "draws": comparison.draws,
        "block_half_points": list(comparison.counts),
    }
    if estimate is not None:
        told |= {name: getattr(estimate, name) for name in estimate.__dataclass_fields__}
    if test is not None:
        llr = test.llr(comparison.counts, comparison.places)
        told["sprt"] = {
            "model": str(test.model),
            "elo0": test.elo0,
            "elo1": test.elo1,
            "alpha": test.alpha,
            "beta": test.beta,
            "llr": llr,
            "lower": test.lower,
            "upper": test.upper,
            "verdict": str(test.verdict(llr)),
        }
    return told


def _with_error(value: float | None, error: float | None) -> str:
    return f"{_number(value)} +/- {_number(error)}"


def _number(value: float | None) -> str:
    return "?" if value is None else f"{value:.2f}"


def _percent(value: float | None) -> str:
    return "?" if value is None else f"{100 * value:.2f} %"
