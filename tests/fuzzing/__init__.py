"""The differential fuzz test: calls drawn at random, outcomes from the oracles."""
