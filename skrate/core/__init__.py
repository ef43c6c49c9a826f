"""Validation, the rank table, rate distributions and result types."""
