"""How often all statements of a chain are true, with the error split over them or not.

    python benchmarks/error_budget.py [--simulations 1000] [--designs linear]

Each run chooses the best of many models by folds, sets a threshold on held-out cases,
processes a batch, and certifies the recall by a sample of the unread cases. It states:

- select: the mean AUC of the winner's five models on new cases is in the interval of
  ``select_best``; or, in a third line, the AUC of the winner, trained on all cases, is
  in the interval of ``estimate`` on the held-out cases;
- capacity: at most so many of the batch are marked;
- recall: at least this share of new positives is marked in the long run;
- forecast: the positives found in the batch are in the prediction interval of
  ``budget_report``;
- certificate: the recall in the batch is at least the lower bound of
  ``recall_certificate``.

Prints for each design how often each statement, and any of them, is false: with the
parts of ``SPLIT``, and with 0.05 for each. The truth is counted on 50,000 cases, or in
the batch.
"""

import argparse
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeRegressor

from skrate import (
    ConstrainedThresholdClassifier,
    FoldRankings,
    budget_report,
    estimate,
    ranking_auc_score,
    select_best,
)
from skrate.review import recall_certificate

ALPHA = 0.05
SPLIT = {
    "select": 0.01,
    "capacity": 0.01,
    "recall": 0.01,
    "forecast": 0.01,
    "certificate": 0.01,
}
STATEMENTS = tuple(SPLIT)
WAYS = {"split": SPLIT, "not split": dict.fromkeys(STATEMENTS, ALPHA)}
HELD_OUT = "split, held out"
N_NEW, N_FOLDS = 50_000, 5


class Design(NamedTuple):
    draw: Callable[..., Any]
    learners: list[Callable[..., Any]]
    n_train: int
    n_held_out: int
    n_batch: int
    capacity: int
    recall: float
    n_sampled: float  # The share of the unread cases that is drawn.


class Scored(ClassifierMixin, BaseEstimator):
    """A fitted model whose only feature is the score."""

    classes_ = np.array([False, True])

    def fit(self, X, y):
        return self

    def __sklearn_is_fitted__(self):
        return True

    def decision_function(self, X):
        return X[:, 0]


def linear(penalty, features):
    """Return a learner of ridge regression on some of the features."""

    def fit(X, y, rng):
        part = X[:, :features]
        gram = part.T @ part + penalty * np.eye(features)
        weights = np.linalg.solve(gram, part.T @ (y - y.mean()))
        return lambda new: new[:, :features] @ weights

    return fit


def trees(depth, leaf):
    """Return a learner of three trees, each of a random half of the cases."""

    def fit(X, y, rng):
        X, grown = X.astype(np.float32), []
        for _ in range(3):
            half = rng.random(len(y)) < 0.5
            tree = DecisionTreeRegressor(
                max_depth=depth, min_samples_leaf=leaf, max_features=3,
                random_state=int(rng.integers(2**31)),
            )  # fmt: skip
            tree.fit(X[half], y[half].astype(float), check_input=False)
            grown.append(tree.tree_)
        return lambda new: sum(
            tree.predict(new.astype(np.float32))[:, 0] for tree in grown
        )

    return fit


def of_few_buyers(rng, n):
    """Draw normal features, six of which say who buys; a tenth does."""
    X = rng.normal(size=(n, 20))
    logit = X[:, :6] @ [1.2, 0.9, -0.8, 0.7, 0.6, 0.5] - 3.35
    return X, rng.random(n) < 1 / (1 + np.exp(-logit))


def of_heavy_tails(rng, n):
    """Draw features of Student's t, of which two matter together; 0.3 are positive."""
    X = rng.standard_t(3, size=(n, 6))
    logit = 2 * np.abs(X[:, 0]) - 1.3 * X[:, 1] + np.sign(X[:, 2] * X[:, 3]) - 3.45
    return X, rng.random(n) < 1 / (1 + np.exp(-logit))


def of_little_signal(rng, n):
    """Draw normal features, which hardly say who is positive; 0.3 are."""
    X = rng.normal(size=(n, 30))
    logit = X[:, :3] @ [0.3, 0.2, 0.2] - 0.87
    return X, rng.random(n) < 1 / (1 + np.exp(-logit))


DESIGNS = {
    "linear": Design(
        of_few_buyers,
        [linear(c, k) for c in (1, 300) for k in (2, 4, 6, 12, 20)],
        800, 1_000, 2_000, 1_000, 0.75, 0.4,
    ),
    "trees": Design(
        of_heavy_tails,
        [trees(depth, leaf) for depth in (1, 2, 4, 8, 16) for leaf in (3, 20)],
        600, 600, 1_000, 650, 0.7, 0.4,
    ),
    "little signal": Design(
        of_little_signal,
        [linear(c, k) for c in (1, 30, 300) for k in (3, 6, 12, 20, 30)],
        200, 400, 500, 450, 0.7, 0.4,
    ),
}  # fmt: skip


