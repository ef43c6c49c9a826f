"""The best of several models, with its value corrected for the selection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import compress
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
from skrate.data.folds import FoldRankings, accept_reports, are_fold_rankings
from skrate.data.table import check_alone
from skrate.inference.cautions import CLASSES
from skrate.inference.evaluation import Evaluation
from skrate.inference.group_scores import GroupScores, compute_list_scores
from skrate.inference.intervals import SLACK
from skrate.inference.judged_lists import evaluate_lists
from skrate.inference.list_means import ListMean
from skrate.inference.models import evaluate_models
from skrate.inference.options import Plan
from skrate.inference.rankings import (
    SAMPLE_ARGUMENTS,
    WEIGHTS,
    Ranked,
    RankingsOfModels,
    ScoresOfModels,
    Weights,
    check_model_columns,
    check_several,
    find_model_rankings,
    name_models,
)
from skrate.inference.resampling import count_draw
from skrate.inference.variance import scaled_units, sum_units
from skrate.metrics.hypothesis_tests import NEGLIGIBLE, ConfidenceInterval
from skrate.metrics.metric import MetricLike, check_metric_first
from skrate.metrics.result_types import Drawn, Params, Rows, params_text, plain_columns

_NAN = float("nan")
_ARGUMENTS: dict[str, Check] = {
    "confidence_level": check_fraction,
    "margin": or_none(check_positive),
    "n_resamples": check_count,
    "weights": WEIGHTS,
    "n_jobs": check_n_jobs,
}


@accept_reports
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

    The best of many models is partly good and partly lucky: on new samples its value
    will be lower than on the samples that selected it. This function estimates the luck
    and subtracts it, without training again, and lists the models that may be the best.

    Parameters
    ----------
    metric : callable or str
        A score function of this package, such as :func:`rate_weighted_auc_score`; its
        name, with or without "_score"; or a :func:`functools.partial` or a scorer of a
        score function. :func:`sklearn.metrics.roc_auc_score` and
        :func:`sklearn.metrics.average_precision_score` are also accepted, without
        options.
    y_true : array-like of shape (n_samples,), or mapping or list of results
        True labels of two classes. Without ``y_score``: a mapping from the name of each
        model to its :class:`FoldRankings`, all on the same folds, as
        :func:`search_rankings` returns it; a list of FoldRankings; or for values within
        lists, a mapping or list of the :class:`GroupScores` of the models.
    y_score : mapping, data frame or array-like, default=None
        A mapping from the name of each model to its scores, of shape (n_samples,); or a
        data frame or an array of shape (n_samples, n_models).
    confidence_level : float, default=0.95
        Level of the interval and of the ``set`` of models that may be the best.
    margin : float, default=None
        The loss that you accept for an equivalent model, such as 0.01: with confidence
        ``confidence_level``, its metric differs by at most this from the metric of the
        best model. If None, equivalent models are not determined.
    cost : mapping, default=None
        A mapping from the name of each model to its cost, such as seconds or the number
        of features. The cheapest equivalent model is the ``choice`` of the result, so
        ``cost`` needs ``margin``.
    n_resamples : int, default=2000
        Number of bootstrap replicates.
    groups : array-like of shape (n_samples,), default=None
        An identifier of each row's list, for a metric that is computed within lists,
        such as :func:`ndcg_score`. Replicates are then drawn from the lists instead of
        the samples, and ``sample_weight`` has the weight of each row within its list.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient. Clusters are independent, but
        samples in a cluster may depend on each other. With ``groups``, all rows of a
        list must have the same cluster.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    weights : {"frequency", "sampling"}, default="frequency"
        The meaning of the weights. "frequency": whole numbers of repetitions of a
        sample. "sampling": inverses of the probabilities with which samples were drawn.
        For a case-control study, use the average precision with its ``prevalence=``.
    pos_label : int, float, bool or str, default=None
        The positive label. If None, the labels must be {0, 1}, {-1, 1} or booleans, and
        the larger one is positive.
    random_state : int, Generator or RandomState, default=None
        Source of the replicates.
    n_jobs : int, default=None
        Number of threads; the result does not depend on it.
    **metric_kwargs : dict
        Parameters of the metric, such as ``rate``. With ``groups``, also ``average``
        and ``undefined``, as in :meth:`GroupScores.mean`.

    Returns
    -------
    result : BestModel
        The name of the best model (``best``), its measured ``value``, its
        ``corrected_value`` with a ``confidence_interval``, the ``set`` of models that
        may be the best, the ``equivalent`` models if there is a ``margin``, and with
        ``cost`` the cheapest of these (``choice``), or None if there is none. A single
        model is not corrected, and has the interval of :func:`estimate`.

    Raises
    ------
    ValueError
        If labels, scores, weights or clusters are invalid or differ in length; if folds
        differ between models; if ``cost`` lacks a model or is given without ``margin``;
        or if the metric does not support ``groups``.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two samples, or the metric is undefined.
    UserWarning
        If a class has fewer than 10 samples, or there are fewer than 10 lists; and the
        warnings of :func:`estimate`.

    See Also
    --------
    compare : The differences of all pairs, with tests.
    search_rankings : The rankings of the candidates of a hyperparameter search.
    refit_best : Selection of a candidate by the scores of a search.

    Notes
    -----
    Let :math:`\theta_k` be the measured metric of model k, :math:`\psi_{ik}` the
    influence of sample i on it (about n times its change per added weight of sample i,
    with mean 0), and :math:`c_i` the number of times that a bootstrap replicate
    contains sample i, for i = 1 to n. The replicate selects the model

    .. math:: k^* = \arg\max_k \; \theta_k + \frac{1}{n} \sum_i c_i \psi_{ik}.

    Let model 1 be the model with the best value on all samples. The samples that are
    not in the replicate estimate the value of :math:`k^*` by

    .. math:: \theta_{k^*} + \frac{\sum_i 1\{c_i = 0\} (\psi_{ik^*} - \psi_{i1})}
              {\sum_i 1\{c_i = 0\}}.

    The influence on model 1, which has mean 0, is subtracted to reduce the variance.
    The mean of these estimates over replicates, :math:`b`, is the bootstrap bias
    corrected cross-validation of [1]_, with influence values instead of recomputing the
    metric on each replicate. It is too pessimistic if models differ, because a
    replicate selects worse models than all samples do. Therefore the luck of model 1 is
    also estimated directly by :math:`\bar{L}`, the mean over replicates of

    .. math:: L = \frac{1}{n} \sum_i c_i (\psi_{im} - \psi_{i1}), \quad
              m = \arg\max_k \; \mu_k + \frac{1}{n} \sum_i c_i \psi_{ik}.

    Here :math:`\mu_k` is :math:`\theta_k`, but its deviation from the mean of all
    models is multiplied by :math:`\sqrt{\max(0, 1 - v / V)}`, because measured values
    vary more than true values. :math:`V` is the variance of the :math:`\theta_k`, and
    :math:`v` is half the sampling variance of a difference between two models, averaged
    over pairs.

    If one model is truly better than all others, its value is moved too far towards the
    mean, and both :math:`b` and :math:`\theta_1 - \bar{L}` are too pessimistic. A third
    estimate, :math:`a`, makes no assumption about the models: it selects a model by
    values with added noise, and evaluates it by values with independent noise (data
    fission [2]_). If :math:`e_k = \frac{1}{n} \sum_i c_i \psi_{ik}` is distributed as
    the error of :math:`\theta_k`, then :math:`\theta_k - e_k / t` is independent of
    :math:`\theta_k + t e_k`. If a model is selected by :math:`\theta_k + t e_k`, its
    :math:`\theta_k - e_k / t` is therefore unbiased. With :math:`t = 0.3`, the noise
    changes the selection slightly. This estimate has a larger variance:

    .. math:: a = E\Bigl[\theta_h - \frac{e_h - e_1}{t}\Bigr], \quad
              h = \arg\max_k \; \theta_k + t e_k,

    where E is the mean over replicates. :math:`e_1` has mean 0 and reduces the
    variance. The weight of :math:`a` depends on the rivals of model 1. These are all
    other models except near-copies, for which the variance of the difference from model
    1 is below :math:`v / 2`. Let q be the fraction of replicates in which a rival has
    :math:`\mu_k + e_k \ge \theta_1`, where :math:`\mu_k` is computed from the rivals
    only. With :math:`w = \min(1, (6 q)^2)`, the corrected value is

    .. math:: w \, \frac{b + \theta_1 - \bar{L}}{2} + (1 - w) \, a.

    The interval is for the metric of the selected model on new samples. It is the
    interval of :func:`estimate`, but about the corrected value. The variance of
    :math:`\theta_{k^*}` over replicates is added to the squared standard error, because
    another model may be the best. If :math:`a` is better than the corrected value, the
    end with the better metric (the upper one, if higher is better) is computed about
    :math:`a`. For folds with ``indices``, as from :func:`cross_val_rankings`, the
    interval is as wide as for a retrained model: the correction of Nadeau and Bengio
    (:func:`compare_folds`) widens it, because folds have training samples in common.
    Some metrics, such as the average precision, are biased
    in small samples; this bias is not removed.

    Model k is in the set if :math:`\max_j (\theta_j - \theta_k) / s_{jk}` is at most a
    critical value :math:`u_k`, where :math:`s_{jk}` is the standard error of the
    difference. Let x be the quantile, at the confidence level, of :math:`\max_j (e_j -
    e_k) / s_{jk}` over replicates. The critical value is the quantile of Student's t at
    the probability :math:`\Phi(x)`, with the normal distribution function :math:`\Phi`.
    The degrees of freedom are :math:`(\sum w)^2 / \sum w^2 - 1` for the class in which
    this is smaller. The w are the weights of the samples of the class or, with
    clusters, its total weights in the clusters. (For folds with clusters, each group of
    folds loses one; for lists, they are those of the mean.) Each truly best model is
    therefore in the set with a probability of about the confidence level. Model k is
    equivalent if :math:`\theta_j - \theta_k + u s_{jk} \le` ``margin`` for all j, where
    :math:`u = \max_k u_k`. With a probability of about the confidence level, all
    equivalent models are within the margin of the truly best model. (A model outside
    the margin is called equivalent only if its measured loss, relative to the truly
    best model, underestimates the true loss by more than u standard errors.) In
    simulations a model that was worse by the margin was called equivalent in 3 to 5 %
    of 400 data sets.

    If one of many models is truly better than the others, the correction is somewhat
    too large: in simulations by 0.005 to 0.016, and intervals of level 0.95 had a
    coverage of 0.90 to 0.96. In simulations with two or four equally good models, each
    of them was in the set in 93 to 97 % of 150 to 200 data sets, with 6 or 12
    clusters of equal or unequal sizes, or with 30 or 100 positives.

    Cost: one sort per model, and O(n_samples x n_models x n_resamples) for the
    replicates.

    References
    ----------
    .. [1] Tsamardinos, Greasidou and Borboudakis (2018), Bootstrapping the
       out-of-sample predictions for efficient and accurate cross-validation,
       :doi:`10.1007/s10994-018-5714-4`.
    .. [2] Leiner, Duan, Wasserman and Ramdas (2023), Data fission: splitting a single
       data point, :doi:`10.1080/01621459.2023.2270748`.

    Examples
    --------
    Thirty models are equally good, with a true AUC of 0.76:

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
    sample_options = {name: args[name] for name in SAMPLE_ARGUMENTS}
    metric_options = metric, metric_kwargs
    are_lists = are_fold_rankings(y_true, GroupScores)
    if are_lists:
        check_alone(GroupScores, y_score=y_score, groups=groups)
    if groups is None and not are_lists:
        samples = find_model_rankings(
            "y_score", y_score, y_true, sample_options, weights, least=1
        )
        names = list(samples)
        evaluations = evaluate_models(metric_options, list(samples.values()), plan)
    else:
        if are_fold_rankings(y_true):
            raise ValueError(
                "groups cannot be used with FoldRankings: pass labels and scores."
            )
        if are_lists:
            models = check_several("y_true", name_models(y_true), 1)
        else:
            models = check_model_columns("y_score", y_score, y_true, least=1)
        lists, list_options = compute_list_scores(
            *metric_options, y_true, models, groups, sample_options
        )
        names = list(lists)
        evaluations = list(evaluate_lists(list(lists.values()), plan, **list_options))
    costs = _check_cost(cost, margin, names)
    return _find_best_model(tuple(map(str, names)), evaluations, plan, margin, costs)


def _check_order(y_true: Any, y_score: Any) -> None:
    """Raise an error if labels or scores are missing, swapped or of another kind."""
    for name, data in {"y_true": y_true, "y_score": y_score}.items():
        if hasattr(data, "fit"):
            raise ValueError(
                f"{name} is a {type(data).__name__}: pass search_rankings(search, "
                "X, y) as y_true, or a dict of the cross_val_rankings of each model, "
                "because an estimator does not contain the scores of the samples."
            )
    if are_fold_rankings(y_true, FoldRankings | GroupScores):
        return
    if isinstance(y_true, Mapping) or getattr(y_true, "shape", ())[1:] > (1,):
        raise ValueError(
            "y_true must be labels, got the scores of several models: pass the labels "
            "first, select_best(metric, y_true, y_score)."
        )
    if y_score is None:
        raise ValueError(
            "y_score is missing: pass a dict of the scores of each model; or pass as "
            "y_true a dict of the FoldRankings of each model, not "
            f"{type(y_true).__name__}."
        )


def _check_cost(
    cost: Mapping[Any, float] | None, margin: float | None, names: list[str]
) -> FloatArray | None:
    """Return the costs in the order of ``names``, or None if ``cost`` is None."""
    if cost is None:
        return None
    if margin is None:
        raise ValueError(
            "cost needs a margin: pass the loss that you accept for a cheaper model, "
            "such as margin=0.01."
        )
    if not isinstance(cost, Mapping):
        kind = type(cost).__name__
        raise ValueError(f"cost must be a dict of model names to numbers, got {kind}.")
    checked_costs = check_several("cost", cost, 1)
    cost_by_name = {str(name): value for name, value in checked_costs.items()}
    missing = [name for name in names if name not in cost_by_name]
    if missing:
        raise ValueError(f"cost lacks {missing}: pass the cost of each model.")
    costs = as_real("cost", [cost_by_name[name] for name in names])
    if not np.isfinite(costs).all():
        raise ValueError(f"cost must have finite numbers, got {costs.tolist()}.")
    return costs


def _find_best_model(
    names: tuple[str, ...],
    models: list[Evaluation],
    plan: Plan,
    margin: float | None,
    costs: FloatArray | None,
) -> BestModel:
    """Return the best of the evaluated models, with all fields of the result."""
    metric = models[0].metric
    sign = 1.0 if metric.greater_is_better else -1.0
    estimates = np.array([model.value for model in models])
    best = 0 if np.isnan(estimates).all() else int(np.nanargmax(sign * estimates))
    errors, intervals = np.full(len(names), _NAN), np.full((len(names), 2), _NAN)
    corrected, interval = _NAN, ConfidenceInterval(_NAN, _NAN)
    # This is the result if the uncertainty is unknown: any model may be the best.
    may_be_best = np.ones(len(names), dtype=bool)
    is_equivalent = np.zeros(len(names), dtype=bool)
    if all(model.is_known for model in models) and not np.isnan(estimates).any():
        errors = np.array([model.parts.standard_error for model in models])
    if not np.isnan(errors).any():
        intervals = np.array([model.interval() for model in models])
        _warn_resampling_size(models[0])
        corrected = estimates[best]
        interval = ConfidenceInterval(*intervals[best].tolist())
        is_equivalent = may_be_best
        if len(names) > 1:
            corrected, interval, changes = _correct_selection_bias(
                models, errors, sign, best
            )
            dof = models[0].unit_dof
            may_be_best, is_equivalent = _find_sets(
                sign * estimates, changes, plan, margin, dof
            )
            may_be_best[best] = True
    n_pos, n_neg = models[0].class_sizes
    return BestModel(
        metric=metric.name,
        names=names,
        values=estimates,
        standard_errors=errors,
        intervals=intervals,
        best=names[best],
        value=float(estimates[best]),
        corrected_value=float(corrected),
        confidence_interval=interval,
        set=tuple(compress(names, may_be_best)),
        confidence_level=plan.confidence_level,
        params=models[0].params,
        margin=margin,
        equivalent=None if margin is None else tuple(compress(names, is_equivalent)),
        choice=_choose_model(names, sign * estimates, costs, is_equivalent),
        n_pos=round(n_pos),
        n_neg=round(n_neg),
    )


def _choose_model(
    names: tuple[str, ...],
    values: FloatArray,
    costs: FloatArray | None,
    is_equivalent: BoolArray,
) -> str | None:
    """Return the cheapest equivalent model, and of equally cheap ones the best."""
    if costs is None or not is_equivalent.any():
        return None
    equivalent = np.flatnonzero(is_equivalent)
    order = np.lexsort((-values[equivalent], costs[equivalent]))
    return names[int(equivalent[order[0]])]


def _correct_selection_bias(
    models: list[Evaluation], errors: FloatArray, sign: float, best: int
) -> tuple[float, ConfidenceInterval, FloatArray]:
    """Return the best model's corrected value and interval, and all models' changes."""
    best_model = models[best]
    estimates = np.array([model.value for model in models])
    # Replicates must not depend on the order of the models.
    order = np.lexsort((errors, estimates))
    units = _BootstrapUnits.of([models[k].influence for k in order], best_model.samples)
    left_out_value, changes = _draw_changes(
        sign * estimates[order], units, sign, best_model.plan
    )
    corrected_values, error = _correct_value(
        sign * estimates[order], changes, left_out_value
    )
    corrected_values = np.clip(sign * corrected_values, *best_model.bounds)
    # Folds are correlated, because they have training samples in common.
    factor = best_model.units.retraining_factor or 1.0
    error = float(np.hypot(factor * errors[best], error))
    intervals = [
        best_model.interval(error=error, value=value)
        for value in corrected_values.tolist()
    ]
    lows, highs = zip(*intervals, strict=True)
    interval = ConfidenceInterval(min(lows), max(highs))
    return corrected_values[0], interval, changes[:, np.argsort(order)]


@dataclass(frozen=True, repr=False)
class BestModel(Drawn, Rows):
    """The best of several models, as :func:`skrate.select_best` returns it.

    ``float(result)`` and ``format(result, ...)`` use ``corrected_value``.

    Attributes
    ----------
    metric : str
        Name of the metric.
    names : tuple of str
        The names of the models, in the order of the arrays below.
    values, standard_errors : array of shape (n_models,)
        The measured metric of each model, and its standard error.
    intervals : array of shape (n_models, 2)
        The interval of each model, without a correction for the selection.
    best : str
        The model with the best value.
    value : float
        The measured value of the best model. It is too good on average, because the
        model was selected by it.
    corrected_value : float
        The estimated value of the best model on new samples, corrected for the
        selection.
    confidence_interval : ConfidenceInterval
        The interval of the corrected value. For folds with ``indices`` it is as wide as
        for a retrained model.
    set : tuple of str
        The models that may be the best.
    confidence_level : float
        Level of the intervals, and of the set of models that may be the best.
    params : dict
        The parameters of the metric.
    margin : float or None
        The maximum loss of an equivalent model.
    equivalent : tuple of str or None
        The models that are shown to be within the margin of the best; None if there is
        no margin.
    choice : str or None
        The cheapest equivalent model; None if there are no costs or no equivalent
        models.
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
    params: Params
    margin: float | None
    equivalent: tuple[str, ...] | None
    choice: str | None
    n_pos: int
    n_neg: int
    _index = "model"
    _number = "corrected_value", "confidence_interval"

    def to_dict(self) -> dict[str, Any]:
        """Return a dict of columns, with one row per model and the best model first.

        "corrected_value", "corrected_low" and "corrected_high" are known for the best
        model only, and None for the others.
        """
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
        corrected = self.corrected_value, *self.confidence_interval
        for name, number in zip(("value", "low", "high"), corrected, strict=True):
            others = [None] * (len(names) - 1)
            columns[f"corrected_{name}"] = [number, *others]
        return plain_columns(columns, **self.params)

    def __repr__(self) -> str:
        metric = f"{self.metric}{params_text(self.params)}"
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
    """Warn if a class, or the number of lists, is too small for the bootstrap."""
    counts = {
        f"{name} samples": n
        for name, n in zip(CLASSES, model.samples.sizes, strict=True)
    }
    if isinstance(model, ListMean):
        counts = {"independent lists": float(model.n_units)}
    # With fewer samples of a class, replicates do not show its distribution.
    min_samples = 10
    for name, size in counts.items():
        if size < min_samples:
            warn(
                f"{size:g} {name} are fewer than {min_samples}, so the correction and "
                "the interval are unreliable: label more."
            )


