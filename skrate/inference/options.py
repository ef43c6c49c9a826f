"""The options of inference: how uncertainty is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.exceptions import UndefinedMetricWarning

from skrate.data.arrays import Array, FloatArray, RandomState
from skrate.data.checks import (
    Check,
    check_count,
    check_flag,
    check_fraction,
    check_generator,
    check_n_jobs,
    or_none,
    warn,
)
from skrate.inference.rankings import Ranked
from skrate.metrics.hypothesis_tests import (
    ALTERNATIVES,
    NEGLIGIBLE,
    Alternative,
    ConfidenceInterval,
    Null,
    null_hypotheses,
    one_sided,
    two_sided_level,
)

Interval = Literal["wilson", "wald", "percentile"]
INTERVALS: tuple[Interval, ...] = get_args(Interval)
# The arguments of a plan, with their checks.
ARGUMENTS: dict[str, Check] = {
    "confidence_level": check_fraction,
    "alternative": ALTERNATIVES,
    "n_resamples": check_count,
    "stratify": or_none(check_flag),
    "n_jobs": check_n_jobs,
}


@dataclass(eq=False)
class Plan:
    """The checked arguments that define how uncertainty is computed.

    ``level`` is the level of the two-sided interval that contains the requested ends.
    If ``is_prevalence_given``, weights give the classes of a ``stratify``-ed sample
    known totals, which may also be divided among clusters.
    """

    method: str = "delta"
    confidence_level: float = 0.95
    interval: Interval = "wald"
    n_resamples: int = 1
    stratify: bool | None = None
    random_state: RandomState = None
    n_jobs: int | None = None
    alternative: Alternative = "two-sided"
    margin: float | None = None
    is_prevalence_given: bool = False

    @classmethod
    def of(cls, arguments: Mapping[str, Any], **others: Any) -> Plan:
        """Return the plan of the checked arguments that are fields."""
        names = cls.__dataclass_fields__.keys() & arguments.keys()
        return cls(**{name: arguments[name] for name in names} | others)

    def __post_init__(self) -> None:
        has_resamples = self.method in ("bootstrap", "parametric")
        if self.interval == "percentile" and not has_resamples:
            raise ValueError(
                f"interval={self.interval!r} needs replicates: use method='bootstrap', "
                f"got method={self.method!r}."
            )
        if self.margin is not None and self.method == "permutation":
            raise ValueError(
                "margin excludes method='permutation', which tests that the models "
                "can be exchanged: use method='delta' or method='bootstrap'."
            )
        self.is_two_sided = self.alternative == "two-sided"
        self.level = two_sided_level(
            self.confidence_level, self.alternative, self.margin
        )

    @property
    def displayed_level(self) -> float:
        """The level of the interval that is shown; for equivalence ``level``."""
        are_both = self.margin is not None and self.is_two_sided
        return round(self.level, 12) if are_both else self.confidence_level

    @property
    def nulls(self) -> tuple[Null, ...]:
        """The null hypotheses of a test of a difference."""
        return null_hypotheses(self.alternative, self.margin)

    def sided(
        self, ends: ConfidenceInterval, limits: tuple[float, float]
    ) -> ConfidenceInterval:
        """Return the interval, with a limit instead of an end if it is one-sided."""
        return ends if self.is_two_sided else one_sided(ends, self.alternative, limits)

    def check_margin(self, limits: tuple[float, float]) -> None:
        """Raise for a margin that no difference exceeds, unless all are 0."""
        if self.margin is None:
            return
        maximum = min(np.abs(limits))
        if 0 < maximum <= self.margin * (1 + NEGLIGIBLE):
            raise ValueError(
                f"margin={self.margin:g} must be below {maximum:g}, the maximum of all "
                "differences: five points are 0.05."
            )

    def check(self, samples: Ranked) -> None:
        """Raise if the method does not support gains, costs or estimated labels."""
        if samples.estimated is not None and self.method != "delta":
            raise ValueError(
                f"method={self.method!r} does not support estimated labels: use "
                "method='delta'."
            )
        if samples.estimated is not None and self.stratify:
            raise ValueError(
                "stratify=True excludes estimated labels, because they fix no class "
                "size: leave it out."
            )
        if samples.gains is None or self.method == "delta":
            return
        if self.method != "bootstrap":
            raise ValueError(
                f"method={self.method!r} does not support gain or cost per sample: "
                "use method='delta' or method='bootstrap'."
            )
        if samples.clusters is not None or samples.has_sampling_weights:
            raise ValueError(
                "method='bootstrap' excludes clusters and sampling weights with gain "
                "or cost per sample: use method='delta'."
            )

    def split(self, n: int) -> list[Plan]:
        """Return ``n`` plans with random states that are independent."""
        generators = check_generator(self.random_state).spawn(n)
        return [replace(self, random_state=generator) for generator in generators]

    def is_stratified(self, samples: Ranked) -> bool:
        """Return whether class sizes are fixed, by default if samples are resampled."""
        stratify, method = self.stratify, self.method
        if stratify is None and method != "parametric":
            return method in ("bootstrap", "permutation") and samples.clusters is None
        if stratify and samples.clusters is not None and not self.is_prevalence_given:
            raise ValueError(
                "stratify=True excludes clusters, because a cluster can have both "
                "classes: leave it out."
            )
        if method == "parametric" and not samples.is_plain:
            raise ValueError(
                "method='parametric' excludes clusters and sampling weights, because "
                "it draws counts per group of ties: use method='bootstrap'."
            )
        if method == "parametric" and stratify:
            raise ValueError(
                "stratify=True excludes method='parametric', which draws the number of "
                "positives: use method='bootstrap'."
            )
        return bool(stratify)

    def replicates(
        self, name: str, draw: Any, statistic: Callable[[Array], FloatArray]
    ) -> FloatArray:
        """Return the statistic of the resamples on which it is defined.

        ``draw(generator, size)`` draws rows, of ``draw.width`` entries in memory each.
        Batches and their seeds depend on this width and not on ``n_jobs``, which
        therefore does not change the result.
        """
        # A batch of 2**16 entries fits into the cache. It has at most 128 rows, because
        # a small table must also give batches for all threads.
        size = int(np.clip(2**16 // draw.width, 1, 128))
        ends = [*range(0, self.n_resamples, size), self.n_resamples]
        generators = check_generator(self.random_state).spawn(len(ends) - 1)
        batches = list(zip(generators, np.diff(ends).tolist(), strict=True))

        def compute_batches(first: int, last: int) -> FloatArray:
            return np.concatenate(
                [statistic(draw(*batch)) for batch in batches[first:last]]
            )

        # A batch takes less than a millisecond, so a task is many batches.
        n_tasks = min(len(batches), 4 * effective_n_jobs(self.n_jobs))
        bounds = np.linspace(0, len(batches), n_tasks + 1).astype(int).tolist()
        run = Parallel(n_jobs=self.n_jobs, prefer="threads")
        draws: FloatArray = np.concatenate(
            run(delayed(compute_batches)(*pair) for pair in pairwise(bounds))
        )
        is_defined = np.isfinite(draws)
        n_left_out = int(len(draws) - np.count_nonzero(is_defined))
        if n_left_out:
            warn(
                f"The {name} is undefined on {n_left_out} of {len(draws)} resamples, "
                "which are left out.",
                UndefinedMetricWarning,
            )
        return draws[is_defined]
