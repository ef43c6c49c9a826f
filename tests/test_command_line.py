"""`python -m skrate report` prints what the functions return, and names mistakes."""

import csv
import gzip
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from looped import case
from optional import require
from skrate import budget_report, compare, rate_weighted_auc_score, rates
from skrate.__main__ import main

OPTIONS = ["--label", "y", "--score", "new", "--score", "old"]


@pytest.fixture(scope="module")
def samples():
    rng = np.random.default_rng(0)
    y_true = (rng.random(300) < 0.2).astype(int)
    scores = rng.normal(size=(2, 300)).round(6) + [[1.5], [1.0]] * y_true
    return y_true, dict(zip(["new", "old"], scores, strict=True))


def write(path, y_true, scores, delimiter=","):
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, delimiter=delimiter)
        rows.writerow(["name", "y", *scores])
        rows.writerows(zip(map(str, y_true), y_true, *scores.values(), strict=True))
    return str(path)


def test_the_report_is_that_of_the_functions(samples, tmp_path, capsys):
    y_true, scores = samples
    budget = rates.from_quantiles({0.025: 0.05, 0.975: 0.2})
    for delimiter in ",;\t":
        file = write(tmp_path / "scores.csv", y_true, scores, delimiter)
        options = ["--rate", "0.05", "0.2", "--n-items", "900", "--reference", "old"]
        main(["report", file, *OPTIONS, *options])
        report = budget_report(
            y_true, scores, reference="old", rate=budget, n_items=900
        )
        metric = rate_weighted_auc_score
        both = compare(metric, y_true, scores, reference="old", rate=budget)
        with case(delimiter):
            assert capsys.readouterr().out == f"{report}\n\n{both}\n"


def test_labels_in_words_need_the_positive(samples, tmp_path, capsys):
    y_true, scores = samples
    words = np.where(y_true, "yes", "no")
    file = write(tmp_path / "scores.csv", words, {"new": scores["new"]})
    call = ["report", file, "--label", "y", "--score", "new", "--rate", "0.1"]
    main([*call, "--pos-label", "yes", "--confidence-level", "0.9"])
    models = {"new": scores["new"]}
    report = budget_report(y_true, models, rate=0.1, confidence_level=0.9)
    assert capsys.readouterr().out == f"{report}\n"
    with pytest.raises(SystemExit) as stopped:
        main(call)
    assert stopped.value.code == 2
    assert "by --pos-label no or --pos-label yes" in capsys.readouterr().err


def test_labels_that_are_1_or_true_are_positive(samples, tmp_path, capsys):
    y_true, scores = samples
    shown = []
    for labels in (
        y_true, y_true == 1, 2 * y_true - 1, y_true.astype(float),
        np.where(y_true, "TRUE", "false"),
    ):  # fmt: skip
        file = write(tmp_path / "scores.csv", labels, scores)
        main(["report", file, *OPTIONS, "--rate", "0.1"])
        shown.append(capsys.readouterr().out)
    assert set(shown) == {shown[0]}


def report_by_clusters(samples, patients):
    """Return the report of the same cases in Python."""
    y_true, models = samples
    options = {"reference": "new", "rate": 0.1, "clusters": patients}
    return str(budget_report(y_true, models, **options))


def test_clusters_are_a_column(samples, tmp_path, capsys):
    y_true, scores = samples
    patients = np.arange(300) // 3
    columns = {"new": scores["new"], "old": scores["old"], "patient": patients}
    file = write(tmp_path / "scores.csv", y_true, columns)
    main(["report", file, *OPTIONS, "--rate", "0.1", "--clusters", "patient"])
    assert capsys.readouterr().out.startswith(report_by_clusters(samples, patients))


def test_ids_of_clusters_stay_text(samples, tmp_path, capsys):
    y_true, scores = samples
    high = str(2**60)
    texts = ["007", "7", "1e3", "1000", "1_0", "10", "True", "true", high, high[:-1]]
    texts += ["1", "1.0", f"{2**60 + 1}", "\u0661", "inf", "1e400"]
    patients = np.arange(300) // 4 % len(texts)
    columns = {**scores, "patient": [texts[code] for code in patients]}
    file = write(tmp_path / "scores.csv", y_true, columns)
    main(["report", file, *OPTIONS, "--rate", "0.1", "--clusters", "patient"])
    assert capsys.readouterr().out.startswith(report_by_clusters(samples, patients))


