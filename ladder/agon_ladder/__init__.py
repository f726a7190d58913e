"""Ratings, statistics, pairing and standings as pure functions of results: no network, no store, no clock.

The server folds its results stream with `fold`, asks `pairing` what to play next and shows `standings`.
"""
