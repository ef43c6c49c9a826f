"""Which new cases to select, so that few of them are negative."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import stats

from skrate.data.arrays import ArrayLike, BoolArray, FloatArray, Label
from skrate.data.checks import check_count, check_fraction, check_scores, warn
from skrate.data.sample import check_ranking
from skrate.metrics.results import Rows, as_columns

Binding = Literal["fdr", "capacity"]


def select_cases(
    y_true: ArrayLike,
    y_score: ArrayLike,
    new_scores: ArrayLike,
    *,
    fdr: float,
    capacity: int | None = None,
    pos_label: Label = None,
) -> SelectedCases:
    r"""Select new cases so that the share of negatives in them is controlled.

    Which compounds shall be synthesised, which transfers be blocked, if at most a fifth
    of them may be wrong on average? Labelled cases that the model was not trained on,
    the calibration cases, decide how far down the ranking of the new ones to go.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of the calibration cases, of two classes.
    y_score : array-like of shape (n_samples,)
        Their scores, higher for the positive class, by a model that was not trained on
        them.
    new_scores : array-like of shape (n_new,)
        Scores of the new cases by the same model.
    fdr : float
        The false discovery rate, in (0, 1): the mean share of negatives in the selected
        cases, which counts 0 where none is selected.
    capacity : int, default=None
        The most cases that can be selected, at least 1.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    selected : SelectedCases
        With ``is_selected`` and ``pvalues`` of each new case, the ``threshold``, and
        what is ``binding``: "fdr" or "capacity". With random scores next to none is
        selected, unless the prevalence is above 1 - ``fdr``.

    Raises
    ------
    ValueError
        For labels and scores that do not fit, calibration cases of one class, an
        ``fdr`` outside (0, 1), or a ``capacity`` below 1.

    Warns
    -----
    UserWarning
        If there are too few calibration cases for any selection: the least p-value,
        1 / (n + 1), is above ``fdr``.

    See Also
    --------
    skrate.ConstrainedThresholdClassifier : Keeps a capacity, a recall or a false
        positive rate.
    skrate.recall_at_precision_score : The recall where a precision is kept.

    Notes
    -----
    With n calibration cases :math:`(s_i, y_i)` the conformal p-value of a new case of
    score s is [1]_

    .. math:: p = \frac{1 + \#\{i : y_i = 0, s_i \ge s\}}{n + 1},

    and the procedure of Benjamini and Hochberg selects by these. If calibration and new
    cases are exchangeable, the false discovery rate is at most ``fdr``, whatever the
    model, in samples of any size. A case that ties with a negative is taken for worse.
    Where the capacity binds, the cases with the best scores are selected, without ties
    at its end; the guarantee then needs a ranking whose precision does not fall towards
    the top.

    Cost: a sort of the calibration cases and one of the new ones.

    References
    ----------
    .. [1] Jin and Candes (2023), Selection by prediction with conformal p-values,
       Journal of Machine Learning Research 24 (244), 1-41,
       :doi:`10.48550/arXiv.2210.01408`.

    Examples
    --------
    >>> import numpy as np
    >>> from skrate.review import select_cases
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.random(1_500) < 0.3
    >>> y_score = rng.normal(size=1_500) + 2 * y_true
    >>> known, new = slice(0, 500), slice(500, None)
    >>> selected = select_cases(
    ...     y_true[known], y_score[known], y_score[new], fdr=0.2
    ... )
    >>> selected
    SelectedCases(271 of 1,000 cases, of scores from 1.431; at most 20 % of
    them are negative on average, by 500 calibration cases)
    >>> float((~y_true[new][selected.is_selected]).mean().round(2))
    0.19
    """
    level = check_fraction("fdr", fdr)
    if capacity is not None:
        capacity = check_count("capacity", capacity)
    sample = check_ranking(y_true, y_score, pos_label=pos_label, keep_order=True)
    is_pos, scores = sample.is_pos, np.asarray(sample.scores)
    new = np.asarray(check_scores("new_scores", new_scores))
    if is_pos.all() or not is_pos.any():
        raise ValueError(
            "y_true must have calibration cases of both classes, found one."
        )
    n = len(is_pos)
    if 1 / (n + 1) > level:
        warn(
            f"No case can be selected at fdr={level:g} with {n} calibration cases: at "
            f"least {int(np.ceil(1 / level)) - 1} are needed."
        )
    negatives = np.sort(scores[~is_pos])
    n_above = len(negatives) - np.searchsorted(negatives, new, side="left")
    pvalues = (1 + n_above) / (n + 1)
    is_selected = stats.false_discovery_control(pvalues, method="bh") <= level
    binding: Binding = "fdr"
    if capacity is not None and np.count_nonzero(is_selected) > capacity:
        binding = "capacity"
        # Without those that tie with the first one that is left out.
        is_selected &= new > np.sort(new)[-capacity - 1]
    threshold = float(new[is_selected].min()) if is_selected.any() else np.inf
    return SelectedCases(is_selected, pvalues, threshold, level, capacity, binding, n)


@dataclass(frozen=True, eq=False, repr=False)
class SelectedCases(Rows):
    """The new cases that are selected, as :func:`select_cases` returns them.

    Attributes
    ----------
    is_selected : array of shape (n_new,)
        Whether each new case is selected.
    pvalues : array of shape (n_new,)
        The conformal p-value of each: small where it is hardly negative.
    threshold : float
        The least score that is selected; infinite where none is.
    fdr : float
        The false discovery rate that was asked for.
    capacity : int or None
        The most cases that could be selected.
    binding : {"fdr", "capacity"}
        What ended the selection.
    n_calibration : int
        Number of calibration cases.

    Examples
    --------
    >>> from skrate.review import select_cases
    >>> y_true, y_score = [0] * 20 + [1] * 20, range(40)
    >>> selected = select_cases(y_true, y_score, [5, 25, 35], fdr=0.2)
    >>> selected.is_selected.tolist()
    [False, True, True]
    """

    is_selected: BoolArray
    pvalues: FloatArray
    threshold: float
    fdr: float
    capacity: int | None
    binding: Binding
    n_calibration: int

    def to_dict(self) -> dict[str, Any]:
        """Return the columns by name, a row for each new case."""
        return as_columns({"is_selected": self.is_selected, "pvalue": self.pvalues})

    def __repr__(self) -> str:
        n, n_all = np.count_nonzero(self.is_selected), len(self.is_selected)
        of = f"SelectedCases({n:,} of {n_all:,} cases"
        if n:
            of += f", of scores from {self.threshold:.4g}"
        if self.binding == "capacity":
            of += f", which the capacity of {self.capacity:,} ends"
        rate, by = f"{100 * self.fdr:g} %", f"{self.n_calibration:,} calibration cases"
        if self.binding == "capacity":
            return (
                f"{of}; a false discovery rate of {rate}, by {by}, holds for them only "
                "if the precision does not fall towards the top)"
            )
        return f"{of}; at most {rate} of them are negative on average, by {by})"
