"""What the seats of a match are called to each other, so that a bot cannot know whom it plays."""

from __future__ import annotations

from hashlib import blake2b

NAMES = (
    "Argos", "Athens", "Chios", "Corinth", "Delos", "Delphi", "Elis", "Ephesus", "Ithaca", "Kos", "Lesbos", "Megara",
    "Miletus", "Mycenae", "Naxos", "Olympia", "Paros", "Pylos", "Rhodes", "Samos", "Sparta", "Thebes", "Tiryns", "Troy",
)  # fmt: skip


def aliases_for(match: str, seats: int) -> list[str]:
    """Return a different name for each seat, the same for a match on every server and unrelated to its bots."""
    names = list(NAMES)
    digest = int.from_bytes(blake2b(match.encode(), digest_size=16, person=b"agon alias").digest(), "little")
    chosen = []
    for _ in range(seats):
        digest, index = divmod(digest, len(names))
        chosen.append(names.pop(index))
    return chosen