def test_what_functions_warn_of_is_a_note(samples, tmp_path, capsys):
    y_true, scores = samples
    file = write(tmp_path / "scores.csv", y_true, scores)
    page = tmp_path / "page.html"
    main(["report", file, *OPTIONS, "--rate", "0.01", "--html", str(page)])
    assert "<h2>Notes</h2><p>The " in page.read_text(encoding="utf-8")
    notes = capsys.readouterr().err.splitlines()
    assert len(notes) > 1
    assert {note.split(":")[0] for note in notes} == {"note"}
    assert len({*notes}) == len(notes)
    assert any("rAUC" in note for note in notes)


def test_mistakes_end_with_a_message_and_status_2(samples, tmp_path, capsys):
    y_true, scores = samples
    file = write(tmp_path / "scores.csv", y_true, scores)
    broken = tmp_path / "broken.csv"
    broken.write_text("y,new\n1,0.5\n0\n", encoding="utf-8")
    empty = tmp_path / "empty.csv"
    empty.write_text("y,new\n", encoding="utf-8")
    latin = tmp_path / "latin.csv"
    latin.write_bytes(b"y,new\n1,\xe9\n")
    cut = tmp_path / "cut.csv.gz"
    cut.write_bytes(gzip.compress(b"y,new\n1,0.5\n0,0.1\n")[:-9])
    holes = str(tmp_path / "holes.csv")
    text = (
        "y,new,old,same,yes\n1,0.5,1,7,Yes\n0,,0,7,yes \n1,NaN,inf,7,no\n0,1,2,7,no\n"
    )
    Path(holes).write_text(text, encoding="utf-8")
    words = tmp_path / "words.csv"
    words.write_text("y,new\n1,0.5\n0,high\n", encoding="utf-8")
    commas = str(tmp_path / "commas.csv")
    text = "y;new;point\n1;-1,4663;0.25\n0;0,5;1\n"
    Path(commas).write_text(text, encoding="utf-8")
    zipped = bytearray(cut.read_bytes())
    zipped[10:18] = b"\xff" * 8
    damaged, unzipped = tmp_path / "damaged.csv.gz", tmp_path / "plain.csv.gz"
    damaged.write_bytes(zipped)
    unzipped.write_bytes(b"y,new\n1,0.5\n0,0.1\n")
    binary = tmp_path / "binary.csv"
    binary.write_bytes(bytes(range(256)))
    quotes = {
        "last": ('y,new,text\n1,0.5,\n0,0.1,"a\n1,0.2,b\n', 3),
        "first": ('y,new,text\n"1,0.5,\n0,0.1,a\n1,0.2,b\n', 2),
        "header": ('"y,new\n1,0.5\n', 1),
        "inner": ('y,new,text\n1,0.5,"a "b" c"\n0,0.1,b\n', 2),
    }
    for name, (text, _) in quotes.items():
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    bars = tmp_path / "bars.csv"
    bars.write_text("y,new\n1,0.5\n0,1_0\n", encoding="utf-8")
    one = ["--label", "y", "--score", "new", "--rate", "0.1"]
    for call, message in [
        *[
            ([str(tmp_path / f"{name}.csv"), *one], f"{name}.csv, line {line}: a quote")
            for name, (_, line) in quotes.items()
        ],
        ([str(damaged), *one], r"damaged.csv.gz, line 1: damaged .gz: .*decompressing"),
        ([str(unzipped), *one], "plain.csv.gz, line 1: damaged .gz: Not a gzipped"),
        ([str(binary), *one], "binary.csv must .*UTF-8 or Windows"),
        ([str(bars), *one], "row 2 .*'1_0'"),
        ([str(tmp_path), *one], str(tmp_path)),
        (
            [file, "--label", "y", "--score", "mine", "--rate", "0.1"],
            "no column 'mine'",
        ),
        (
            [file, *OPTIONS, "--rate", "10"],
            r"--rate .*\(0, 1\].* got 10\. 10 of 100 is --rate 0.1\.",
        ),
        (
            [file, *OPTIONS, "--n-items", "4000", "--rate", "200", "500"],
            r"got 200 500\. 200 500 of 4000 is --rate 0\.05 0\.125\.$",
        ),
        ([file, *OPTIONS, "--rate", "10%"], "--rate: 10% is .* 0.1"),
        ([file, *OPTIONS, "--rate", "ten%"], "--rate: invalid .* value: 'ten%'"),
        (
            [file, *one[:2], "--score", "old", "new model", *one[4:]],
            "arguments: 'new model': repeat --score for each model",
        ),
        ([commas, *one], 'row 1 .*-1,4663.*commas.* Then add --decimal ","'),
        ([commas, *one[:2], "--score", "point", *one[4:], "--decimal", ","], "'0.25'"),
        ([file, *OPTIONS, "--rate", "0.2", "0.1"], "increase.*; got 0.2 0.1"),
        ([file, *OPTIONS, "--rate", "0.1", "0.2", "0.3"], "got 0.1 0.2 0.3"),
        ([file, *OPTIONS, "--rate", "0,1"], "--rate: 0,1: write a decimal point"),
        ([file, *OPTIONS, "--rate", "0.1", "--score", "y"], "different columns"),
        (
            [file, *OPTIONS, "--rate", "0.1", "--reference", "x"],
            "--reference x must be",
        ),
        ([file, *one, "--pos-label", "x"], "labels '0' and '1', and no 'x'"),
        ([holes, *one], r"--score new: 2 of 4 rows are empty, the first is row 2"),
        ([holes, *one[:2], "--score", "old", *one[4:]], "'inf'"),
        ([holes, "--label", "new", "--score", "y", *one[4:]], "--label new: 2 of 4"),
        ([holes, "--label", "old", "--score", "y", *one[4:]], "got '0', '1', '2'"),
        ([holes, "--label", "same", "--score", "y", *one[4:]], r"got '7'\."),
        (
            [holes, "--label", "yes", "--score", "y", *one[4:]],
            "got 'Yes', 'no', 'yes '",
        ),
        ([str(latin), *one], "two different labels, .* got '1'"),
        ([str(cut), *one], "ended before the end-of-stream"),
        ([file, *one, "--html", str(latin / "x")], "--html cannot be written: .*x'"),
        ([file, *one, "--html", file], "--html would replace the input"),
        ([str(tmp_path / "none.csv"), *one], "No such file"),
        ([str(broken), *one], "line 3: 1 cells under 2 names"),
        ([str(empty), *one], "no rows"),
        ([str(words), *one], "row 2 .*'high'"),
    ]:
        with case(message), pytest.raises(SystemExit) as stopped:
            main(["report", *call])
        assert stopped.value.code == 2
        error = capsys.readouterr().err
        assert re.search(message, error)
        assert len(error.splitlines()) == 1 or "usage: " in error


