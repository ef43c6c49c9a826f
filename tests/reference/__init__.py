"""Oracles: they may not import skrate, nor sort or accumulate as it does."""
