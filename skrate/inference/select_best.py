"""The best of several models, with its value corrected for the selection."""

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

# Entries in the array of counts of a batch of draws.
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
# The best model counts as one of many unless a rival reaches it in < 1 of 6 draws.
_DOUBT = 6.0
# A model is a near-copy of the best if the variance of their difference is below half
# the noise. The mean variance of the difference of two models is twice the noise.
_ALIKE = 0.5
# Noise added to select a model, as a fraction of the noise in the values.
_ADDED = 0.3
# With fewer samples of a class, its distribution is unknown.
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

    The best of many models was also lucky: on new samples it will do worse than on the
    samples that selected it. This function removes the luck, without training or
    ranking again, and lists the other models that may be the best.

    Parameters
    ----------
    metric : callable or str
        A score of this package, such as :func:`rate_weighted_auc_score`, its name, with
        or without "_score", a :func:`functools.partial` or a scorer of one; also
        :func:`sklearn.metrics.roc_auc_score` or
        :func:`sklearn.metrics.average_precision_score`, without options.
    y_true : array-like of shape (n_samples,), mapping or list of FoldRankings
        True labels of two classes. Without ``y_score``, the :class:`FoldRankings` of
        each model by its name, on the same folds, such as :func:`search_rankings`
        returns for a search.
    y_score : mapping, data frame or array-like, default=None
        A mapping with the scores of each model, of shape (n_samples,), by its name; or
        a data frame or an array of shape (n_samples, n_models).
    confidence_level : float, default=0.95
        Level of the intervals and of the set, in (0, 1).
    margin : float, default=None
        How much worse than the best an equivalent model may be, in units of the metric,
        such as 0.01. If None, equivalent models are not determined.
    cost : mapping, default=None
        The cost of each model by its name, such as seconds or the number of features.
        The cheapest model within ``margin`` is the ``choice`` of the result.
    n_resamples : int, default=2000
        Number of bootstrap samples.
    groups : array-like of shape (n_samples,), default=None
        The list of each row, for a metric within lists such as :func:`ndcg_score`. The
        lists are then the independent units, and ``sample_weight`` weights rows.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient. Clusters are independent, but
        samples in a cluster may depend on each other. With ``groups`` all rows of a
        list have the same cluster.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    weights : {"frequency", "sampling"}, default="frequency"
        The meaning of the weights: "frequency" are whole numbers of repetitions of a
        sample, "sampling" the inverse probabilities with which samples were drawn. For
        a case-control sample pass ``prevalence`` to the average precision instead.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans, and
        the larger one is positive.
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
        With ``best``, its measured ``value``, its ``corrected_value`` and
        ``confidence_interval``, the ``set`` of models that may be the best, and with a
        ``margin`` the ``equivalent`` models. For one model, the value, the corrected
        value and the interval are as in :func:`estimate`.

    Raises
    ------
    ValueError
        If labels, scores, weights or clusters do not fit, folds differ between models,
        a cost is missing or has no margin, or the metric does not support ``groups``.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two samples, or the metric is undefined.
    UserWarning
        If a class has fewer than 10 samples, or there are fewer than 10 lists.

    See Also
    --------
    compare : The differences of all pairs, with tests.
    search_rankings : The rankings of the candidates of a search.
    refit_best : Selects by the scores of a search, also within one standard error.

    Notes
    -----
    Let :math:`\theta_k` be the metric of model k, :math:`\psi_{ik}` the influence of
    sample i on it, as in the result of :func:`estimate`, and :math:`c_i` the number of
    times that a bootstrap resample draws sample i of n. The resample selects

    .. math:: k^* = \arg\max_k \; \theta_k + \frac{1}{n} \sum_i c_i \psi_{ik},

    and the samples that it left out compare :math:`k^*` with the best model, 1:

    .. math:: \theta_{k^*} + \frac{\sum_i 1\{c_i = 0\} (\psi_{ik^*} - \psi_{i1})}
              {\sum_i 1\{c_i = 0\}}.

    The mean of this over resamples, :math:`b`, is the bootstrap bias corrected
    cross-validation of [1]_, with influence values instead of new rankings. It is too
    low if models differ, because a resample selects worse models than all samples do.
    The luck of the best model, :math:`\theta_1`, is therefore estimated once more, as
    the mean of

    .. math:: L = \frac{1}{n} \sum_i c_i (\psi_{im} - \psi_{i1}), \quad
              m = \arg\max_k \; \mu_k + \frac{1}{n} \sum_i c_i \psi_{ik}.

    Measured values vary more than true values. Let :math:`v` be half the mean variance
    of the difference of two models, and :math:`V` the variance of the values over
    models. The values :math:`\mu` are shrunk towards their mean by
    :math:`\sqrt{\max(0, 1 - v / V)}`.

    This shrinks a truly better model too much. A second estimate makes no assumption
    about the models, and splits noise off the values [2]_. If
    :math:`e_k = \frac{1}{n} \sum_i c_i \psi_{ik}` is distributed as the error of
    :math:`\theta_k`, then :math:`\theta_k - e_k / t` is independent of
    :math:`\theta_k + t e_k`. The former is thus unbiased for the model that the latter
    selects. With :math:`t = 0.3`, the latter selects almost as the values do. The
    estimate is

    .. math:: a = E\Bigl[\theta_m - \frac{e_m - e_1}{t}\Bigr], \quad
              m = \arg\max_k \; \theta_k + t e_k,

    which is noisier. Let q be the fraction of resamples in which another model reaches
    :math:`\theta_1`, if the other models are shrunk without the best one. (Near-copies
    do not count: the variance of their difference from the best is below
    :math:`v / 2`.) With :math:`w = \min(1, (6 q)^2)`, the corrected value is

    .. math:: w \, \frac{b + \theta_1 - L}{2} + (1 - w) \, a.

    The interval is as in :func:`estimate`, about the corrected value. The variance of
    :math:`\theta_{k^*}` over resamples is added to its squared standard error, because
    another model may be the best. If a is better than the corrected value, the better
    end comes from the interval about a. The interval is for the selected model on new
    samples. For folds it is as wide as for a retrained model, by the correction of
    Nadeau and Bengio in :func:`estimate`: models of folds with common training samples
    vary together, and selection takes the luckiest. The bias of the metric itself in
    small samples, such as the average precision has, is not removed.

    Model k is in the set unless :math:`\max_j (\theta_j - \theta_k) / s_{jk}` is above
    the quantile of the same maximum over resamples, where :math:`s_{jk}` is the
    standard error of the difference. (This quantile is replaced by the one of Student's
    t at the probability that it has in the normal distribution. The degrees of freedom
    are the number of samples of the rarer class, or of effective clusters, minus one.)
    Each truly best model is therefore in the set with about the confidence level. Model
    k is equivalent if :math:`\theta_j - \theta_k + u s_{jk} \le` ``margin`` for all j,
    where u is the maximum of these quantiles. With about the confidence level, all
    equivalent models are within the margin of the best. (A model outside the margin is
    called equivalent only if its difference from the true best is too small by u
    standard errors, so only pairs with the true best matter.) In simulations a model
    that was worse by the margin was called equivalent in 0.03 to 0.05 of 400 data sets.

    If one of many models is better than all the rest, the correction is somewhat too
    large: in simulations by 0.005 to 0.016, with a coverage of 0.90 to 0.96 at a level
    of 0.95. Each of two or four equal models was in the set in 0.93 to 0.97 of 150 to
    200 data sets, with 6 or 12 clusters of equal or unequal sizes, or with 30 or 100
    positives.

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
      0.8151 as measured, 0.7561 on new samples, 95 % interval [0.674, 0.823]
      30 of 30 may be the best;
      n_pos=76, n_neg=224)
    """
    args = check_arguments(_ARGUMENTS, locals())
    check_metric_first(metric)
    plan, margin = Plan.of(args, interval="wilson", margin=None), args["margin"]
    _check_order(y_true, y_score)
    cases, meant = {name: args[name] for name in OF_CASES}, (metric, metric_kwargs)
    if groups is None:
        samples = find_model_rankings(
            "y_score", y_score, y_true, cases, weights, least=1
        )
        names = list(samples)
        evals = evaluate_models(meant, list(samples.values()), plan)
    else:
        if are_fold_rankings(y_true):
            raise ValueError("groups excludes FoldRankings: give labels and scores.")
        models = check_several(
            "y_score", check_model_columns("y_score", y_score, y_true), 1
        )
        named, how = compute_list_scores(*meant, y_true, models, groups, cases)
        names, evals = list(named), [*evaluate_lists(list(named.values()), plan, **how)]
    costs = _check_cost(cost, margin, names)
    return _selected(tuple(map(str, names)), evals, plan, margin, costs)


def _check_order(y_true: Any, y_score: Any) -> None:
    """Raise unless labels come first and scores second, or only rankings of folds."""
    for name, data in {"y_true": y_true, "y_score": y_score}.items():
        if hasattr(data, "fit"):
            raise ValueError(
                f"{name} is a {type(data).__name__}, which has no scores of samples: "
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
    """Return the cost of each model, None without costs."""
    if cost is None:
        return None
    if margin is None:
        raise ValueError(
            "cost needs a margin: pass how much worse than the best the cheapest may "
            "be, such as margin=0.01."
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
        raise ValueError(f"cost must have finite numbers, got {costs.tolist()}.")
    return costs


def _selected(
    names: tuple[str, ...],
    models: list[Evaluation],
    plan: Plan,
    margin: float | None,
    costs: FloatArray | None,
) -> BestModel:
    """Return the result for evaluated models."""
    metric = models[0].metric
    sign = 1.0 if metric.greater_is_better else -1.0
    estimates = np.array([model.value for model in models])
    best = 0 if np.isnan(estimates).all() else int(np.nanargmax(sign * estimates))
    errors, ends = np.full(len(names), _NAN), np.full((len(names), 2), _NAN)
    corrected, interval = _NAN, ConfidenceInterval(_NAN, _NAN)
    # If the uncertainty is unknown, any model may be the best, and none is equivalent.
    is_in, are_near = np.ones(len(names), dtype=bool), np.zeros(len(names), dtype=bool)
    if all(model.is_known for model in models) and not np.isnan(estimates).any():
        errors = np.array([model.parts.standard_error for model in models])
        ends = np.array([model.interval() for model in models])
        _warn_resampling_size(models[0])
        corrected, interval = estimates[best], ConfidenceInterval(*ends[best].tolist())
        are_near = is_in
        if len(names) > 1:
            corrected, interval, moved = _correct_selection_bias(
                models, errors, sign, best
            )
            freedom = models[0].unit_dof
            is_in, are_near = _sets(sign * estimates, moved, plan, margin, freedom)
            is_in[best] = True
    choice: str | None = None
    near = np.flatnonzero(are_near)
    if costs is not None and len(near):
        # Among equally cheap models, the better one.
        choice = names[near[np.lexsort((-sign * estimates[near], costs[near]))[0]]]
    all_names = np.array(names, dtype=object)
    n_pos, n_neg = models[0].class_sizes
    return BestModel(
        metric=metric.name,
        names=names,
        values=estimates,
        standard_errors=errors,
        intervals=ends,
        best=names[best],
        value=float(estimates[best]),
        corrected_value=float(corrected),
        confidence_interval=interval,
        set=tuple(all_names[is_in]),
        confidence_level=plan.confidence_level,
        question=models[0].question,
        margin=margin,
        equivalent=None if margin is None else tuple(all_names[are_near]),
        choice=choice,
        n_pos=round(n_pos),
        n_neg=round(n_neg),
    )


def _correct_selection_bias(
    models: list[Evaluation], errors: FloatArray, sign: float, best: int
) -> tuple[float, ConfidenceInterval, FloatArray]:
    """Return the corrected value of the best, its interval, and draws of all models."""
    top = models[best]
    estimates = np.array([model.value for model in models])
    # The draws must not depend on the order of the models.
    order = np.lexsort((errors, estimates))
    units = _Units.of([models[k].influence for k in order], top.cases)
    left_out, moved = _drawn(sign * estimates[order], units, sign, top.plan)
    centers, error = _corrected(sign * estimates[order], moved, left_out)
    centers = np.clip(sign * centers, *top.bounds)
    # Folds are correlated, because training samples of one fold test another.
    factor = top.units.retraining_factor or 1.0
    error = float(np.hypot(factor * errors[best], error))
    intervals = [top.interval(error=error, value=x) for x in centers.tolist()]
    lows, highs = zip(*intervals, strict=True)
    interval = ConfidenceInterval(min(lows), max(highs))
    return centers[0], interval, moved[:, np.argsort(order)]


@dataclass(frozen=True, repr=False)
class BestModel(Drawn, Rows):
    """The best of several models, as :func:`skrate.select_best` returns it.

    ``float`` and ``format`` give ``corrected_value``; ``value`` is as measured.

    Attributes
    ----------
    metric : str
        Name of the metric.
    names : tuple of str
        The models. Arrays have an entry for each.
    values, standard_errors : array of shape (n_models,)
        The measured metric of each model, and its standard error.
    intervals : array of shape (n_models, 2)
        The interval of each model, as if it were the only one.
    best : str
        The model with the best value.
    value : float
        Its measured value, which includes luck.
    corrected_value : float
        Its value on new samples, without the luck of being selected.
    confidence_interval : ConfidenceInterval
        Interval about the corrected value; for folds as wide as for a retrained model.
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
        Number of positive and of negative samples.

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
        """Return the columns by name, with a row per model, the best first."""
        best_value = self.values[self.names.index(self.best)]
        sign = -1 if best_value < np.nanmean(self.values) else 1
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
        metric = f"{self.metric}{question_text(self.question)}"
        low, high = self.confidence_interval
        n = len(self.names)
        text = (
            f"BestModel({self.best!r} of {n} models, by the {metric}:\n"
            f"  {self.value:.4g} as measured, {self.corrected_value:.4g} on new "
            f"samples, {100 * self.confidence_level:g} % interval "
            f"[{low:.4g}, {high:.4g}]\n"
            f"  {len(self.set)} of {n} may be the best"
        )
        if self.equivalent is not None:
            n_near = len(self.equivalent) or "none"
            text += f"\n  {n_near} shown to be within {self.margin:g} of the best"
        if self.choice is not None:
            text += f", of which {self.choice!r} is the cheapest"
        return f"{text};\n  n_pos={self.n_pos}, n_neg={self.n_neg})"


