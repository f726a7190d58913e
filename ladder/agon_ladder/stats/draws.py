"""What resampling draws from."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np


def generator(seed: str) -> np.random.Generator:
    """Return a generator whose draws follow from the seed alone: counter-based, under a key made of it (J. Salmon et
    al., *Parallel Random Numbers: As Easy as 1, 2, 3*, 2011)."""
    key = int.from_bytes(blake2b(seed.encode(), digest_size=16).digest(), "little")
    return np.random.Generator(np.random.Philox(key=key))
