"""Cases: checked, ranked, as tables of groups of ties, and in folds."""
