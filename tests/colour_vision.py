"""How far apart colours are, to whom red and green look alike.

Deuteranopia, which is the commonest lack of a kind of cones, by the matrix of Machado,
Oliveira and Fernandes (2009), doi:10.1109/TVCG.2009.113, table 1, severity 1, which is
applied to linear RGB; differences in CIELAB (1976, white D65).
"""

import numpy as np

DEUTERANOPIA = np.array(
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
)
# IEC 61966-2-1.
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def linear(rgb):
    rgb = np.asarray(rgb, dtype=float)
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def deuteranopic(rgb):
    """Return linear RGB as it is seen without the cones for middle wavelengths."""
    return np.clip(DEUTERANOPIA @ linear(rgb), 0, 1)


def lab(linear_rgb):
    x, y, z = XYZ @ linear_rgb / XYZ.sum(axis=1)
    x, y, z = (t ** (1 / 3) if t > (6 / 29) ** 3 else t / 3 * (29 / 6) ** 2 + 4 / 29
               for t in (x, y, z))  # fmt: skip
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def difference(one, other):
    """Return how far apart two colours are, to whichever eye they are closer."""
    return min(
        float(np.linalg.norm(lab(seen(one)) - lab(seen(other))))
        for seen in (linear, deuteranopic)
    )
