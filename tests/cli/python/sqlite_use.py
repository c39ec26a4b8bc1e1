# SPDX-License-Identifier: Apache-2.0
import sqlite3

db = sqlite3.connect("data.db")
db.execute("create table t (a, b)")
db.executemany("insert into t values (?, ?)", [(1, "x"), (2, "y")])
db.commit()
print(db.execute("select sum(a), group_concat(b) from t").fetchall())
