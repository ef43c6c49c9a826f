"""Rank tables of Spark dataframes.

It needs the extra ``spark``, and is imported by its own name: ``import skrate.spark``.
"""

from skrate.engines.spark_tables import rank_table

__all__ = ["rank_table"]
