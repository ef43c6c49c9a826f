"""The estimator: RankBoost."""
