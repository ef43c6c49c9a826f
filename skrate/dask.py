"""Rank tables of Dask arrays and of columns of Dask dataframes.

It needs the extra ``dask``, and is imported by its own name: ``import skrate.dask``.
"""

from skrate.engines.dask_tables import rank_table

__all__ = ["rank_table"]
