"""
=======================================
Select a model by the rate-weighted AUC
=======================================

A clinic re-examines the scans that a model ranks highest, as many as its budget of
time allows. How many that will be is known only roughly. Which model should rank?

We elicit the budget, search four families of models with
:class:`~skrate.RateWeightedAUCScorer`, and compare the choice with that of other
metrics.
"""

# %%
# The budget, in words and as a distribution
# ------------------------------------------
# There are 569 scans (scikit-learn's breast cancer data) and 20 hours; a second look
# takes between 6 and 20 minutes.

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from skrate import (
    AveragePrecisionScorer,
    RateWeightedAUCScorer,
    expected_recall_score,
    rates,
    refit_best,
)

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

budget = rates.from_budget(20 * 60, n_items=len(y), cost=(6, 20))
print(f"Budget: {budget.describe()}.\n        ({budget!r})")

# %%
# One search, four metrics
# ------------------------
# The labels are strings, which do not say what is positive: the scorers are told. With
# no name they would take the second class, "malignant", and warn that they do. Ours
# share one prediction per fold, and scikit-learn's another.

scoring = {
    "rAUC": RateWeightedAUCScorer(rate=budget, pos_label="malignant"),
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
    "logistic regression": (LogisticRegression(max_iter=5_000), "C", [0.001, 0.1, 10]),
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
    Pipeline([("scale", StandardScaler()), ("model", GaussianNB())]),
    grid,
    scoring=scoring,
    refit=refit_best("rAUC"),
    cv=StratifiedKFold(10, shuffle=True, random_state=0),
    n_jobs=-1,
).fit(X, y)

# %%
# The candidates, family by family
# --------------------------------
# Each family is represented by its best setting according to the rAUC; mean and
# standard deviation are over the ten folds.

results = search.cv_results_
models = [type(params["model"]).__name__ for params in results["params"]]
best = {
    family: max(
        (i for i, name in enumerate(models) if name == type(model).__name__),
        key=lambda i: results["mean_test_rAUC"][i],
    )
    for family, (model, _, _) in families.items()
}

print(f"\n{'':22}" + "".join(f"{name:>18}" for name in scoring))
for family, i in best.items():
    cells = (
        f"{results[f'mean_test_{name}'][i]:.4f} ± {results[f'std_test_{name}'][i]:.4f}"
        for name in scoring
    )
    print(f"{family:22}" + "".join(f"{cell:>18}" for cell in cells))

# %%
# Which model would each metric have picked?

print()
for name in scoring:
    i = int(np.nanargmax(results[f"mean_test_{name}"]))
    family = next(
        f for f, (m, _, _) in families.items() if type(m).__name__ == models[i]
    )
    _, parameter, _ = families[family]
    value = results["params"][i][f"model__{parameter}"]
    print(f"best by {name:7}: {family} ({parameter}={value:g})")

# %%
# The refitted choice is ready to rank the next scans.

print(f"\nRefitted on all scans: {search.best_estimator_['model']}")
