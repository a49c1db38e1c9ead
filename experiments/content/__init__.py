"""CONTENT, §VI: what assigning users to brokers saves, by scale and prices, and how long it takes."""
