"""The code of the jobs ``maintain``, which applies a complete log of events, and ``follow``, which applies event files
as they arrive.
"""
