"""The names of columns, defined once."""

from __future__ import annotations

# Subscriptions, and what every reader adds to a row: its source, and why it cannot be used (null if it can).
NODE, TOPIC, ROLE = "node", "topic", "role"
SUBSCRIBER = "subscriber"  # the former name of the role "subscribe"
LINE, FILE, REASON = "line", "file", "reason"
BYTES = "bytes"

# Event logs.
SEQUENCE, TIME, ACTION = "sequence", "time", "action"

# Client tables.
CLIENT, FILTER, BROKER = "client", "filter", "broker"

# Tables of links, nodes and topics.
SOURCE, TARGET, CONTRIBUTION = "source", "target", "contribution"
NUMBER, DEGREE, TOPICS = "number", "degree", "topics"
SUBSCRIBERS, COMPONENTS = "subscribers", "components"
DIAMETER, DIAMETER_EXACT = "diameter", "diameter_exact"

# Trees.
PARENT, CHILD, DEPTH = "parent", "child", "depth"
TREE_DEPTH, TREE_HOPS = "tree_depth", "tree_hops"
