"""Matching by content: which subscriptions, made of ranges over attributes, contain a publication."""

from topicweave.content.matching.range_index import RangeIndex as RangeIndex
from topicweave.content.matching.ranges import as_point as as_point
from topicweave.content.matching.ranges import as_ranges as as_ranges
from topicweave.content.matching.ranges import is_inside as is_inside