@dataclass(frozen=True)
class _BootstrapUnits:
    """The independent units of the bootstrap: samples, clusters or lists.

    ``scale * steps`` has the influence of each unit on each model, divided by the total
    weight. ``steps`` contains integers, of shape (n_models, n_units), because sums of
    integers are exact in any order. ``n_copies`` has the number of copies of each unit,
    which are drawn independently, and ``weights`` has the weight of one copy.
    """

    steps: FloatArray
    scale: float
    weights: FloatArray
    n_copies: IntArray

    @classmethod
    def of(cls, influence: list[FloatArray], samples: Ranked) -> _BootstrapUnits:
        """Return the units: samples with their numbers of repetitions, or clusters."""
        rows: FloatArray = np.array(influence)
        # Errors that several estimated labels have in common are further units.
        error_weights = np.ones(rows.shape[1] - len(samples.is_pos))
        row_weights = weights = np.append(samples.row_weights, error_weights)
        n_copies = None
        if samples.clusters is not None:
            rows = np.array([scaled_units(row, samples) for row in rows])
            weights = sum_units(np.ones(len(row_weights)), samples)
        elif samples.weights is not None and samples.are_repetitions:
            n_copies = np.rint(row_weights).astype(np.int64)
            weights = np.ones(len(row_weights))
        else:
            rows, weights = rows * row_weights, row_weights
        if n_copies is None:
            n_copies = np.ones(len(weights), dtype=np.int64)
        rows /= dot(n_copies, weights)
        rows -= np.average(rows, axis=1, weights=n_copies)[:, None]
        bound = float(np.abs(rows).max()) * float(n_copies.sum())
        # Sums of integers below this number are exact in any order.
        max_exact = 2.0**52
        scale = 2.0 ** float(np.ceil(np.log2(bound / max_exact))) if bound > 0 else 1.0
        steps = np.rint(rows / scale)
        # Replicates must not depend on the order of the samples.
        factors = np.sqrt(np.arange(2.0, len(steps) + 2))
        order = np.argsort(np.add.reduce(steps * factors[:, None]), kind="stable")
        steps = np.ascontiguousarray(steps[:, order])
        return cls(steps, scale, weights[order], n_copies[order])


