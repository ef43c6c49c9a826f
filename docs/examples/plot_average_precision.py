"""
===============================
Average precision for screening
===============================

Two tests have the same AUC. Which of them should screen a population? The average
precision answers differently from the AUC, and how differently depends on how rare
the disease is. We look at both tests in a case-control study, and then at the
prevalence of the population.
"""

# %%
# Two tests with the same AUC
# ---------------------------
# In the study are 500 who are ill and 500 who are well. The first test is very high in
# about half of the ill, and says nothing of the others; the second is somewhat higher
# in all of them.

import matplotlib.pyplot as plt
import numpy as np

from skrate import (
    HitCurveDisplay,
    average_precision_score,
    estimate,
)

rng = np.random.default_rng(1)
ill = np.repeat([1, 0], 500)
is_marked = (ill == 1) & (rng.random(1_000) < 0.5)
tests = {
    "quick": rng.normal(size=1_000) + 2.5 * is_marked,
    "steady": rng.normal(size=1_000) + 0.9 * ill,
}

for name, scores in tests.items():
    print(f"{name:7} {estimate('roc_auc', ill, scores)}")

# %%
# Their hit curves show the difference. The dotted line is the
# momentum: the pace at which the test finds at first. Here it is
# estimated above 1, more than any ranking finds, and drawn as 1. Both
# charts end at the same point, but the first test is far better at
# the beginning.

fig, axes = plt.subplots(
    1, 2, figsize=(10, 4.5), sharey=True, layout="constrained"
)
for ax, (name, scores) in zip(axes, tests.items(), strict=True):
    HitCurveDisplay.from_predictions(
        ill,
        scores,
        ax=ax,
        name=name,
        plot_momentum=True,
        despine=True,
    )

# %%
# Momentum and stamina, as numbers with standard errors. The sizes of both groups were
# chosen, hence ``stratify=True``. Momentum rests on an approximation, so that a test
# may have one above 1: whoever ranks first by it is ill.

for name, scores in tests.items():
    for score in ("momentum", "stamina"):
        part = estimate(score, ill, scores, stratify=True)
        print(
            f"{name:7} {part.metric:9} {part.value:.2f} "
            f"(standard error {part.standard_error:.2f})"
        )

# %%
# At the prevalence of the population
# -----------------------------------
# Half of the study is ill, but one in a hundred of those who will be screened.
# ``prevalence`` weights both groups to that, and does not read too much into the few
# controls at the top, each of which stands for 99. At one in a thousand it would warn:
# these controls are too few for that.

print("prevalence   " + "".join(f"{name:>22}" for name in tests))
for prevalence in (None, 0.1, 0.01):
    results = [
        estimate(
            average_precision_score,
            ill,
            scores,
            prevalence=prevalence,
            stratify=True,
        )
        for scores in tests.values()
    ]
    cells = [
        f"{r.value:.3f} [{r.confidence_interval.low:.3f}, "
        f"{r.confidence_interval.high:.3f}]"
        for r in results
    ]
    label = (
        "of the study" if prevalence is None else f"{prevalence:g}"
    )
    print(f"{label:13}" + "".join(f"{cell:>22}" for cell in cells))

# %%
# The same as a chart. In the study the two tests are close; in screening the quick one
# finds many times more per person called back.

prevalences = np.geomspace(0.01, 0.5, 40)
# sphinx_gallery_thumbnail_number = 2
fig, ax = plt.subplots(figsize=(6, 4.5))
for name, scores in tests.items():
    results = [
        estimate(
            average_precision_score,
            ill,
            scores,
            prevalence=p,
            stratify=True,
        )
        for p in prevalences
    ]
    low, high = np.transpose(
        [r.confidence_interval for r in results]
    )
    (line,) = ax.plot(
        prevalences, [r.value for r in results], label=name
    )
    ax.fill_between(
        prevalences, low, high, color=line.get_color(), alpha=0.2
    )
ax.plot(prevalences, prevalences, "--", color="0.4", label="random")
ax.set(
    xscale="log",
    xlabel="Prevalence",
    ylabel="Average precision",
    ylim=(0, 1),
)
ax.legend()
fig.tight_layout()
