"""The record: what was taken away and still stands, kept apart from the database.

    core.record   its rows, and their comparison with the database's
    core.store    what a record can do, wherever it lies
    file          in one file of this machine
    db.taken      in a small PostgreSQL database of another cluster
    marks         from the rows of the database to those of the record
    keeping       what use cases do with it: take, give back, compare

Source: DESIGN sections 3 (G7) and 4; schema/09_record.sql; decision 0014.
"""