def test_the_page_is_complete_in_itself(samples, tmp_path, capsys):
    require("matplotlib")
    y_true, scores = samples
    scores = {"new": scores["new"], "<old>": scores["old"]}
    file, page = write(tmp_path / "scores.csv", y_true, scores), tmp_path / "page.html"
    models = ["--label", "y", "--score", "new", "--score", "<old>"]
    main(["report", file, *models, "--rate", "0.2", "--html", str(page)])
    assert str(page) in capsys.readouterr().out
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert text.count("<table>") == 1
    assert text.count('src="data:image/svg+xml;base64,') == text.count("src=") == 2
    assert "(positive label: y = 1)" in text
    assert not re.search(r"href|@import|url\(|<script", text)
    assert "<h2>&lt;old&gt; or new: which finds more" in text
    assert "<h2>Notes" not in text
    assert "<old>" not in text
    main(["report", file, *models, "--rate", "0.2", "--html", str(page)])
    assert page.read_text(encoding="utf-8") == text


def test_the_page_lacks_only_the_picture_of_what_is_undefined(
    samples, tmp_path, capsys
):
    require("matplotlib")
    _, scores = samples
    file = write(tmp_path / "scores.csv", np.arange(300) == 7, scores)
    page = tmp_path / "page.html"
    main(["report", file, *OPTIONS, "--rate", "0.2", "--html", str(page)])
    assert "nan" in capsys.readouterr().out
    text = page.read_text(encoding="utf-8")
    assert text.count("<table>") == 1
    assert "which finds more" not in text
    assert "at least 2 are needed" in text


def test_zipped_text_is_read(samples, tmp_path, capsys):
    file = Path(write(tmp_path / "scores.csv", *samples))
    zipped = tmp_path / "scores.csv.gz"
    zipped.write_bytes(gzip.compress(file.read_bytes()))
    shown = []
    for path in (file, zipped):
        main(["report", str(path), *OPTIONS, "--rate", "0.1"])
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]


