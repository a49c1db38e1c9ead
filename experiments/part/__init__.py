"""PART, §IX: how much of a topic-connected overlay a budget of links buys."""
