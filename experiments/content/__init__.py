"""CONTENT, §VI: how much a good assignment of users to brokers saves, by size and prices, and how long it takes to
find.
"""
