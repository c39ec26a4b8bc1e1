# SPDX-License-Identifier: Apache-2.0
import sqlite3
db = sqlite3.connect(":memory:")
db.execute("create table t (id integer primary key)")
try:
    with db:
        db.execute("insert into t values (1)")
        db.execute("insert into t values (1)")
except sqlite3.IntegrityError as e:
    print("rolled back:", e, db.execute("select count(*) from t").fetchone())
