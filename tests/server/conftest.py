"""All tests of the server can have a real store."""

from tests.support.valkey import store, valkey_url

__all__ = ["store", "valkey_url"]
