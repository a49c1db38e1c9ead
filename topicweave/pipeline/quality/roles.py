"""Reads the role in each row: whether the node subscribes to the topic, publishes it, or both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from topicweave.columns import REASON, ROLE
from topicweave.model.event_schema import BOTH, PUBLISH, ROLE_BITS, SUBSCRIBE, UNKNOWN_ROLE, WHITESPACE
from topicweave.model.interest_checks import SUBSCRIBES

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def tag_roles(rows: DataFrame) -> DataFrame:
    """Convert roles to lower case, and empty ones to null; rows with an unknown role get a reason."""
    role = F.nullif(F.lower(F.btrim(F.col(ROLE).cast("string"), F.lit(WHITESPACE))), F.lit(""))
    rows = rows.withColumn(ROLE, role)
    is_bad = F.col(REASON).isNull() & F.col(ROLE).isNotNull() & ~F.col(ROLE).isin(*ROLE_BITS)
    return rows.withColumn(REASON, F.when(is_bad, UNKNOWN_ROLE).otherwise(F.col(REASON)))


def role_bits() -> Column:
    """The role as a number with one bit for subscribing and one for publishing."""
    found = F.lit(SUBSCRIBES)
    for name, bits in ROLE_BITS.items():
        found = F.when(F.col(ROLE) == name, bits).otherwise(found)
    return found.cast("int").alias(ROLE)


def roles_named() -> Column:
    """The single roles of a row: ``both`` gives two, and an empty role gives ``subscribe``."""
    both = F.array(F.lit(SUBSCRIBE), F.lit(PUBLISH))
    one = F.array(F.when(F.col(ROLE) == PUBLISH, PUBLISH).otherwise(SUBSCRIBE))
    return F.when(F.col(ROLE) == BOTH, both).otherwise(one)
