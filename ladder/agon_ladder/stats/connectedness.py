"""Whether results compare bots with each other at all: who met whom, and who is reached from whom by wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Links = Mapping[int, Iterable[int]]


def components(size: int, links: Links) -> list[list[int]]:
    """Return the sets of numbers below `size` that reach each other along the links, both ways; each set and the list
    in ascending order.

    R. Tarjan, *Depth-first search and linear graph algorithms* (1972), without recursion.
    """
    order: dict[int, int] = {}
    lowest: dict[int, int] = {}
    open_: list[int] = []
    is_open = [False] * size
    found = []
    for root in range(size):
        if root in order:
            continue
        path = [(root, iter(links.get(root, ())))]
        order[root] = lowest[root] = len(order)
        open_.append(root)
        is_open[root] = True
        while path:
            number, following = path[-1]
            for reached in following:
                if reached not in order:
                    order[reached] = lowest[reached] = len(order)
                    open_.append(reached)
                    is_open[reached] = True
                    path.append((reached, iter(links.get(reached, ()))))
                    break
                if is_open[reached]:
                    lowest[number] = min(lowest[number], order[reached])
            else:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[number])
                if lowest[number] == order[number]:
                    members = [open_.pop()]
                    while members[-1] != number:
                        members.append(open_.pop())
                    for one in members:
                        is_open[one] = False
                    found.append(sorted(members))
    return sorted(found)
