# SPDX-License-Identifier: Apache-2.0
import sqlite3
db = sqlite3.connect("shop.db")
db.execute("create table items (name text, price real)")
db.executemany("insert into items values (?, ?)", [("pen", 1.2), ("book", 9.5), ("bag", 30)])
db.commit()
print(db.execute("select count(*), round(avg(price), 2), max(name) from items").fetchone())
db.close()
