"""An estimator whose scores are the first column of X, as a test knows them."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class FirstColumn(ClassifierMixin, BaseEstimator):
    """It learns its classes and nothing else."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0]

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


def column(scores):
    """Return scores as X, in their own precision."""
    return np.asarray(scores)[:, None]


def fitted(labels=(0, 1)):
    return FirstColumn().fit(None, list(labels))
