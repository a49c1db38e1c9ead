"""What several tests of the pipeline use."""

from topicweave.pipeline import as_source, encode


def pairs_of(interest):
    """The subscriptions of an interest as a set of label pairs."""
    return set(interest.pairs())


def read_pairs(spark, source):
    """Read a source and return its subscriptions, and how many rows had which reason."""
    encoded = encode(as_source(source).read(spark).pairs)
    return pairs_of(encoded.interest), {**encoded.counts.bad, **encoded.counts.ignored}
