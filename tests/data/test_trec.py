from io import StringIO

import numpy as np
import pytest

import skrate
from skrate import (
    estimate,
    mean_average_precision_score,
    ndcg_score,
    read_trec,
    recall_at_rate_score,
)

pytest.importorskip("pandas")

# Query 1: 4 relevant documents, the run returns one at rank 2. Query 2: none returned.
QRELS = "1 0 a 1\n1 0 b 1\n1 0 c 1\n1 0 d 1\n1 0 e 0\n2 0 a 2\n3\t0\ta\t-2\n"
RUN = "1 Q0 e 1 9 x\n1 Q0 a 2 8.5 x\n1 Q0 unjudged 3 7 x\n3 Q0 a 1 1 x\n4 Q0 a 1 1 x\n"


def rows():
    return read_trec(StringIO(QRELS), StringIO(RUN))


def test_relevant_documents_that_were_not_returned_have_minus_infinity():
    y_true, y_score, groups = rows()
    assert groups.tolist() == ["1"] * 6 + ["2", "3"]
    assert y_true.tolist() == [0, 1, 0, 1, 1, 1, 2, 0]
    assert y_score.tolist() == [9, 8.5, 7, *[-np.inf] * 4, 1]


def test_metrics_count_lists_as_trec_eval_does():
    rows_of_run = rows()._asdict()
    binary = {"relevance_threshold": 1}
    # AP of query 1: (1 / 2) / 4, of query 2: 0. Query 3 has no relevant document.
    score = mean_average_precision_score(**rows_of_run, **binary)
    assert score == pytest.approx(1 / 8 / 2, rel=1e-15)
    best = 1 + 1 / np.log2(3) + 1 / 2 + 1 / np.log2(5)
    ndcg = ndcg_score(**rows_of_run)
    assert ndcg == pytest.approx(1 / np.log2(3) / best / 2, rel=1e-15)
    y_true, y_score, groups = rows()
    recall = recall_at_rate_score(y_true > 0, y_score, k=2, groups=groups, capped=True)
    # One of min(2, 4) and none of min(2, 1), pooled.
    assert recall == pytest.approx(1 / 3, rel=1e-15)
    assert estimate("ndcg", y_true, y_score, groups=groups).value == ndcg


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        ("1 0 a 1", "2 Q0 a 1 3 x", "no query"),
        ("1 0 a", "1 Q0 a 1 3 x", "qrels.*4 columns.*3"),
        ("1 0 a 1", "1 Q0 a 1 x", "run.*6 columns.*5"),
        ("1 0 a 1", "1 Q0 a 1 inf x", "score 'inf'"),
        ("1 0 a one", "1 Q0 a 1 3 x", "grade 'one'"),
        ("1 0 a 1\n1 0 a 0", "1 Q0 a 1 3 x", "qrels.*'a' twice"),
        ("1 0 a 1\n1 0 b 0 7", "1 Q0 a 1 3 x", "qrels.*lines"),
        ("", "1 Q0 a 1 3 x", "qrels is empty"),
    ],
)
def test_files_of_another_format_are_refused(qrels, run, message):
    with pytest.raises(ValueError, match=message):
        read_trec(StringIO(qrels), StringIO(run))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_runs_with_other_irrelevant_items_can_be_compared():
    qrels = "q1 0 a 1\nq1 0 b 1\nq2 0 a 1\nq2 0 b 1"
    returned = ["q1 Q0 a 1 2 t", "q2 Q0 c 1 2 t"], ["q1 Q0 b 1 2 t", "q2 Q0 b 1 2 t"]
    # The second system returns one more irrelevant item.
    returned[1].append("q1 Q0 z 2 1 t")
    runs = [
        read_trec(StringIO(qrels), StringIO("\n".join(lines))) for lines in returned
    ]
    scores = [skrate.group_scores("ndcg", **run._asdict()) for run in runs]
    assert scores[0].n_items.tolist() != scores[1].n_items.tolist()
    found = skrate.compare("ndcg", *scores)
    assert found.value == pytest.approx(scores[0].mean() - scores[1].mean())