def _draw_changes(
    values: FloatArray, units: _BootstrapUnits, sign: float, plan: Plan
) -> tuple[float, FloatArray]:
    """Return the estimate ``b`` of the Notes, and the changes of all models.

    The change of a model in a replicate is the replicate minus the measured value,
    with the sign for which greater is better. The shape is (n_resamples, n_models).
    """
    generator = check_generator(plan.random_state)
    (n_models, n), n_copies = units.steps.shape, units.n_copies
    draw, has_copies = count_draw([n_copies]), n_copies.max() > 1
    changes = np.empty((plan.n_resamples, n_models))
    left_out_values = np.empty(plan.n_resamples)
    # Each batch has an array of at most 2^22 counts, with a row per replicate.
    size = max(1, 2**22 // n)
    total, best = dot(n_copies, units.weights), np.argmax(values)
    for first in range(0, plan.n_resamples, size):
        n_rows = min(size, plan.n_resamples - first)
        counts = draw(generator, n_rows)
        # Sums of integers are exact in any order.
        steps = counts.astype(np.float64) @ units.steps.T
        changes[first : first + n_rows] = sign * units.scale * steps
        winners = _find_best(values + changes[first : first + n_rows])
        left_out_copies: Array = counts == 0
        if has_copies:
            # Each of r copies is absent from c draws with the probability (1 - 1/r)^c.
            left_out_copies = n_copies * (1 - 1 / n_copies) ** counts
        pairs = zip(left_out_copies, winners, strict=True)
        for row, (copies, winner) in enumerate(pairs):
            fraction = dot(copies, units.weights) / total
            # Subtracting the best model, with mean 0, reduces the variance.
            lead = units.steps[winner] - units.steps[best]
            gain = float(copies @ lead) / (fraction or 1.0)
            left_out_values[first + row] = values[winner] + sign * units.scale * gain
    return float(np.mean(left_out_values)), changes


def _find_best(rows: FloatArray) -> IntArray:
    """Return the best model of each row, the first if some are equal up to rounding."""
    slack = SLACK * max(1.0, float(np.abs(rows).max()))
    is_best = rows >= rows.max(axis=1, keepdims=True) - slack
    return np.asarray(is_best.argmax(axis=1))


def _correct_value(
    values: FloatArray, changes: FloatArray, left_out_value: float
) -> tuple[FloatArray, float]:
    """Return two corrected values of the best model, and the error due to selection.

    The second value is the maximum of the first value and the estimate ``a`` of the
    Notes. The error is the standard deviation of the selected model's value.
    """
    best, rows = int(np.argmax(values)), np.arange(len(changes))
    best_value = values[best]
    # Subtracting the changes of the best model, with mean 0, reduces the variance.
    leads = changes - changes[:, [best]]
    deviations = leads - leads.mean(axis=1, keepdims=True)
    noise = float(np.sum(deviations**2)) / len(changes) / (len(values) - 1)

    luck = leads[rows, _find_best(changes + _shrink_values(values, noise))].mean()
    mean_estimate = (left_out_value + best_value - luck) / 2
    # The factor t in the Notes: the noise that is added to the values to select.
    fission_factor = 0.3
    winners = _find_best(values + fission_factor * changes)
    evaluated = values[winners] - leads[rows, winners] / fission_factor
    fission_value = float(np.mean(evaluated))
    # Not centered, as `noise`: the maximum is at least `noise`, so there is a rival.
    squares = np.sum(leads**2, axis=0) / len(changes)
    # Near-copies of the best model have less than half of this variance.
    rivals = (squares >= noise / 2) & (np.arange(len(values)) != best)
    rival_values = changes[:, rivals] + _shrink_values(values[rivals], noise)
    is_reached = rival_values.max(axis=1) >= best_value - SLACK * max(
        1.0, abs(best_value)
    )
    # If rivals are often as good, `a` has no weight.
    weight = min(1.0, 6 * float(np.mean(is_reached))) ** 2
    corrected = weight * mean_estimate + (1 - weight) * fission_value
    error = float(values[_find_best(values + changes)].std())
    return np.array([corrected, max(corrected, fission_value)]), error


def _shrink_values(values: FloatArray, noise: float) -> FloatArray:
    """Return the values moved towards their mean: their variance minus ``noise``."""
    deviations = values - values.mean()
    total = float(np.sum(deviations**2)) / max(len(values) - 1, 1)
    signal = max(0.0, 1 - noise / total) if total > 0 else 0.0
    return np.asarray(values.mean() + np.sqrt(signal) * deviations)


def _find_sets(
    values: FloatArray,
    changes: FloatArray,
    plan: Plan,
    margin: float | None,
    dof: float,
) -> tuple[BoolArray, BoolArray]:
    """Return which models may be the best, and which are equivalent to the best.

    Quantiles of the replicates ignore that standard errors are estimated. Quantiles of
    Student's t with ``dof`` degrees of freedom therefore replace normal quantiles.
    """

    def t_quantile(statistics: FloatArray) -> float:
        tail = special.ndtr(-np.quantile(statistics, plan.confidence_level))
        return -float(special.stdtrit(dof, tail))

    n, max_critical_value = len(values), 0.0
    may_be_best = np.ones(n, dtype=bool)
    errors = np.zeros((n, n))
    for k in range(n):
        deviations = changes - changes[:, [k]]
        errors[k] = deviations.std(axis=0)
        # A model is not compared with models that have the same influence.
        differs = errors[k] > NEGLIGIBLE
        if not differs.any():
            continue
        max_statistics = (deviations[:, differs] / errors[k, differs]).max(axis=1)
        critical_value = t_quantile(max_statistics)
        max_critical_value = max(max_critical_value, critical_value)
        max_statistic = ((values[differs] - values[k]) / errors[k, differs]).max()
        may_be_best[k] = max_statistic <= critical_value
    if margin is None:
        return may_be_best, np.zeros(n, dtype=bool)
    # The best model k is unknown: use the maximum of all critical values.
    loss_bounds = values - values[:, None] + max_critical_value * errors
    return may_be_best, np.asarray(loss_bounds.max(axis=1) <= margin)