def _warn_resampling_size(model: Evaluation) -> None:
    """Warn if a class is too small for resampling, or if there are not enough lists."""
    counts = {
        f"{name} samples": n for name, n in zip(CLASSES, model.cases.sizes, strict=True)
    }
    if isinstance(model, ListMean):
        counts = {"independent lists": float(model.cases.n_units)}
    for name, size in counts.items():
        if size < _FEW:
            warn(
                f"Label more: with {size:g} {name}, fewer than {_FEW}, the correction "
                "and the interval are unreliable."
            )


@dataclass(frozen=True)
class _Units:
    """The units to draw: the influence of each on each model, over the total weight.

    The influence is ``scale * steps``. The steps are integers, of shape (n_models,
    n_units), because sums of integers are exact in any order. ``repeats`` is the number
    of copies of each unit, and ``weights`` the weight of a copy.
    """

    steps: FloatArray
    scale: float
    weights: FloatArray
    repeats: IntArray

    @classmethod
    def of(cls, influence: list[FloatArray], cases: Ranked) -> _Units:
        """Return independent units: samples with their repetitions, or clusters."""
        rows: FloatArray = np.array(influence)
        # Common errors of labels are further units.
        shared = np.ones(rows.shape[1] - len(cases.is_pos))
        raw = weights = np.append(cases.row_weights, shared)
        repeats = None
        if cases.clusters is not None:
            rows = np.array([scaled_units(row, cases) for row in rows])
            weights = sum_units(np.ones(len(raw)), cases)
        elif cases.weights is not None and cases.are_repetitions:
            repeats, weights = np.rint(raw).astype(np.int64), np.ones(len(raw))
        else:
            rows, weights = rows * raw, raw
        if repeats is None:
            repeats = np.ones(len(weights), dtype=np.int64)
        rows /= dot(repeats, weights)
        rows -= np.average(rows, axis=1, weights=repeats)[:, None]
        bound = float(np.abs(rows).max()) * float(repeats.sum())
        scale = 2.0 ** float(np.ceil(np.log2(bound / _EXACT))) if bound > 0 else 1.0
        steps = np.rint(rows / scale)
        # The draws must not depend on the order of the samples.
        factors = np.sqrt(np.arange(2.0, len(steps) + 2))
        order = np.argsort(np.add.reduce(steps * factors[:, None]), kind="stable")
        steps = np.ascontiguousarray(steps[:, order])
        return cls(steps, scale, weights[order], repeats[order])


