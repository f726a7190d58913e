"""The store that all processes share: Redis or Valkey, by address or embedded in the data folder."""
