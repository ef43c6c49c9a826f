"""What was drawn: the data of lines, and the texts of legends."""

import numpy as np


def data(line):
    return np.array(line.get_xdata()), np.array(line.get_ydata())


def texts(display):
    """Return the entries of the legend, each in one line."""
    entries = display.ax_.get_legend().get_texts()
    return [entry.get_text().replace("\n", " ") for entry in entries]
