"""The gain per case of a treatment, by an experiment or with known propensities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from skrate.data.arrays import ArrayLike, FloatArray
from skrate.labels.checks import check_chances, check_is, check_numbers, check_per_case


def treatment(
    outcome: ArrayLike,
    treated: ArrayLike,
    propensity: ArrayLike,
    *,
    models: Sequence[ArrayLike] | None = None,
) -> FloatArray:
    r"""Return what the treatment of each case gains, to be given as ``gain``.

    Nobody sees a case both treated and untreated. The doubly robust score of a case is
    far from what it gains, but right in expectation, so that sums over cases estimate
    what is gained by treating those that a model ranks first: uplift curves, the Qini
    coefficient and rank-weighted average treatment effects.

    Parameters
    ----------
    outcome : array-like of shape (n_samples,)
        What came of each case, higher if better, in any unit.
    treated : array-like of shape (n_samples,)
        Whether it was treated: True or 1, else False or 0.
    propensity : float or array-like of shape (n_samples,)
        The probability of being treated, in (0, 1), by the design of the experiment.
    models : (untreated, treated), default=None
        Predictions of the outcome of each case without and with treatment, each an
        array of shape (n_samples,) or a number, by models that were not trained on
        these outcomes. None takes the mean outcome of each arm.

    Returns
    -------
    gain : ndarray of shape (n_samples,)
        What each case gains in expectation. The mean is the average treatment effect.

    Raises
    ------
    ValueError
        If lengths differ, numbers are not finite, all cases or none are treated, or a
        propensity is not in (0, 1), or models are no pair.

    See Also
    --------
    skrate.expected_gain_score : What is gained under a distribution of the rate.

    Notes
    -----
    With the outcome Y, T = 1 if treated, the propensity e, and predictions
    :math:`m_0, m_1`, the gain is [1]_, [2]_

    .. math:: m_1 - m_0 + \frac{T (Y - m_1)}{e} - \frac{(1 - T) (Y - m_0)}{1 - e}.

    It is right in expectation if either the propensities or the predictions are.
    Predictions that are closer to the outcomes make standard errors smaller. The mean
    outcome of an arm is weighted by 1 / e, or 1 / (1 - e).

    With :math:`\tau(u)` the gain per case if the share u that ranks first is treated,
    the Qini coefficient [3]_ is :math:`\int_0^1 (\tau(u) - u \tau(1)) \, du`: the
    expected gain per case under the uniform distribution, minus the gain of random
    scores. :func:`skrate.compare` finds the difference and its standard error if the
    second scores all tie. AUTOC [2]_ is :math:`\int_0^1 (\tau(u) / u - \tau(1)) \, du`:
    the difference under the rates k / n, in proportion to 1 / k, times the sum of 1 /
    k. Cost: O(n_samples).

    References
    ----------
    .. [1] Robins, Rotnitzky and Zhao (1994), Estimation of regression coefficients when
       some regressors are not always observed, :doi:`10.1080/01621459.1994.10476818`.
    .. [2] Yadlowsky, Fleming, Shah, Brunskill and Wager (2021), Evaluating treatment
       prioritization rules via rank-weighted average treatment effects,
       :doi:`10.48550/arXiv.2111.07966`.
    .. [3] Radcliffe (2007), Using control groups to target on predicted lift: building
       and assessing uplift models, Direct Marketing Analytics Journal, 14-21.

    Examples
    --------
    An experiment that treated half of the cases, at random:

    >>> import numpy as np
    >>> from skrate import compare, labels, rates
    >>> rng = np.random.default_rng(0)
    >>> n = 1000
    >>> y_score = np.sort(rng.normal(size=n))[::-1]
    >>> treated = rng.random(n) < 0.5
    >>> outcome = rng.normal(size=n) + treated * np.maximum(y_score, 0)
    >>> gain = labels.treatment(outcome, treated, 0.5)

    The Qini coefficient is the difference from scores that all tie:

    >>> by_chance = np.zeros(n)
    >>> of_gain = {"gain": gain, "normalize": True}
    >>> qini = compare("expected_gain", treated, y_score, by_chance, **of_gain)
    >>> k = np.arange(1, n + 1)
    >>> by_hand = np.mean((gain - gain.mean()) * (1 - (k - 0.5) / n))
    >>> bool(np.isclose(qini.value, by_hand))
    True

    AUTOC puts more weight on the cases that rank first:

    >>> first = rates.empirical(k / n, weights=1 / k)
    >>> found = compare(
    ...     "expected_gain", treated, y_score, by_chance, rate=first, **of_gain
    ... )
    >>> autoc = found.value * (1 / k).sum()
    >>> by_hand = np.mean(np.cumsum(gain) / k) - gain.mean()
    >>> bool(np.isclose(autoc, by_hand))
    True
    """
    outcomes = check_numbers("outcome", outcome)
    is_treated = check_is("treated", treated, outcome=outcomes)
    hint = (
        ": a case that is always treated, or never, says nothing of the difference. "
        "Leave such cases out"
    )
    share = check_chances("propensity", propensity, len(outcomes), "()", hint)
    if is_treated.all() or not is_treated.any():
        arm = "treated" if is_treated.all() else "untreated"
        raise ValueError(
            f"treated says that all {len(outcomes)} cases are {arm}: gains are "
            "differences from cases that are not."
        )
    by_chance = np.where(is_treated, 1 / share, 1 / (1 - share))
    if models is None:
        models = tuple(
            float(np.average(outcomes[chosen], weights=by_chance[chosen]))
            for chosen in (~is_treated, is_treated)
        )
    elif len(models) != 2:
        raise ValueError(
            "models must be a pair, predictions without and with treatment, found "
            f"{len(models)} entries."
        )
    without, with_it = (check_per_case("models", m, len(outcomes)) for m in models)
    rest = by_chance * (outcomes - np.where(is_treated, with_it, without))
    return np.asarray(with_it - without + np.where(is_treated, rest, -rest))
