"""
===============================
Average precision for screening
===============================

Two tests have the same AUC. Which should screen a population? Their average precision
differs, and the difference depends on the prevalence of the disease. We evaluate both
tests in a case-control study, and then at the prevalence of the population.
"""

# %%
# Two tests with the same AUC
# ---------------------------
# The study includes 500 ill and 500 healthy people. The first test is very high for
# about half of the ill, and uninformative for the others; the second is moderately
# higher for all ill people.

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
# The hit curves show the difference. The dotted line is the estimated momentum, the
# precision at the start of the ranking. The estimate is an approximation and here
# exceeds 1, so it is drawn at 1. The first test is far better at the start of the
# ranking.

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
# We print momentum and stamina with standard errors. The sizes of both groups were
# fixed by design, so we pass ``stratify=True``.

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
# Half of the study participants are ill, but only one in a hundred people in the
# screened population. ``prevalence`` weights both groups accordingly. At a prevalence
# of one in a thousand, a warning would say that there are too few controls.

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
# In the study, the two tests have almost the same average precision; in screening, the
# precision of the quick test is many times higher.

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
