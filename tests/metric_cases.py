"""A metric with parameters and what it promises: what each metric's test file lists.

A new metric's ``tests/metrics/test_<file>.py`` lists ``CASES``. From there they join
the common tests (``metric_registry.py``), those of inference (``inference_cases.py``)
and the calls drawn at random (``fuzzing/registry.py``).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np


@dataclass(frozen=True)
class Case:
    """A public metric with fixed keyword arguments, and what it promises.

    ``constant``, ``perfect`` and ``worst`` say what constant scores, a perfect and a
    perfectly wrong ranking give, as functions of the prevalence. Without ``constant``
    the case is not among the common tests; ``worst`` is None where the prevalence alone
    does not say.
    """

    name: str
    function: Callable[..., float]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    constant: Callable[..., float] | None = None
    perfect: Callable[..., float] = lambda *_: 1.0
    worst: Callable[..., float] | None = lambda *_: 0.0
    # They are functions of the numbers of positives and of negatives instead.
    by_counts: bool = False
    # The metric, literally: of ``reference.tables.Groups`` and the keyword arguments.
    oracle: Callable[..., float] | None = None
    # How its slopes change with the table, for the tests of inference: a "steep" one
    # changes quickly, so that methods differ by more with few cases, and one with a
    # "jump" is averaged over neighbours of the cut, or changes at some cases. None
    # keeps it out of them.
    slopes: Literal["smooth", "steep", "jump"] | None = None
    # Further arguments with one entry per case, made from the number of cases, for
    # example {"groups": lambda n: np.arange(n) % 2}.
    per_sample: Mapping[str, Callable[[int], np.ndarray]] = field(default_factory=dict)
    # Negating the scores gives 1 - x.
    negates: bool = False
    # Swapping the classes gives 1 - x.
    swaps: bool = False
    # Without a positive (a negative) case the metric is nan with a warning; where
    # False, it is a number without one.
    needs_positives: bool = True
    needs_negatives: bool = False
    # Some rankings of both classes are undefined.
    is_partial: bool = False
    # It is known within lists, each of which has the value that it has alone.
    in_lists: bool = True
    # The metric has the argument sample_weight.
    takes_weights: bool = True

    def said(self, what: str, y_true: np.ndarray) -> float:
        """Return what is said of "constant", "perfect" or "worst" scores of labels."""
        n_pos = int(y_true.sum())
        counts = (n_pos, len(y_true) - n_pos)
        of = counts if self.by_counts else (y_true.mean(),)
        return getattr(self, what)(*of)

    def __call__(self, y_true: Any, y_score: Any, **kwargs: Any) -> float:
        """Score, with the entries per case that were not given made up."""
        for name, make in self.per_sample.items():
            if name not in kwargs:
                kwargs[name] = make(len(y_score))
        return self.function(y_true, y_score, **self.kwargs, **kwargs)


def sample(seed, n=200, prevalence=0.3, shift=1.0, decimals=1):
    """Return labels and scores of two shifted normal classes, full of ties."""
    generator = np.random.default_rng(seed)
    y_true = (generator.random(n) < prevalence).astype(int)
    y_true[:4] = [0, 0, 1, 1]
    y_score = np.round(generator.normal(size=n) + shift * y_true, decimals)
    return y_true, y_score