def _drawn(
    values: FloatArray, units: _Units, sign: float, plan: Plan
) -> tuple[float, FloatArray]:
    """Return the mean value of winners on left-out samples, and all changes."""
    generator = check_generator(plan.random_state)
    (n_models, n), repeats = units.steps.shape, units.repeats
    draw, is_repeated = count_draw([repeats]), repeats.max() > 1
    moved = np.empty((plan.n_resamples, n_models))
    judged = np.empty(plan.n_resamples)
    size = max(1, _BATCH // n)
    total, best = dot(repeats, units.weights), np.argmax(values)
    for first in range(0, plan.n_resamples, size):
        n_rows = min(size, plan.n_resamples - first)
        counts = draw(generator, n_rows)
        # Sums of integers are exact in any order.
        steps = counts.astype(np.float64) @ units.steps.T
        moved[first : first + n_rows] = sign * units.scale * steps
        winners = _find_best(values + moved[first : first + n_rows])
        n_out: Array = counts == 0
        if is_repeated:
            # Expected number of copies left out, if so many of all copies are drawn.
            n_out = repeats * (1 - 1 / repeats) ** counts
        for row, (absent, winner) in enumerate(zip(n_out, winners, strict=True)):
            fraction = dot(absent, units.weights) / total
            # Subtract the best, which has mean 0, to reduce the noise.
            ahead = units.steps[winner] - units.steps[best]
            left_out = float(absent @ ahead) / (fraction or 1.0)
            judged[first + row] = values[winner] + sign * units.scale * left_out
    return float(np.mean(judged)), moved


def _find_best(rows: FloatArray) -> IntArray:
    """Return the best of each draw, the first if several are equal up to rounding."""
    slack = SLACK * max(1.0, float(np.abs(rows).max()))
    is_best = rows >= rows.max(axis=1, keepdims=True) - slack
    return np.asarray(is_best.argmax(axis=1))


def _corrected(
    values: FloatArray, moved: FloatArray, left_out: float
) -> tuple[FloatArray, float]:
    """Return two corrected values of the best, and the standard error of selection.

    The second value is the better one of the first and the estimate ``a`` of the Notes.
    """
    best, rows = int(np.argmax(values)), np.arange(len(moved))
    top = values[best]
    # Subtract the changes of the best, which have mean 0, to remove most of the noise.
    lead = moved - moved[:, [best]]
    away = lead - lead.mean(axis=1, keepdims=True)
    noise = float(np.sum(away**2)) / len(moved) / (len(values) - 1)

    luck = lead[rows, _find_best(moved + _shrink_values(values, noise))].mean()
    pooled = (left_out + top - luck) / 2
    winners = _find_best(values + _ADDED * moved)
    fission = float(np.mean(values[winners] - lead[rows, winners] / _ADDED))
    # Not centered, so at least one model is a rival even with a small number of draws.
    far = np.sum(lead**2, axis=0) / len(moved)
    rivals = (far >= _ALIKE * noise) & (np.arange(len(values)) != best)
    reached = (moved[:, rivals] + _shrink_values(values[rivals], noise)).max(axis=1)
    is_reached = reached >= top - SLACK * max(1.0, abs(top))
    weight = min(1.0, _DOUBT * float(np.mean(is_reached))) ** 2
    corrected = weight * pooled + (1 - weight) * fission
    error = float(values[_find_best(values + moved)].std())
    return np.array([corrected, max(corrected, fission)]), error


def _shrink_values(values: FloatArray, noise: float) -> FloatArray:
    """Return values shrunk to their mean, with the variance of noise removed."""
    away = values - values.mean()
    total = float(np.sum(away**2)) / max(len(values) - 1, 1)
    signal = max(0.0, 1 - noise / total) if total > 0 else 0.0
    return np.asarray(values.mean() + np.sqrt(signal) * away)


def _sets(
    values: FloatArray,
    moved: FloatArray,
    plan: Plan,
    margin: float | None,
    freedom: float,
) -> tuple[BoolArray, BoolArray]:
    """Return which models may be the best, and which are within the margin of the best.

    Quantiles of the draws ignore that standard errors are estimated. Quantiles of
    Student's t with ``freedom`` degrees of freedom replace the normal quantiles.
    """

    def quantile(draws: FloatArray) -> float:
        tail = special.ndtr(-np.quantile(draws, plan.confidence_level))
        return -float(special.stdtrit(freedom, tail))

    n, max_critical = len(values), 0.0
    is_in = np.ones(n, dtype=bool)
    spread = np.zeros((n, n))
    for k in range(n):
        away = moved - moved[:, [k]]
        spread[k] = away.std(axis=0)
        # Identical models are never distinguished.
        differs = spread[k] > NEGLIGIBLE
        if not differs.any():
            continue
        highest = (away[:, differs] / spread[k, differs]).max(axis=1)
        critical = quantile(highest)
        max_critical = max(max_critical, critical)
        distance = ((values[differs] - values[k]) / spread[k, differs]).max()
        is_in[k] = distance <= critical
    if margin is None:
        return is_in, np.zeros(n, dtype=bool)
    # Only the pairs with the true best matter: u is the maximum over its k.
    worse = values - values[:, None] + max_critical * spread
    return is_in, np.asarray(worse.max(axis=1) <= margin)
