"""Agon."""
