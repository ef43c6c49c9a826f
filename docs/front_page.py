"""What the front page takes from elsewhere: its numbers, from the page of speed."""

from pathlib import Path

# Job, size and peer of a row of performance.md, and what its ratio says.
NUMBERS = (
    (
        ("rAUC, no ties", "1,000,000", "roc_auc_score"),
        "times as fast",
        "rate-weighted AUC of a million cases, beside scikit-learn's plain AUC; it "
        "depends on how numpy sorts on your processor",
    ),
    (
        ("bootstrap of AUC, prevalence 0.1", "10,000", "scipy.stats.bootstrap"),
        "times as fast",
        "interval of an AUC by the bootstrap, beside SciPy's",
    ),
    (
        ("lists of 20, no ties", "100,000", "roc_auc_score, loop"),
        "times as fast",
        "AUC within each of 100,000 lists, beside a loop over them",
    ),
)
CARD = """
   .. grid-item-card::
      :class-card: number
      :link: performance
      :link-type: doc

      **{ratio}** {unit}

      {what}
"""


def write_numbers(source: Path, target: Path) -> None:
    """Write the cards with the ratios that stand in the page of speed."""
    ratios = read_ratios(source.read_text("utf-8"))
    cards = [
        CARD.format(ratio=_range(row, ratios), unit=unit, what=what)
        for row, unit, what in NUMBERS
    ]
    text = ".. grid:: 1 1 3 3\n   :gutter: 2\n" + "".join(cards)
    target.write_text(text, encoding="utf-8")


def _range(row: tuple[str, ...], ratios: dict[tuple[str, ...], float]) -> str:
    """Return the ratio, or its range where it was also measured without SIMD."""
    least = ratios.get((*row[:2], f"{row[2]}, sort without SIMD"))
    return (
        f"{ratios[row]:,.0f}" if least is None else f"{least:.0f} to {ratios[row]:.0f}"
    )


def read_ratios(text: str) -> dict[tuple[str, ...], float]:
    """Return the ratio of each job, size and peer of a page of Markdown tables."""
    rows = (
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("|")
    )
    return {
        tuple(row[:3]): float(row[3].replace(",", ""))
        for row in rows
        if row[3].replace(",", "").replace(".", "", 1).isdigit()
    }
