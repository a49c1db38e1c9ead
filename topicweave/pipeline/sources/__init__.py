"""The kinds of input: subscriptions, social graphs, event logs, client tables, publications."""
