"""
=======================================
Select a model by the rate-weighted AUC
=======================================

A clinic re-examines the scans that a model ranks highest, as many as its budget of
time allows. How many that will be is known only roughly. Which model should rank?

We elicit the budget, search four families of models with
:class:`~skrate.RateWeightedAUCScorer`, compare the choice with that of other metrics,
look at the two leading models over the folds, and report in counts what they find among
scans that took no part in any of this.
"""

# %%
# The budget, in words and as a distribution
# ------------------------------------------
# There are 569 scans (scikit-learn's breast cancer data) and 20 hours; nobody knows how
# long a second look takes on average, but it is between 6 and 20 minutes.

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_validate,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from skrate import (
    AveragePrecisionScorer,
    RateAveragedROC,
    RateWeightedAUCScorer,
    budget_report,
    expected_recall_score,
    rates,
    refit_best,
)
from skrate.displays import CurveComparisonDisplay

data = load_breast_cancer()
# Four measurements without a size, so that the ranking is not easy.
features = [
    "mean texture",
    "mean smoothness",
    "mean symmetry",
    "mean fractal dimension",
]
X = data.data[:, np.isin(data.feature_names, features)]
y = data.target_names[data.target]
# Three scans of ten are kept for the report at the end.
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.3, stratify=y, random_state=7
)

budget = rates.from_budget(20 * 60, n_items=len(y), cost=(6, 20))
print(f"Budget: {budget.describe()}.\n        ({budget!r})")

# %%
# One search, four metrics
# ------------------------
# The labels are strings, which do not say what is positive: the scorers are told. With
# no name they would take the second class, "malignant", and warn that they do. Ours
# share one prediction per fold, and scikit-learn's another.

scoring = {
    "rAUC": RateWeightedAUCScorer(
        rate=budget, pos_label="malignant"
    ),
    "AUC": "roc_auc",
    "AP": AveragePrecisionScorer(pos_label="malignant"),
    "recall": make_scorer(
        expected_recall_score,
        response_method=("decision_function", "predict_proba"),
        rate=budget,
        pos_label="malignant",
    ),
}

families = {
    "logistic regression": (
        LogisticRegression(max_iter=5_000),
        "C",
        [0.001, 0.1, 10],
    ),
    "linear SVM": (LinearSVC(dual=False), "C", [0.0001, 0.01, 1]),
    "naive Bayes": (GaussianNB(), "var_smoothing", [1e-9, 1e-2, 1]),
    "random forest": (
        RandomForestClassifier(n_estimators=50, random_state=0),
        "min_samples_leaf",
        [1, 5, 20],
    ),
}
grid = [
    {"model": [model], f"model__{name}": values}
    for model, name, values in families.values()
]

search = GridSearchCV(
    Pipeline(
        [("scale", StandardScaler()), ("model", GaussianNB())]
    ),
    grid,
    scoring=scoring,
    refit=refit_best("rAUC"),
    cv=StratifiedKFold(10, shuffle=True, random_state=0),
    n_jobs=-1,
).fit(X_train, y_train)

# %%
# The candidates, family by family
# --------------------------------
# Each family is represented by its best setting according to the rAUC; mean and
# standard deviation are over the ten folds.

results = search.cv_results_
models = [
    type(params["model"]).__name__ for params in results["params"]
]
best = {
    family: max(
        (
            i
            for i, name in enumerate(models)
            if name == type(model).__name__
        ),
        key=lambda i: results["mean_test_rAUC"][i],
    )
    for family, (model, _, _) in families.items()
}

print(f"\n{'':22}" + "".join(f"{name:>18}" for name in scoring))
for family, i in best.items():
    cells = (
        f"{results[f'mean_test_{name}'][i]:.4f} ± "
        f"{results[f'std_test_{name}'][i]:.4f}"
        for name in scoring
    )
    print(f"{family:22}" + "".join(f"{cell:>18}" for cell in cells))

# %%
# Which model would each metric have picked?

print()
for name in scoring:
    i = int(np.nanargmax(results[f"mean_test_{name}"]))
    family = next(
        f
        for f, (m, _, _) in families.items()
        if type(m).__name__ == models[i]
    )
    _, parameter, _ = families[family]
    value = results["params"][i][f"model__{parameter}"]
    print(f"best by {name:7}: {family} ({parameter}={value:g})")

# %%
# The two leading families, over the folds
# ----------------------------------------
# Means over folds do not say at which budgets a model leads. The consensus curves of
# the two best families do, with bounds, and their difference, with a band that holds
# all of it.

leading = sorted(
    best,
    key=lambda family: -results["mean_test_rAUC"][best[family]],
)[:2]
models = {
    family: clone(search.estimator).set_params(
        **results["params"][best[family]]
    )
    for family in leading
}
folds = {
    family: cross_validate(
        model,
        X_train,
        y_train,
        cv=search.cv,
        scoring=scoring["rAUC"],
        return_estimator=True,
        return_indices=True,
    )
    for family, model in models.items()
}

positive = {"pos_label": "malignant"}
figure, axes = plt.subplots(
    1, 2, figsize=(11, 5), layout="constrained"
)
consensus = [
    RateAveragedROC.from_cv_results(
        fold,
        X_train,
        y_train,
        name=family,
        rate=budget,
        ax=axes[0],
        plot_rate=True,
        **positive,
    )
    for family, fold in folds.items()
]
CurveComparisonDisplay.from_cv_results(
    *folds.values(),
    X_train,
    y_train,
    names=leading,
    rate=budget,
    ax=axes[1],
    random_state=0,
    **positive,
)
picture = Path("consensus.png").resolve()
figure.savefig(picture)
print(f"\nTheir consensus curves and the difference: {picture}")

# %%
# The same curves where the budget lies:

# sphinx_gallery_thumbnail_number = 2
_, ax = plt.subplots(layout="constrained")
for display in consensus:
    display.plot(ax, plot_rate=True, zoom="rate")

# %%
# The report card
# ---------------
# Both are refitted on all training scans, and rank the scans that were kept. Counts are
# of the next 569 scans, those of which the budget speaks.

scores = {}
for family, model in models.items():
    model.fit(X_train, y_train)
    if hasattr(model, "decision_function"):
        scores[family] = model.decision_function(X_test)
    else:
        is_positive = model.classes_ == "malignant"
        scores[family] = model.predict_proba(X_test)[
            :, is_positive
        ].ravel()

print()
print(
    budget_report(
        y_test,
        models=scores,
        rate=budget,
        n_items=len(y),
        **positive,
    )
)

# %%
# The metrics do not agree on the model, and neither the folds nor the scans that were
# kept tell the two apart under this budget: either will find about 100 in the next
# batch, twice as many as a random order.
