# SPDX-License-Identifier: Apache-2.0
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
x, y = load_iris(return_X_y=True)
train_x, test_x, train_y, test_y = train_test_split(x, y, random_state=0)
model = RandomForestClassifier(n_estimators=20, random_state=0, n_jobs=2).fit(train_x, train_y)
print(round(model.score(test_x, test_y), 4))
