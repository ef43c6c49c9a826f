"""Scorers, refit rules and fold comparison."""
