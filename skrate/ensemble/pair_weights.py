"""The distribution over pairs of a positive and a negative, without any pair."""

import numpy as np

from skrate.core.arrays import BoolArray, FloatArray, IntArray


class PairWeights:
    """A distribution over the pairs of each list, factored into weights of cases.

    In list g the pair of positive i and negative j has the weight c_g v_i v_j, where
    the v of the positives and the v of the negatives of the list each sum to one, and
    the c_g over lists. For a ranker h this makes the expected difference between the
    positive and the negative of a pair

        r = sum over cases of d h,    d = c_g v for positives, -c_g v for negatives,

    so ``signed`` holds d and nothing else is stored for each case.

    Parameters
    ----------
    is_pos : bool array of shape (n,)
    weights : float array of shape (n,)
        Above zero; a pair starts with the product of its two weights.
    lists : int array of shape (n,)
        Number of the list of each case, from 0; each list holds both classes.
    scores : float array of shape (n,)
        Scores that the model gives already: a pair's weight is multiplied by
        exp(score of the negative - score of the positive).
    """

    def __init__(
        self,
        is_pos: BoolArray,
        weights: FloatArray,
        lists: IntArray,
        scores: FloatArray,
    ) -> None:
        n_cells = 2 * (int(lists.max()) + 1)
        cells = 2 * lists + is_pos
        log_weights = np.log(weights) + np.where(is_pos, -scores, scores)
        top = np.full(n_cells, -np.inf)
        np.maximum.at(top, cells, log_weights)
        values = np.exp(log_weights - top[cells])
        totals = np.bincount(cells, weights=values, minlength=n_cells)
        log_totals = (np.log(totals) + top).reshape(-1, 2).sum(axis=1)
        self._list_weights = np.exp(log_totals - log_totals.max())
        self._list_weights /= self._list_weights.sum()
        scale = np.repeat(self._list_weights, 2) / totals
        self.signed: FloatArray = np.where(is_pos, values, -values) * scale[cells]
        # Four numbers to a list: class of the case, and whether a ranker lifts it.
        self._keys = 2 * cells
        self._sign = np.array([-1.0, 1.0])

    def update(self, above: BoolArray, alpha: float) -> float:
        """Multiply each pair by exp(alpha (h of negative - h of positive)), h=above.

        Returns the normaliser: the sum of the pair weights before they are made to
        sum to one again.
        """
        keys = self._keys + above
        n_lists = len(self._list_weights)
        sums = np.bincount(keys, weights=self.signed, minlength=4 * n_lists)
        # Axes: list, class, lifted.
        sums = np.abs(sums.reshape(n_lists, 2, 2))
        factor = np.ones((1, 2, 2))
        factor[0, :, 1] = np.exp(-alpha * self._sign)
        # The share of each class in its list after the update.
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = (sums * factor).sum(axis=2) / self._list_weights[:, None]
            growth = np.where(self._list_weights > 0, shares.prod(axis=1), 0.0)
            normaliser = float((self._list_weights * growth).sum())
            growth /= normaliser
            scale = factor * (growth[:, None] / shares)[:, :, None]
        self._list_weights *= growth
        self.signed *= np.nan_to_num(scale, posinf=0.0).ravel()[keys]
        return normaliser
