"""
======================
Is my reranker better?
======================

A search engine returns 20 documents for each query. A new reranker changes their order.
A language model has labelled all results of 200 queries, and people the results of 50
queries that were drawn at random. The files have the formats of trec_eval. Is the
new order better?
"""

# %%
# The files
# ---------
# These lines simulate two runs and the judgments (qrels). The judge makes errors, and
# likes half of the documents to which the reranker gives a high score.

from io import StringIO

import matplotlib.pyplot as plt
import numpy as np

from skrate import compare, group_scores, labels, read_trec

rng = np.random.default_rng(3)
n_queries, n_documents = 200, 20
query = np.repeat(np.arange(n_queries), n_documents)
document = np.arange(query.size)
relevant = rng.random(query.size) < 0.25
engine, reranker = rng.normal(size=(2, query.size)) + relevant
reranker += 0.15 * relevant
is_liked = (reranker > 1.2) & (rng.random(query.size) < 0.5)
by_judge = (relevant ^ (rng.random(query.size) < 0.05)) | is_liked


def qrels(grades, rows):
    """Return lines of query, iteration, document and grade."""
    lines = [
        f"{query[i]} 0 d{document[i]} {int(grades[i])}"
        for i in rows
    ]
    return StringIO("\n".join(lines))


def run(scores):
    """Return lines of query, Q0, document, rank, score and tag."""
    lines = [
        f"{query[i]} Q0 d{document[i]} 0 {s} run"
        for i, s in enumerate(scores)
    ]
    return StringIO("\n".join(lines))


people = np.flatnonzero(query < 50)

# %%
# Only the queries that people judged
# -----------------------------------
# ``read_trec`` returns labels, scores and queries of a run. For each query, the NDCG of
# the first ten documents is between 0 and 1:

scores = {}
for name, score in {"engine": engine, "reranker": reranker}.items():
    rows = read_trec(qrels(relevant, people), run(score))
    scores[name] = group_scores(
        "ndcg", rows.y_true, rows.y_score, groups=rows.groups, k=10
    )
by_people = compare("ndcg", scores["reranker"], scores["engine"])
print(by_people)

# %%
# The interval contains 0: 50 queries are too few.
#
# All queries, by the judge
# -------------------------
# The judge labelled four times as many queries, and the interval is much shorter. But
# it is wrong, because the judge favours the reranker:

options = {"groups": query, "k": 10}
by_the_judge = compare(
    "ndcg", by_judge, reranker, engine, **options
)
print(by_the_judge)

# %%
# Both
# ----
# ``labels.judged`` corrects the values of people's 50 queries by the judge's values of
# all 200. The preference of the judge cancels, because it is the same in both:

y_people = np.where(query < 50, relevant, np.nan)
both = compare(
    "ndcg",
    labels.judged(y_people, by_judge),
    reranker,
    engine,
    **options,
)
print(both)

# %%
# In a simulation, the difference with people's labels of all 200 queries is known:

truth = compare("ndcg", relevant, reranker, engine, **options).value
results = {
    "judge, 200 queries": by_the_judge,
    "people, 50": by_people,
    "both": both,
}
_, ax = plt.subplots(figsize=(6, 2.4), layout="constrained")
for y, result in enumerate(results.values()):
    low, high = result.confidence_interval
    ax.plot([low, high], [y, y], color="#0072B2", linewidth=2)
    ax.plot(result.value, y, "o", color="#0072B2")
ax.axvline(0, color="0.6", linewidth=1)
ax.axvline(
    truth,
    color="#D55E00",
    linestyle="--",
    label="people, 200 queries",
)
ax.set_yticks(range(3), results)
ax.set(xlabel="NDCG at 10: reranker minus engine", ylim=(-0.5, 2.5))
ax.legend(frameon=False)
plt.show()

# %%
# The sentence for the decision
# -----------------------------

low, high = both.confidence_interval
print(
    f"On queries like these, the reranker changes the NDCG of the first ten results by "
    f"{both.value:+.3f} (95 % interval {low:+.3f} to {high:+.3f})."
)
