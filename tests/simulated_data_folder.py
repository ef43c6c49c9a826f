"""Random data in the files and formats that benchmarks/reproduce/ reads."""

import csv

import numpy as np

NUMERIC = {
    "ionosphere/ionosphere.arff": ("class", "g b"),
    "pima-diabetes/diabetes.arff": ("class", "tested_negative tested_positive"),
    "page-blocks/page.blocks.arff": ("class", "1 2"),
    "weka-breast-w/breast.w.arff": ("Class", "benign malignant"),
}
WITH_NAMES = {
    "weka-vote/vote.arff": ("Class", "democrat republican"),
    "weka-autos/autos.arff": ("num-of-doors", "four two"),
    "weka-credit-g/credit.g.arff": ("class", "good bad"),
    "weka-colic/colic.arff": ("surgical_lesion", "yes no"),
}
# "autos" has three attributes that can be the label.
NAMES = {"aspiration": "std turbo", "fuel-type": "gas diesel"}


def write_data_folder(folder):
    """Write each data set; the second label is the positive one, and rarer."""
    rng = np.random.default_rng(0)
    for names, files in (({}, NUMERIC), (NAMES, WITH_NAMES)):
        for file, (label, values) in files.items():
            write_arff(folder / file, rng, names | {label: values})
    for name, n_lists in (("rank.train", 10), ("rank.test", 4)):
        write_lists(folder / "lightgbm-lambdarank" / name, rng, n_lists)
    write_review(folder / "screening-nagtegaal2019" / "Nagtegaal_2019.csv", rng)
    counts = [("digital", score, 70 - 10 * score, score) for score in range(1, 8)]
    header = ("modality", "score", "noncancer", "cancer")
    path = folder / "dmist" / "dmist_digital_malignancy_score.csv"
    write_csv(path, [header, ("film", 1, 5, 5), *counts])


def write_arff(path, rng, names, n=120):
    """Write two numbers, and names that depend on the first of them."""
    numbers = rng.normal(size=(n, 2)).round(2)
    columns = [*numbers.astype(str).T]
    # Only one of the scripts reads types with a range.
    kind = "integer [-9,9]" if "Class" in names else "real"
    lines = ["@relation simulated", f"@attribute x {kind}", "@attribute z real"]
    for name, values in names.items():
        first, second = values.split()
        lines.append(f"@attribute {name} {{{first}, {second}}}")
        is_second = numbers[:, 0] + rng.normal(size=n) > 0.7
        columns.append(np.where(is_second, second, first))
    rows = np.column_stack(columns).tolist()
    lines += ["@data", *map(",".join, rows)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_lists(path, rng, n_lists, n_items=20):
    """Write lists in libsvm format, with grades 0 to 3, and their sizes."""
    x = rng.normal(size=(n_lists * n_items, 2))
    grades = np.digitize(x[:, 0] + rng.normal(size=len(x)), [-1, 0, 1])
    lines = [f"{g} 1:{a:.3f} 2:{b:.3f}\n" for g, (a, b) in zip(grades, x, strict=True)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines), encoding="utf-8")
    sizes = path.with_name(f"{path.name}.query")
    sizes.write_text(f"{n_items}\n" * n_lists, encoding="utf-8")


def write_review(path, rng, n=100):
    """Write records; those that are included often have some of the words."""
    words = np.array([f"word{letter}" for letter in "abcdefghij"])
    rows = [("title", "abstract", "label_included")]
    for i in range(n):
        p = np.linspace(1, 2 + (i % 4 == 0), len(words))
        drawn = rng.choice(words, size=9, p=p / p.sum())
        rows.append((drawn[0], " ".join(drawn[1:]), int(i % 4 == 0)))
    write_csv(path, rows)


def write_csv(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