def one_run(design, rng, population):
    """Return by way which statements are false, nan where one could not be made."""
    X, y = design.draw(rng, design.n_train)
    fold = rng.permutation(np.arange(len(y)) % N_FOLDS)
    models, folds = [], {}
    for learner in design.learners:
        fitted = [learner(X[fold != v], y[fold != v], rng) for v in range(N_FOLDS)]
        scores = np.empty(len(y))
        for v, model in enumerate(fitted):
            scores[fold == v] = model(X[fold == v])
        folds[str(len(models))] = FoldRankings(y, scores, fold)
        models.append(fitted)
    seed = int(rng.integers(2**31))
    X_held, y_held = design.draw(rng, design.n_held_out)
    X_batch, y_batch = design.draw(rng, design.n_batch)
    X_new, y_new = population
    places = rng.random(design.n_batch)
    bests = {
        way: select_best(
            "roc_auc", folds, confidence_level=1 - errors["select"], n_resamples=500,
            random_state=seed,
        )
        for way, errors in WAYS.items()
    }  # fmt: skip
    # The level does not matter to which model is the best.
    winner = int(bests["split"].best)
    final = design.learners[winner](X, y, rng)
    of_folds = [ranking_auc_score(y_new, model(X_new)) for model in models[winner]]
    held, batch, new = map(final, (X_held, X_batch, X_new))
    found = {}
    for way, best in bests.items():
        low, high = best.confidence_interval
        false = {"select": not low <= np.mean(of_folds) <= high}
        false |= after_selection(
            design,
            {name: 1 - error for name, error in WAYS[way].items()},
            (held, y_held),
            (batch, y_batch),
            (new, y_new),
            places,
        )
        found[way] = [float(false[name]) for name in STATEMENTS]
    level = 1 - SPLIT["select"]
    low, high = estimate(
        "roc_auc", y_held, held, confidence_level=level
    ).confidence_interval
    is_false = not low <= ranking_auc_score(y_new, new) <= high
    return found | {HELD_OUT: [float(is_false), *found["split"][1:]]}


def after_selection(design, level, held_out, batch, new, places):
    """Return which of the later statements are false."""
    cut = {
        name: threshold(*held_out, confidence=level[name], **asked)
        for name, asked in {
            "capacity": {"capacity": design.capacity, "n_items": design.n_batch},
            "recall": {"recall": design.recall},
        }.items()
    }
    # Any threshold from the one to the other keeps both; if none does, the capacity is
    # kept, and nothing is said of the recall.
    at, is_kept = cut["capacity"], cut["recall"] >= cut["capacity"]
    scores, y_true = batch
    marked = scores >= at
    false = {"capacity": marked.sum() > design.capacity, "recall": np.nan}
    if is_kept:
        false["recall"] = np.mean(new[0][new[1]] >= at) < design.recall

    n, k = len(held_out[0]), int(np.sum(held_out[0] >= at))
    report = budget_report(
        held_out[1], held_out[0], rate=stats.beta(max(k, 1), n + 1 - k),
        n_items=design.n_batch, confidence_level=level["forecast"],
    )  # fmt: skip
    low, high = report["found"].prediction_interval
    n_found = int(y_true[marked].sum())
    false["forecast"] = not low <= n_found <= high

    unread = np.flatnonzero(~marked)
    drawn = unread[np.argsort(places[unread])][: round(design.n_sampled * len(unread))]
    n_hits = int(y_true[drawn].sum())
    certificate = recall_certificate(
        n_found, len(unread), len(drawn), n_hits, confidence_level=level["certificate"]
    )
    recall = (n_found + n_hits) / y_true.sum()
    false["certificate"] = recall < certificate.lower_bound
    return false


def threshold(scores, y_true, **asked):
    """Return the threshold that keeps what is asked for."""
    model = ConstrainedThresholdClassifier(Scored(), cv="prefit", **asked)
    return model.fit(scores[:, None], y_true).threshold_


def simulated(name, n_simulations, seed=0):
    """Return the false statements, of shape (n_simulations, n_statements), by way."""
    design = DESIGNS[name]
    population = design.draw(np.random.default_rng([seed, 1]), N_NEW)
    with warnings.catch_warnings():
        # Ties that leave a part of the capacity unused.
        warnings.simplefilter("ignore")
        runs = [
            one_run(design, np.random.default_rng([seed, 2, run]), population)
            for run in range(n_simulations)
        ]
    return {way: np.array([run[way] for run in runs]) for way in runs[0]}


def any_false(false):
    """Return in which runs a statement was false; those not made are not."""
    return (np.nan_to_num(false) > 0).any(axis=1)


def main():
    """Print a line for each design and way."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--simulations", type=int, default=1_000)
    parser.add_argument("--designs", nargs="*", default=list(DESIGNS), choices=DESIGNS)
    options = parser.parse_args()
    print(f"{'design':14}{'way':16}", *(f"{name:>12}" for name in STATEMENTS), "any")
    for name in options.designs:
        for way, false in simulated(name, options.simulations).items():
            shares = " ".join(f"{share:12.3f}" for share in np.nanmean(false, axis=0))
            wrong = any_false(false)
            error = wrong.std() / np.sqrt(len(wrong))
            made = 1 - np.isnan(false).any(axis=1).mean()
            print(
                f"{name:14}{way:16} {shares} {wrong.mean():.3f} +- {error:.3f}, "
                f"all made in {made:.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