def test_decimal_commas_are_read_if_asked(samples, tmp_path, capsys):
    y_true, scores = samples
    options = [*OPTIONS, "--rate", "0.1"]
    main(["report", write(tmp_path / "points.csv", y_true, scores), *options])
    report = capsys.readouterr().out
    with_commas = {
        name: [str(score).replace(".", ",") for score in column]
        for name, column in scores.items()
    }
    file = write(tmp_path / "commas.csv", y_true, with_commas, ";")
    main(["report", file, *options, "--decimal", ","])
    assert capsys.readouterr().out == report


def test_a_reader_that_stops_ends_it_quietly(samples, tmp_path):
    file = write(tmp_path / "scores.csv", *samples)
    call = [sys.executable, "-m", "skrate", "report", file, *OPTIONS, "--rate", "0.1"]
    with subprocess.Popen(
        call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == ""


def test_letters_that_the_terminal_lacks_are_escaped(samples, tmp_path):
    y_true, scores = samples
    file = write(tmp_path / "scores.csv", y_true, {"s\xe9": scores["new"]})
    call = [sys.executable, "-m", "skrate", "report", file, "--label", "y", "--score"]
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"}
    run = partial(subprocess.run, capture_output=True, env=ascii_only, check=False)
    found = run([*call, "s\xe9", "--rate", "0.1"])
    assert (found.returncode, found.stderr) == (0, b"")
    assert rb"s\xe9" in found.stdout
    other = run([*call, "\xe9", "--rate", "0.1"])
    assert other.returncode == 2
    assert rb"no column '\xe9'; it has ['name', 'y', 's\xe9']" in other.stderr
    assert other.stderr.count(b"\n") == 1


def test_a_report_that_cannot_be_written_ends_with_a_message(samples, tmp_path):
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("needs a device that is full")
    file = write(tmp_path / "scores.csv", *samples)
    call = [sys.executable, "-m", "skrate", "report", file, *OPTIONS, "--rate", "0.1"]
    with full.open("w") as out:
        found = subprocess.run(call, stdout=out, stderr=subprocess.PIPE, check=False)
    assert found.returncode == 2
    assert found.stderr.count(b"\n") == 1


def test_parquet_is_read(samples, tmp_path, capsys):
    pandas = require("pandas")
    require("pyarrow")
    y_true, scores = samples
    path = tmp_path / "scores.parquet"
    pandas.DataFrame({"y": y_true, **scores}).to_parquet(path)
    main(["report", str(path), *OPTIONS, "--rate", "0.1"])
    found = capsys.readouterr().out
    main(
        ["report", write(tmp_path / "s.csv", y_true, scores), *OPTIONS, "--rate", "0.1"]
    )
    assert found == capsys.readouterr().out


def test_text_is_read_as_programs_write_it(samples, tmp_path, capsys):
    y_true, scores = samples
    main(
        ["report", write(tmp_path / "s.csv", y_true, scores), *OPTIONS, "--rate", "0.1"]
    )
    expected = capsys.readouterr().out
    text = (tmp_path / "s.csv").read_text(encoding="utf-8").replace("name,", "näme,", 1)
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252"):
        path = tmp_path / f"{encoding}.csv"
        path.write_text(text, encoding=encoding, newline="")
        main(["report", str(path), *OPTIONS, "--rate", "0.1"])
        assert capsys.readouterr().out == expected


def test_sheets_are_read_and_lower_scores_may_be_better(samples, tmp_path, capsys):
    y_true, scores = samples
    main(
        ["report", write(tmp_path / "s.csv", y_true, scores), *OPTIONS, "--rate", "0.1"]
    )
    expected = capsys.readouterr().out
    ranks = {name: -column for name, column in scores.items()}
    file = write(tmp_path / "r.csv", y_true, ranks)
    main(["report", file, *OPTIONS, "--rate", "0.1", "--lower-is-better"])
    assert capsys.readouterr().out == expected
    pandas, _ = require("pandas"), require("openpyxl")
    path = tmp_path / "scores.xlsx"
    pandas.DataFrame({"y": y_true, **scores}).to_excel(path, index=False)
    main(["report", str(path), *OPTIONS, "--rate", "0.1"])
    assert capsys.readouterr().out == expected


def test_parquet_without_pandas_is_refused(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "pandas", None)
    file = str(tmp_path / "scores.parquet")
    with pytest.raises(SystemExit) as stopped:
        main(["report", file, *OPTIONS, "--rate", "0.1"])
    assert stopped.value.code == 2
    assert "pip install pandas pyarrow" in capsys.readouterr().err


def test_the_page_has_no_picture_without_matplotlib(
    samples, monkeypatch, tmp_path, capsys
):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    file, page = write(tmp_path / "scores.csv", *samples), tmp_path / "page.html"
    main(["report", file, *OPTIONS, "--rate", "0.2", "--html", str(page)])
    text = page.read_text(encoding="utf-8")
    assert "<img" not in text
    assert text.count("install matplotlib") == 2


def test_the_command_runs_as_it_is_typed():
    call = [sys.executable, "-m", "skrate", "report", "--help"]
    shown = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    assert "python -m skrate report scores.csv" in shown


def write_two_files(tmp_path):
    """Write scores of eight samples, and labels of seven in another order."""
    scores, labels = tmp_path / "scores.csv", tmp_path / "labels.csv"
    rows = [f"00{i},{9 - i}" for i in range(1, 9)]
    scores.write_text("\n".join(["id,model", *rows]), encoding="utf-8")
    positive = {1, 2, 4}
    rows = [f"00{i};{int(i in positive)}" for i in (7, 3, 1, 5, 4, 2, 6)]
    labels.write_text("\n".join(["id;label", *rows]), encoding="utf-8")
    return str(scores), str(labels)


def test_labels_of_another_file_are_joined(tmp_path, capsys):
    scores, labels = write_two_files(tmp_path)
    options = ["--label-file", labels, "--id", "id", "--label", "label"]
    main(["report", scores, *options, "--score", "model", "--rate", "0.5"])
    out, err = capsys.readouterr()
    # The best 3.5 of 7 are 1, 2, 3 and half of 4.
    assert "2.5" in out
    assert "1 rows are left out" in err
    (tmp_path / "labels.csv").write_text("id;label\n001;1\n001;0", encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["report", scores, *options, "--score", "model", "--rate", "0.5"])
    assert "more than once" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["report", scores, *options[2:], "--score", "model", "--rate", "0.5"])
    assert "--label-file and --id" in capsys.readouterr().err


