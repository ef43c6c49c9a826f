"""The best of several models, and how good it is once its luck is taken off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from skrate.data.arrays import (
    Array,
    ArrayLike,
    BoolArray,
    FloatArray,
    IntArray,
    Label,
    RandomState,
    dot,
)
from skrate.data.checks import (
    Check,
    as_real,
    check_arguments,
    check_count,
    check_fraction,
    check_generator,
    check_n_jobs,
    check_positive,
    or_none,
    warn,
)
from skrate.data.folds import are_fold_rankings
from skrate.inference.cautions import CLASSES
from skrate.inference.evaluation import Evaluation
from skrate.inference.group_scores import compute_list_scores
from skrate.inference.intervals import SLACK
from skrate.inference.list_means import ListMean, evaluate_lists
from skrate.inference.models import (
    check_model_columns,
    check_several,
    evaluate_models,
    find_model_rankings,
)
from skrate.inference.options import Plan
from skrate.inference.rankings import (
    OF_CASES,
    WEIGHTS,
    Ranked,
    RankingsOfModels,
    ScoresOfModels,
    Weights,
)
from skrate.inference.resampling import count_draw
from skrate.inference.variance import scaled_units, sum_units
from skrate.metrics.hypothesis_tests import NEGLIGIBLE
from skrate.metrics.metric import MetricLike, check_metric_first
from skrate.metrics.result_types import (
    ConfidenceInterval,
    Drawn,
    Question,
    Rows,
    plain_columns,
    question_text,
)

# Entries of the counts of a batch of draws.
_BATCH = 2**22
# Sums of whole numbers below this are exact in any order.
_EXACT = 2.0**52
_NAN = float("nan")
_ARGUMENTS: dict[str, Check] = {
    "confidence_level": check_fraction,
    "margin": or_none(check_positive),
    "n_resamples": check_count,
    "weights": WEIGHTS,
    "n_jobs": check_n_jobs,
}
# The best counts as one of the rest unless they reach it in less than 1 of 6 draws.
_DOUBT = 6.0
# A model is a near-copy of the best if the variance of their difference is less than a
# quarter of that of two models, which is twice the noise.
_ALIKE = 0.5
# How much noise is added to select a model, as a share of what the values have.
_ADDED = 0.3
# Fewer cases of a class than this leave its distribution unknown.
_FEW = 10


def select_best(
    metric: MetricLike,
    y_true: ArrayLike | RankingsOfModels,
    y_score: ScoresOfModels | None = None,
    *,
    confidence_level: float = 0.95,
    margin: float | None = None,
    cost: Mapping[Any, float] | None = None,
    n_resamples: int = 2000,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weights: Weights = "frequency",
    pos_label: Label = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    **metric_kwargs: Any,
) -> BestModel:
    r"""Select the best of several models, and correct its value for the selection.

    The best of many models was also lucky: on new cases it will do worse than on those
    that chose it. This takes the luck off, without training or ranking anything again,
    and says which other models could as well be the best.

    Parameters
    ----------
    metric : callable or str
        A score of this package, such as :func:`rate_weighted_auc_score`, its name, with
        or without "_score", a :func:`functools.partial` or a scorer of one; also
        :func:`sklearn.metrics.roc_auc_score` or
        :func:`sklearn.metrics.average_precision_score`, without options.
    y_true : array-like of shape (n_samples,), mapping or list of FoldRankings
        True labels of two classes; or, without ``y_score``, the :class:`FoldRankings`
        of each model by its name, of the same folds, such as :func:`search_rankings`
        returns for a search.
    y_score : mapping, data frame or array-like, default=None
        The scores of each model, of shape (n_samples,), by its name; or a data frame or
        an array of shape (n_samples, n_models).
    confidence_level : float, default=0.95
        Level of the intervals and of the set, in (0, 1).
    margin : float, default=None
        How much worse than the best a model may be to be as good, in units of the
        metric, such as 0.01. None asks for no such models.
    cost : mapping, default=None
        The cost of each model by its name, such as seconds or the number of features:
        the cheapest model within ``margin`` is the result's ``choice``.
    n_resamples : int, default=2000
        Number of bootstrap samples.
    groups : array-like of shape (n_samples,), default=None
        The list of each row, for a metric within lists such as :func:`ndcg_score`. The
        lists are then the independent units, and ``sample_weight`` is one of rows.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each case, such as its patient: clusters are independent, cases
        within one need not be. With ``groups`` all rows of a list have one cluster.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the cases.
    weights : {"frequency", "sampling"}, default="frequency"
        What the weights are: "frequency" are whole numbers of repetitions of a case,
        "sampling" the inverse probabilities with which cases were sampled. For a
        case-control sample pass ``prevalence`` to the average precision instead.
    pos_label : int, float, bool or str, default=None
        The positive label; None takes the greater of {0, 1}, {-1, 1} or booleans.
    random_state : int, Generator or RandomState, default=None
        Source of the replicates.
    n_jobs : int, default=None
        Number of threads; the result does not depend on it.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``; with ``groups`` also ``average`` and
        ``undefined``, as in :meth:`GroupScores.mean`.

    Returns
    -------
    result : BestModel
        With ``best``, its ``value`` as measured, ``corrected_value`` and
        ``confidence_interval``, the ``set`` of models that may be the best, and with a
        ``margin`` those that are ``equivalent``. For one model value, corrected value
        and interval are as :func:`estimate` has them.

    Raises
    ------
    ValueError
        For labels, scores, weights or clusters that do not fit, folds that differ
        between models, a cost that is missing or has no margin, or a metric that
        has no lists with ``groups``.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two cases, or the metric is undefined.
    UserWarning
        If a class has fewer than 10 cases, or there are fewer than 10 lists.

    See Also
    --------
    compare : The differences of all pairs, with tests.
    search_rankings : The rankings of the candidates of a search.
    refit_best : Also by the rule of one standard error, of the scores of a search.

    Notes
    -----
    Let :math:`\theta_k` be the metric of model k, :math:`\psi_{ik}` the influence of
    case i on it, as in the result of :func:`estimate`, and :math:`c` how often a
    bootstrap sample draws each of the n cases. The sample selects

    .. math:: k^* = \arg\max_k \; \theta_k + \frac{1}{n} \sum_i c_i \psi_{ik},

    and the cases that it left out judge :math:`k^*` beside the best model, 1:

    .. math:: \theta_{k^*} + \frac{\sum_i 1\{c_i = 0\} (\psi_{ik^*} - \psi_{i1})}
              {\sum_i 1\{c_i = 0\}}.

    Their mean over bootstrap samples, :math:`b`, is the bootstrap bias corrected
    cross-validation of [1]_, in which influence values take the place of new rankings.
    It is too low where models differ, since a sample selects worse models than all
    cases do. So the luck of the best model, :math:`\theta_1`, is estimated once more,
    as the mean of

    .. math:: L = \frac{1}{n} \sum_i c_i (\psi_{im} - \psi_{i1}), \quad
              m = \arg\max_k \; \mu_k + \frac{1}{n} \sum_i c_i \psi_{ik}.

    Measured values differ more than true ones: let :math:`v` be half the mean variance
    of the difference of two models, and :math:`V` the variance of the values over
    models. In :math:`\mu` all values are shrunk towards their mean by
    :math:`\sqrt{\max(0, 1 - v / V)}`.

    This pulls a model that is truly better towards the others. The second estimate
    assumes nothing about the models: it splits noise off the values [2]_. If
    :math:`e_k = \frac{1}{n} \sum_i c_i \psi_{ik}` is distributed as the error of
    :math:`\theta_k`, then :math:`\theta_k - e_k / t` is independent of
    :math:`\theta_k + t e_k`, so the former is unbiased for the model that the latter
    selects. With :math:`t = 0.3`, the latter selects almost as the values do. So the
    estimate is

    .. math:: a = E\Bigl[\theta_m - \frac{e_m - e_1}{t}\Bigr], \quad
              m = \arg\max_k \; \theta_k + t e_k,

    which is noisier. Shrink the other models without the best one, and let q be the
    share of bootstrap samples in which one of them reaches :math:`\theta_1`. (Models
    whose difference from the best has a variance below :math:`v / 2` are near-copies,
    and do not count.) With :math:`w = \min(1, (6 q)^2)`, the corrected value is

    .. math:: w \, \frac{b + \theta_1 - L}{2} + (1 - w) \, a.

    The interval is as in :func:`estimate`, about the corrected value; its squared
    standard error has added to it the variance of :math:`\theta_{k^*}` over bootstrap
    samples, as another model may be the best. If a is better than the corrected value,
    the better end comes from the interval about a. The interval is for the selected
    model on new cases. For folds it is as wide as for a model that is trained again, by
    the correction of Nadeau and Bengio in :func:`estimate`: the models of folds that
    share training cases vary together, and selection takes the luckiest. A bias of the
    metric itself in small samples, as of the average precision, is not taken off.

    Model k is in the set unless :math:`\max_j (\theta_j - \theta_k) / s_{jk}` is above
    the quantile of the same maximum over bootstrap samples, with :math:`s_{jk}` the
    standard error of the difference. (The normal quantile at the same probability is
    replaced by Student's t, with as many degrees of freedom as there are cases of the
    rarer class, or effective clusters, less one.) So each model that is truly the best
    is in the set with about the confidence level. Model k is equivalent if
    :math:`\theta_j - \theta_k + q s_{jk} \le` ``margin`` for all j, with q the greatest
    of these quantiles: with about the confidence level all of them are within the
    margin of the best. (A model that is not is called equivalent only if its difference
    from the true best is too small by q standard errors. Whichever model this is, no
    more than the pairs with it matter.) In simulations a model that was worse by the
    margin was called equivalent in 0.03 to 0.05 of 400 samples.

    If one of many models is better than all others, the correction is somewhat too
    large: in simulations by 0.005 to 0.016, with a coverage of 0.90 to 0.96 at a level
    of 0.95. Each of two or four equal models was in the set in 0.93 to 0.97 of 150 to
    200 samples, of 6 or 12 clusters of equal or unequal sizes, or 30 or 100 positives.

    Cost: a ranking for each model, and O(n_samples x n_models x n_resamples).

    References
    ----------
    .. [1] Tsamardinos, Greasidou and Borboudakis (2018), Bootstrapping the
       out-of-sample predictions for efficient and accurate cross-validation,
       :doi:`10.1007/s10994-018-5714-4`.
    .. [2] Leiner, Duan, Wasserman and Ramdas (2023), Data fission: splitting a single
       data point, :doi:`10.1080/01621459.2023.2270748`.

    Examples
    --------
    Thirty models that are equally good:

    >>> import numpy as np
    >>> from skrate import select_best
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.random(300) < 0.3
    >>> scores = y_true[:, None] + rng.normal(size=(300, 30))
    >>> select_best("roc_auc", y_true, scores, random_state=0)
    BestModel('14' of 30 models, by the AUC:
      0.8151 as measured, 0.7561 on new cases, 95 % interval [0.674, 0.823]
      30 of 30 may be the best;
      n_pos=76, n_neg=224)
    """
    given = check_arguments(_ARGUMENTS, locals())
    check_metric_first(metric)
    plan, margin = Plan.of(given, interval="wilson", margin=None), given["margin"]
    _check_order(y_true, y_score)
    cases, meant = {name: given[name] for name in OF_CASES}, (metric, metric_kwargs)
    if groups is None:
        samples = find_model_rankings(
            "y_score", y_score, y_true, cases, weights, least=1
        )
        names = list(samples)
        found = evaluate_models(meant, list(samples.values()), plan)
    else:
        if are_fold_rankings(y_true):
            raise ValueError("groups excludes FoldRankings: give labels and scores.")
        models = check_several(
            "y_score", check_model_columns("y_score", y_score, y_true), 1
        )
        named, how = compute_list_scores(*meant, y_true, models, groups, cases)
        names, found = list(named), [*evaluate_lists(list(named.values()), plan, **how)]
    costs = _check_cost(cost, margin, names)
    return _selected(tuple(map(str, names)), found, plan, margin, costs)


def _check_order(y_true: Any, y_score: Any) -> None:
    """Raise unless labels come first and scores second, or rankings of folds alone."""
    for name, given in {"y_true": y_true, "y_score": y_score}.items():
        if hasattr(given, "fit"):
            raise ValueError(
                f"{name} is a {type(given).__name__}, which keeps no scores of cases: "
                "pass search_rankings(search, X, y) of a search as y_true, or a dict "
                "with the cross_val_rankings of each model."
            )
    if are_fold_rankings(y_true):
        return
    if isinstance(y_true, Mapping) or getattr(y_true, "shape", ())[1:] > (1,):
        raise ValueError(
            "y_true holds scores of several models: swap y_true and y_score, because "
            "the labels come first: select_best(metric, y_true, y_score)."
        )
    if y_score is None:
        raise ValueError(
            "y_score is missing: pass the scores of each model by its name, or as "
            "y_true a dict with the FoldRankings of each model, got "
            f"{type(y_true).__name__}."
        )


def _check_cost(
    cost: Mapping[Any, float] | None, margin: float | None, names: list[str]
) -> FloatArray | None:
    """Return the cost of each model."""
    if cost is None:
        return None
    if margin is None:
        raise ValueError(
            "cost needs a margin: how much worse than the best may the cheapest be, "
            "such as margin=0.01?"
        )
    if not isinstance(cost, Mapping):
        kind = type(cost).__name__
        raise ValueError(f"cost must be a dict of names and numbers, got {kind}.")
    by_name = {str(k): value for k, value in check_several("cost", cost, 1).items()}
    missing = [name for name in names if name not in by_name]
    if missing:
        raise ValueError(f"cost lacks {missing}: give one for each model.")
    costs = as_real("cost", [by_name[name] for name in names])
    if not np.isfinite(costs).all():
        raise ValueError(f"cost must hold finite numbers, found {costs.tolist()}.")
    return costs


def _selected(
    names: tuple[str, ...],
    found: list[Evaluation],
    plan: Plan,
    margin: float | None,
    costs: FloatArray | None,
) -> BestModel:
    """Return the best of measured models."""
    metric = found[0].metric
    sign = 1.0 if metric.greater_is_better else -1.0
    values = np.array([model.value for model in found])
    best = 0 if np.isnan(values).all() else int(np.nanargmax(sign * values))
    errors, ends = np.full(len(names), _NAN), np.full((len(names), 2), _NAN)
    corrected, interval = _NAN, ConfidenceInterval(_NAN, _NAN)
    is_in = are_near = np.ones(len(names), dtype=bool)
    if all(model.is_known for model in found) and not np.isnan(values).any():
        errors = np.array([model.parts.standard_error for model in found])
        ends = np.array([model.interval() for model in found])
        _warn_resampling_size(found[0])
        corrected, interval = values[best], ConfidenceInterval(*ends[best].tolist())
        if len(names) > 1:
            corrected, interval, moved = _correct_selection_bias(
                found, errors, sign, best
            )
            freedom = found[0].unit_dof
            is_in, are_near = _sets(sign * values, moved, plan, margin, freedom)
            is_in[best] = True
    choice: str | None = None
    near = np.flatnonzero(are_near)
    if costs is not None and len(near):
        # The better of equally cheap ones.
        choice = names[near[np.lexsort((-sign * values[near], costs[near]))[0]]]
    all_names = np.array(names, dtype=object)
    n_pos, n_neg = found[0].class_sizes
    return BestModel(
        metric=metric.name,
        names=names,
        values=values,
        standard_errors=errors,
        intervals=ends,
        best=names[best],
        value=float(values[best]),
        corrected_value=float(corrected),
        confidence_interval=interval,
        set=tuple(all_names[is_in]),
        confidence_level=plan.confidence_level,
        question=found[0].question,
        margin=margin,
        equivalent=None if margin is None else tuple(all_names[are_near]),
        choice=choice,
        n_pos=round(n_pos),
        n_neg=round(n_neg),
    )


def _correct_selection_bias(
    found: list[Evaluation], errors: FloatArray, sign: float, best: int
) -> tuple[float, ConfidenceInterval, FloatArray]:
    """Return the value of the best on new cases, its interval, and draws of all."""
    top = found[best]
    values = np.array([model.value for model in found])
    # What is drawn must not depend on the order of the models.
    order = np.lexsort((errors, values))
    units = _Units.of([found[k].influence for k in order], top.cases)
    left_out, moved = _drawn(sign * values[order], units, sign, top.plan)
    about, error = _corrected(sign * values[order], moved, left_out)
    about = np.clip(sign * about, *top.bounds)
    # Folds whose training cases test others are correlated, given their models.
    factor = top.units.retraining_factor or 1.0
    error = float(np.hypot(factor * errors[best], error))
    both = [top.interval(error=error, value=x) for x in about.tolist()]
    lows, highs = zip(*both, strict=True)
    interval = ConfidenceInterval(min(lows), max(highs))
    return about[0], interval, moved[:, np.argsort(order)]


@dataclass(frozen=True, repr=False)
class BestModel(Drawn, Rows):
    """The best of several models, as :func:`skrate.select_best` returns it.

    ``float`` and ``format`` give ``corrected_value``; ``value`` is as measured.

    Attributes
    ----------
    metric : str
        Name of the metric.
    names : tuple of str
        The models; arrays have an entry for each.
    values, standard_errors : array of shape (n_models,)
        The metric of each model as measured.
    intervals : array of shape (n_models, 2)
        The interval of each, as if it had been the only one.
    best : str
        The model with the best value.
    value : float
        Its value as measured, which was also lucky.
    corrected_value : float
        Its value on new cases, without the luck of being selected.
    confidence_interval : ConfidenceInterval
        About the corrected value; for folds as wide as if retrained.
    set : tuple of str
        The models that may be the best.
    confidence_level : float
        Level of the intervals and the set.
    question : dict
        The parameters of the metric.
    margin : float or None
        How much worse than the best an equivalent model may be.
    equivalent : tuple of str or None
        The models within the margin of the best; None without a margin.
    choice : str or None
        The cheapest equivalent model; None without costs.
    n_pos, n_neg : int
        Number of positive and of negative cases.

    Examples
    --------
    >>> from skrate import select_best
    >>> y_true = [0, 0, 1, 0, 1, 1] * 10
    >>> a, b = [1, 2, 3, 4, 5, 6] * 10, [2, 1, 6, 4, 3, 5] * 10
    >>> best = select_best("roc_auc", y_true, {"a": a, "b": b})
    >>> best.best, best.set
    ('a', ('a', 'b'))
    """

    metric: str
    names: tuple[str, ...]
    values: FloatArray
    standard_errors: FloatArray
    intervals: FloatArray
    best: str
    value: float
    corrected_value: float
    confidence_interval: ConfidenceInterval
    set: tuple[str, ...]
    confidence_level: float
    question: Question
    margin: float | None
    equivalent: tuple[str, ...] | None
    choice: str | None
    n_pos: int
    n_neg: int
    _index = "model"
    _number = "corrected_value", "confidence_interval"

    def to_dict(self) -> dict[str, Any]:
        """Return the columns by name, a row per model, the best first."""
        sign = (
            1 if self.values[self.names.index(self.best)] >= self.values.mean() else -1
        )
        order = np.argsort(-sign * self.values, kind="stable")
        low, high = self.intervals[order].T
        names = [self.names[i] for i in order]
        columns = {
            "model": names,
            "value": self.values[order],
            "standard_error": self.standard_errors[order],
            "low": low,
            "high": high,
            "may_be_best": [name in self.set for name in names],
        }
        if self.equivalent is not None:
            columns["is_equivalent"] = [name in self.equivalent for name in names]
        return plain_columns(columns, **self.question)

    def __repr__(self) -> str:
        of = f"{self.metric}{question_text(self.question)}"
        low, high = self.confidence_interval
        n = len(self.names)
        text = (
            f"BestModel({self.best!r} of {n} models, by the {of}:\n"
            f"  {self.value:.4g} as measured, {self.corrected_value:.4g} on new cases, "
            f"{100 * self.confidence_level:g} % interval [{low:.4g}, {high:.4g}]\n"
            f"  {len(self.set)} of {n} may be the best"
        )
        if self.equivalent is not None:
            n_near = len(self.equivalent) or "none"
            text += f"\n  {n_near} shown to be within {self.margin:g} of the best"
        if self.choice is not None:
            text += f", of which {self.choice!r} is the cheapest"
        return f"{text};\n  n_pos={self.n_pos}, n_neg={self.n_neg})"


def _warn_resampling_size(model: Evaluation) -> None:
    """Warn where a class has too few cases to be resampled, or there are few lists."""
    held = {
        f"{name} cases": n for name, n in zip(CLASSES, model.cases.sizes, strict=True)
    }
    if isinstance(model, ListMean):
        held = {"independent lists": float(model.cases.n_units)}
    for name, size in held.items():
        if size < _FEW:
            warn(
                f"There are {size:g} {name}: of fewer than {_FEW} the correction "
                "and the interval are not to be relied on: label more."
            )


@dataclass(frozen=True)
class _Units:
    """What is drawn: the influence of each unit on each model, over their number.

    ``steps`` are whole numbers, of shape (n_models, n_units), and ``scale`` what a step
    is: sums of them are exact, in whatever order. ``repeats`` says how many copies of a
    unit there are, each with its ``weights``.
    """

    steps: FloatArray
    scale: float
    weights: FloatArray
    repeats: IntArray

    @classmethod
    def of(cls, influence: list[FloatArray], cases: Ranked) -> _Units:
        """Return independent units: cases, with their repetitions, or clusters."""
        rows: FloatArray = np.array(influence)
        # Errors that labels share are further units.
        shared = np.ones(rows.shape[1] - len(cases.is_pos))
        given = weights = np.append(cases.row_weights, shared)
        repeats = None
        if cases.clusters is not None:
            rows = np.array([scaled_units(row, cases) for row in rows])
            weights = sum_units(np.ones(len(given)), cases)
        elif cases.weights is not None and cases.are_repetitions:
            repeats, weights = np.rint(given).astype(np.int64), np.ones(len(given))
        else:
            rows, weights = rows * given, given
        if repeats is None:
            repeats = np.ones(len(weights), dtype=np.int64)
        rows /= dot(repeats, weights)
        rows -= np.average(rows, axis=1, weights=repeats)[:, None]
        most = float(np.abs(rows).max()) * float(repeats.sum())
        scale = 2.0 ** float(np.ceil(np.log2(most / _EXACT))) if most > 0 else 1.0
        steps = np.rint(rows / scale)
        # What is drawn must not depend on the order of the cases.
        factors = np.sqrt(np.arange(2.0, len(steps) + 2))
        order = np.argsort(np.add.reduce(steps * factors[:, None]), kind="stable")
        steps = np.ascontiguousarray(steps[:, order])
        return cls(steps, scale, weights[order], repeats[order])


def _drawn(
    values: FloatArray, units: _Units, sign: float, plan: Plan
) -> tuple[float, FloatArray]:
    """Return what left-out cases say of the winners, and how far each model moved."""
    generator = check_generator(plan.random_state)
    (n_models, n), repeats = units.steps.shape, units.repeats
    draw, is_repeated = count_draw([repeats]), repeats.max() > 1
    moved = np.empty((plan.n_resamples, n_models))
    said = np.empty(plan.n_resamples)
    size = max(1, _BATCH // n)
    total, best = dot(repeats, units.weights), np.argmax(values)
    for first in range(0, plan.n_resamples, size):
        n_rows = min(size, plan.n_resamples - first)
        counts = draw(generator, n_rows)
        # Exact in any order, as all are whole numbers.
        steps = counts.astype(np.float64) @ units.steps.T
        moved[first : first + n_rows] = sign * units.scale * steps
        winners = _find_best(values + moved[first : first + n_rows])
        n_out: Array = counts == 0
        if is_repeated:
            # The copies that are expected to be left out, with so many drawn of all.
            n_out = repeats * (1 - 1 / repeats) ** counts
        for row, (out, winner) in enumerate(zip(n_out, winners, strict=True)):
            share = dot(out, units.weights) / total
            # What they say of the best is 0 on average, and takes off the noise.
            ahead = units.steps[winner] - units.steps[best]
            left_out = float(out @ ahead) / (share or 1.0)
            said[first + row] = values[winner] + sign * units.scale * left_out
    return float(np.mean(said)), moved


def _find_best(rows: FloatArray) -> IntArray:
    """Return the best of each draw, the first of those equal except for rounding."""
    slack = SLACK * max(1.0, float(np.abs(rows).max()))
    is_best = rows >= rows.max(axis=1, keepdims=True) - slack
    return np.asarray(is_best.argmax(axis=1))


def _corrected(
    values: FloatArray, moved: FloatArray, left_out: float
) -> tuple[FloatArray, float]:
    """Return the value of the best without luck, twice, and the error of selection.

    The second value is higher if the best may stand apart.
    """
    best, rows = int(np.argmax(values)), np.arange(len(moved))
    top = values[best]
    # What the best moved by is 0 on average, and takes most of the noise off.
    lead = moved - moved[:, [best]]
    away = lead - lead.mean(axis=1, keepdims=True)
    noise = float(np.sum(away**2)) / len(moved) / (len(values) - 1)

    luck = lead[rows, _find_best(moved + _shrink_values(values, noise))].mean()
    as_one = (left_out + top - luck) / 2
    winners = _find_best(values + _ADDED * moved)
    as_apart = float(np.mean(values[winners] - lead[rows, winners] / _ADDED))
    # Of few draws, too, at least one model is in the rest: their mean is not taken off.
    far = np.sum(lead**2, axis=0) / len(moved)
    rest = (far >= _ALIKE * noise) & (np.arange(len(values)) != best)
    reached = (moved[:, rest] + _shrink_values(values[rest], noise)).max(axis=1)
    is_reached = reached >= top - SLACK * max(1.0, abs(top))
    share = min(1.0, _DOUBT * float(np.mean(is_reached))) ** 2
    corrected = share * as_one + (1 - share) * as_apart
    error = float(values[_find_best(values + moved)].std())
    return np.array([corrected, max(corrected, as_apart)]), error


def _shrink_values(values: FloatArray, noise: float) -> FloatArray:
    """Return values whose variance is without the part that noise has in it."""
    away = values - values.mean()
    total = float(np.sum(away**2)) / max(len(values) - 1, 1)
    share = max(0.0, 1 - noise / total) if total > 0 else 0.0
    return np.asarray(values.mean() + np.sqrt(share) * away)


def _sets(
    values: FloatArray,
    moved: FloatArray,
    plan: Plan,
    margin: float | None,
    freedom: float,
) -> tuple[BoolArray, BoolArray]:
    """Return which models may be the best, and which are within the margin of it.

    Quantiles of draws are as those of known standard errors: Student's t with so many
    degrees of freedom takes the place of the normal distribution.
    """

    def quantile(draws: FloatArray) -> float:
        tail = special.ndtr(-np.quantile(draws, plan.confidence_level))
        return -float(special.stdtrit(freedom, tail))

    n, most = len(values), 0.0
    is_in = np.ones(n, dtype=bool)
    spread = np.zeros((n, n))
    for k in range(n):
        away = moved - moved[:, [k]]
        spread[k] = away.std(axis=0)
        # Models that are alike are never distinguished.
        others = spread[k] > NEGLIGIBLE
        if not others.any():
            continue
        highest = (away[:, others] / spread[k, others]).max(axis=1)
        critical = quantile(highest)
        most = max(most, critical)
        distance = ((values[others] - values[k]) / spread[k, others]).max()
        is_in[k] = distance <= critical
    if margin is None:
        return is_in, np.zeros(n, dtype=bool)
    # Whichever model is the best, it is in the pairs of one k.
    worse = values - values[:, None] + most * spread
    return is_in, np.asarray(worse.max(axis=1) <= margin)
