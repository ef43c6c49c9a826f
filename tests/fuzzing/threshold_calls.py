"""Calls of RateThresholdClassifier: its threshold by the oracle that counts orders."""

from fractions import Fraction
from typing import Any

import numpy as np

import skrate
from fuzzing.calls import Call, holds, quietly
from reference.batch_law import above, best_place, kept_above
from scores_as_they_are import column, fitted
from skrate import rates


def rate_threshold(rng: np.random.Generator) -> Call:
    """Draw a threshold on scores full of ties, or none, and batches that it marks."""
    n, m = int(rng.integers(1, 25)), int(rng.integers(1, 15))
    pooled = rng.normal(size=n + m)
    if rng.random() < 0.6:
        pooled = np.round(pooled, int(rng.integers(0, 2)))
    if rng.random() < 0.3:
        pooled = pooled.astype(np.float32)
    held_out, new = pooled[:n], pooled[n:]
    confidence = rng.choice([0.5, 0.8, 0.95, 0.99])
    seed = int(rng.integers(2**31))
    values = sorted({Fraction(int(c), m) for c in rng.integers(0, m + 1, 3)})
    options: dict[str, Any] = {"rate": rates.empirical([float(v) for v in values])}
    if rng.random() < 0.5 and values[-1] > 0:
        values = values[-1:]
        options = {"capacity": int(values[0] * m)}
    law = [(value, Fraction(1, len(values))) for value in values]
    # Probabilities such as 0.05 are no floats, and equal ones do not exceed them.
    risk = Fraction(1 - confidence).limit_denominator(1000)
    place = best_place(n, m, law, risk)

    def call(held_out: Any, new: Any) -> Any:
        model = skrate.RateThresholdClassifier(
            fitted(), **options, n_items=m, confidence=confidence, cv="prefit"
        )
        # That ties, or too few cases, leave capacity unused.
        quietly(model.fit, column(held_out))
        return (
            model.predict(column(new)),
            model.achieved_rate(column(new)),
            model.predict_batch(column(new), random_state=seed),
            model.predict_batch(column(new), random_state=seed),
        )

    def check(_: Any, found: Any) -> None:
        marked, achieved, batch, again = found
        cut = kept_above(held_out.tolist(), place)
        expected = [int(score > cut) for score in new.tolist()]
        holds(marked.tolist() == expected, f"{marked} is not {expected}")
        holds(achieved.n_marked == above(new.tolist(), cut), "another number")
        holds(0 < achieved.pvalue <= 1, f"p = {achieved.pvalue}")
        best = [c for c in range(m + 1) if _short(law, Fraction(c, m)) <= risk]
        holds(batch.n_marked == best[-1], f"{batch.n_marked} is not {best[-1]}")
        holds(batch.is_marked.sum() == best[-1], "another number is marked")
        left = np.sort(new[~batch.is_marked])[::-1]
        if 0 < best[-1] < m:
            holds(new[batch.is_marked].min() >= left[0], "not the top of the batch")
        holds((batch.labels == again.labels).all(), "a second draw with the seed")

    def arguments(_: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (held_out.copy(), new.copy()), {}

    return Call("RateThresholdClassifier.fit", call, arguments, check)


def _short(law: list[tuple[Fraction, Fraction]], share: Fraction) -> Fraction:
    return sum(p for rate, p in law if rate < share)