def test_a_recall_in_place_of_a_rate(tmp_path, capsys):
    scores, labels = write_two_files(tmp_path)
    options = ["--label-file", labels, "--id", "id", "--label", "label"]
    options += ["--score", "model"]
    main(["report", scores, *options, "--recall", "1", "--n-items", "700"])
    out = capsys.readouterr().out
    # All positives are among the best 4 of 7.
    assert "0.5714" in out
    assert "about 400 of 700" in out
    for wrong, message in (
        (["--recall", "1", "--rate", "0.2"], "not allowed with"),
        (["--recall", "95"], "0.95"),
        ([], "--rate --recall is required"),
    ):
        with pytest.raises(SystemExit):
            main(["report", scores, *options, *wrong])
        assert message in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["report", scores, *options, "--recall", "1", "--html", "page.html"])
    assert "--html needs --rate" in capsys.readouterr().err


@pytest.mark.parametrize("which", ["best", "worst", "random", "random, others missing"])
def test_labels_of_the_top_of_the_ranking_are_noted(which, tmp_path, capsys):
    rng, n = np.random.default_rng(0), 300
    y_true = rng.random(n) < 0.3
    model = rng.normal(size=n) + y_true
    order = rng.permutation(n) if "random" in which else np.argsort(model)
    labelled = order[:80] if which == "worst" else order[-80:]
    cells = [f"{score:.6f}" for score in model]
    if "missing" in which:
        cells = [cell if i in labelled else "" for i, cell in enumerate(cells)]
    rows = [f"{i},{cell}" for i, cell in enumerate(cells)]
    scores, labels = tmp_path / "scores.csv", tmp_path / "labels.csv"
    scores.write_text("\n".join(["id,model", *rows]), encoding="utf-8")
    rows = [f"{i},{int(y_true[i])}" for i in labelled]
    labels.write_text("\n".join(["id,label", *rows]), encoding="utf-8")
    options = ["--label-file", str(labels), "--id", "id", "--label", "label"]
    page = tmp_path / "page.html"
    options += ["--score", "model", "--rate", "0.2", "--html", str(page)]
    main(["report", str(scores), *options])
    note = "--score model is {} than of the others, with probability 1.00"
    noted = note.format("lower" if which == "worst" else "higher")
    texts = capsys.readouterr().err, page.read_text(encoding="utf-8")
    for text in texts:
        assert (noted in text) == ("random" not in which)
        assert "labelled ones" not in text or "random" not in which
