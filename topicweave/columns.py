"""The names of all columns, defined in one place."""

from __future__ import annotations

# Columns of subscription tables. Readers add the line and the file that a row comes from, and the reason why the row
# cannot be used (null if it can be).
NODE, TOPIC, ROLE = "node", "topic", "role"
SUBSCRIBER = "subscriber"  # the name that earlier versions used for the role "subscribe"
LINE, FILE, REASON = "line", "file", "reason"
BYTES = "bytes"

# Event logs.
SEQUENCE, TIME, ACTION = "sequence", "time", "action"

# Client tables.
CLIENT, FILTER, BROKER = "client", "filter", "broker"

# Columns of the tables of links, nodes and topics.
SOURCE, TARGET, CONTRIBUTION = "source", "target", "contribution"
NUMBER, DEGREE, TOPICS = "number", "degree", "topics"
SUBSCRIBERS, COMPONENTS = "subscribers", "components"
DIAMETER, DIAMETER_EXACT, CONNECTIVITY = "diameter", "diameter_exact", "connectivity"

# Trees.
PARENT, CHILD, DEPTH = "parent", "child", "depth"
TREE_DEPTH, TREE_HOPS = "tree_depth", "tree_hops"
