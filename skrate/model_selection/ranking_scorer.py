"""The scorer of the AUC within lists, and where it finds the lists."""

from collections.abc import Callable
from typing import Any

from sklearn import get_config

from skrate.core.arrays import Array
from skrate.metrics.list_average import Average, Policy
from skrate.metrics.ranking_auc import ranking_auc_score
from skrate.model_selection.responses import DEFAULT_RESPONSE
from skrate.model_selection.scorers import RankingScorer


class RankingAUCScorer(RankingScorer):
    """Score models by the AUC within lists, as a ``scoring=`` object.

    It selects the model that orders best what each user or query is shown, whatever
    the levels of the lists. It works for classifiers and, with
    ``response_method="predict"``, for regressors and rankers such as ``LGBMRanker``
    and ``XGBRanker``.

    Parameters
    ----------
    k : int, default=None
        If given, only the k items of the highest score of each list count.
    groups : str or pandas.Series, default=None
        Where the list of each row is found:

        - a str names a column of the data frame ``X``, which the estimator is given
          as well;
        - a Series is matched to ``X`` (or ``y``) by index;
        - None takes what metadata routing hands over, see Notes.
    undefined : {"skip", "nan"} or float, default="skip"
        What to do with a list that holds one class only: leave it out, make the score
        nan, or count this number.
    average : {"macro", "pairs", "positives", "size"}, default="macro"
        How much a list counts, as in :func:`ranking_auc_score`.
    relevance_threshold : float, default=None
        If given, ``y`` are grades and those from it on are relevant.
    response_method : str or tuple of str
        Methods of the estimator that give scores, the first that it has is used;
        "decision_function", then "predict_proba" by default. Pass "predict" for
        regressors and rankers.
    pos_label : int, float, bool or str, default=None
        The positive label. None takes 1 of {0, 1} and {-1, 1}, True of booleans, and
        of other labels the second, with a warning that names it.

    See Also
    --------
    sklearn.metrics.make_scorer : Scorers from functions; takes ours as well.
    ranking_auc_score : The metric.
    refit_best : A ``refit=`` rule that survives folds without a defined list.

    Notes
    -----
    Called as ``scorer(estimator, X, y, sample_weight=None, groups=None)``, it returns
    a float; nan with an ``UndefinedMetricWarning`` where no list is defined. With
    metadata routing, ask by ``set_score_request(groups=True)`` and pass ``groups``
    along with the data; they come before the parameter ``groups``. A ``ValueError``
    says which line to add where no lists are found.

    Split by lists, as :class:`sklearn.model_selection.GroupKFold` does: a list that is
    cut by a fold is compared in parts.

    Examples
    --------
    >>> import numpy as np
    >>> import sklearn
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GroupKFold, cross_val_score
    >>> from skrate import RankingAUCScorer
    >>> rng = np.random.default_rng(0)
    >>> user, X = np.arange(300) // 10, rng.normal(size=(300, 3))
    >>> y = (X[:, 0] + rng.normal(size=300) > 0.5).astype(int)
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     scorer = RankingAUCScorer(k=8).set_score_request(groups=True)
    ...     scores = cross_val_score(
    ...         LogisticRegression(), X, y, scoring=scorer, cv=GroupKFold(3),
    ...         params={"groups": user},
    ...     )
    >>> scores.shape
    (3,)
    """

    metric = staticmethod(ranking_auc_score)

    def __init__(
        self,
        k: int | None = None,
        groups: Any = None,
        undefined: Policy | float = "skip",
        average: Average = "macro",
        relevance_threshold: float | None = None,
        response_method: Any = DEFAULT_RESPONSE,
        pos_label: Any = None,
    ) -> None:
        self.k = k
        self.groups = groups
        self.undefined = undefined
        self.average = average
        self.relevance_threshold = relevance_threshold
        self.response_method = response_method
        self.pos_label = pos_label

    @property
    def _kwargs(self) -> dict[str, Any]:
        params = super()._kwargs
        del params["groups"]
        return params

    def _score(
        self,
        method_caller: Callable[..., Array],
        estimator: Any,
        X: Any,
        y_true: Any,
        **kwargs: Any,
    ) -> float:
        """Score ``estimator`` on the lists that were handed over or are found."""
        if kwargs.get("groups") is None:
            kwargs["groups"] = self._find_groups(X, y_true)
        if self.relevance_threshold is not None:
            # The classes of the estimator are then no labels of the metric.
            kwargs["pos_label"] = None
        return super()._score(method_caller, estimator, X, y_true, **kwargs)

    def _estimated(self, y_true: Any) -> Any:
        return y_true if self.relevance_threshold is None else None

    def _find_groups(self, X: Any, y_true: Any) -> Any:
        name = type(self).__name__
        if self.groups is None:
            raise ValueError(f"{name} found no groups: {_line_to_add(name)}.")
        if isinstance(self.groups, str):
            columns = list(getattr(X, "columns", []))
            if self.groups not in columns:
                found = f"the columns {columns}" if columns else "no columns"
                raise ValueError(
                    f"groups={self.groups!r} of {name} is not a column of X, a "
                    f"{type(X).__name__} with {found}."
                )
            return X[self.groups]
        if not hasattr(self.groups, "loc"):
            raise ValueError(
                f"groups of {name} must be the name of a column or a pandas Series, "
                f"got a {type(self.groups).__name__} of "
                f"{type(self.groups).__module__.split('.')[0]} without an index: rows "
                "of a fold could not be told in it."
            )
        return self._match(X, y_true)

    def _match(self, X: Any, y_true: Any) -> Any:
        """Return the entries of the Series ``groups`` at the index of the data."""
        name = type(self).__name__
        data = next((part for part in (X, y_true) if hasattr(part, "loc")), None)
        if data is None:
            raise ValueError(
                f"groups of {name} is matched by index, but neither X nor y has one: "
                "pass X as a data frame, or y as a Series."
            )
        if not self.groups.index.is_unique:
            raise ValueError(f"groups of {name} has an index with duplicates.")
        missing = ~data.index.isin(self.groups.index)
        if missing.any():
            raise ValueError(
                f"groups of {name} has no entry for {int(missing.sum())} of "
                f"{len(missing)} rows, the first at index {data.index[missing][0]!r}."
            )
        return self.groups.loc[data.index]


def _line_to_add(name: str) -> str:
    """Return what to write, which depends on whether metadata are routed."""
    column = f"{name}(groups='user_id') with a data frame X that has the column"
    if get_config()["enable_metadata_routing"]:
        return (
            "add scorer.set_score_request(groups=True), and pass groups with the data "
            f"(params={{'groups': groups}} to cross_validate); or write {column}"
        )
    return (
        f"write {column}, or {name}(groups=series) with a pandas Series that has the "
        "index of X; or add sklearn.set_config(enable_metadata_routing=True) and "
        "scorer.set_score_request(groups=True)"
    )
