"""The promise, put to the proof: histories, what they leave behind, those who attack it, and a page that says so.

`histories`, `comparison`, `signals`, `attack` and `report` are pure; `stage` and `play` hold a database and the
real application.
"""
