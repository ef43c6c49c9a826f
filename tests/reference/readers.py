"""The analysis of Obuchowski and Rockette with Hillis's degrees of freedom, literally.

Sums over readers and modalities as they are printed; covariances are given for each
two of them, so that those of DeLong (``delong.covariance``) do.
"""

from itertools import product

from scipy import stats


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def analysis(values, covariance, *, random_cases=True):
    """Return F, its degrees of freedom, p-value, and each difference's interval.

    ``values[i][j]`` is of modality i and reader j, ``covariance(i, j, k, m)`` that of
    two of these.
    """
    t, r = len(values), len(values[0])
    of_all = mean(mean(row) for row in values)
    of_modality = [mean(row) for row in values]
    of_reader = [mean(row[j] for row in values) for j in range(r)]
    places = list(product(range(t), range(r)))
    ms_t = r * sum((one - of_all) ** 2 for one in of_modality) / (t - 1)
    ms_tr = sum(
        (values[i][j] - of_modality[i] - of_reader[j] + of_all) ** 2 for i, j in places
    ) / ((t - 1) * (r - 1))
    cov2 = mean(
        covariance(i, j, i, m) for i, j in places for m in range(r) if j != m
    )  # fmt: skip
    cov3 = mean(
        covariance(i, j, k, m)
        for (i, j), (k, m) in product(places, places)
        if i != k and j != m
    )
    by_cases = r * max(cov2 - cov3, 0) if random_cases else 0
    below = ms_tr + by_cases
    df = below**2 / (ms_tr**2 / ((t - 1) * (r - 1)))
    statistic = ms_t / below
    half = stats.t.ppf(0.975, df) * (2 / r * below) ** 0.5
    intervals = {
        (i, k): (of_modality[i] - of_modality[k] - half,
                 of_modality[i] - of_modality[k] + half)
        for i in range(t) for k in range(i + 1, t)
    }  # fmt: skip
    return statistic, df, stats.f.sf(statistic, t - 1, df), intervals


def interval_of_mean(values, covariance, i):
    """Return the interval of the mean of modality i over random readers and cases."""
    row, r = values[i], len(values[i])
    ms_r = sum((one - mean(row)) ** 2 for one in row) / (r - 1)
    cov2 = mean(
        covariance(i, j, i, m) for j in range(r) for m in range(r) if j != m
    )  # fmt: skip
    total = ms_r + r * max(cov2, 0)
    half = stats.t.ppf(0.975, total**2 / (ms_r**2 / (r - 1))) * (total / r) ** 0.5
    return mean(row) - half, mean(row) + half
