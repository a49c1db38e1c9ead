"""PART, §IX: how close to a topic-connected overlay one gets with a limited number of links."""
