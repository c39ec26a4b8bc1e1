# SPDX-License-Identifier: Apache-2.0
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
x, y = load_iris(return_X_y=True)
search = GridSearchCV(SVC(), {"C": [0.1, 1, 10]}, cv=3, n_jobs=2).fit(x, y)
print(search.best_params_, round(search.best_score_, 4))
