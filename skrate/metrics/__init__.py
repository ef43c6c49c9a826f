"""Metrics: from a rank table to a number."""
