"""The one error of the codec: what came over the wire, or should go over it, does not fit the contract."""

from __future__ import annotations


class CodecError(ValueError):
    """Bytes that are no message of the contract, or a value that the contract cannot carry.

    Nothing else escapes from decoding, whatever the bytes are.
    """
