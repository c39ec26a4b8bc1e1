# SPDX-License-Identifier: Apache-2.0
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
x = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 0.5]])
model = make_pipeline(StandardScaler(), LogisticRegression()).fit(x, [0, 0, 1, 1])
print(model.predict([[2.5, 0.2]]), model.named_steps["standardscaler"].mean_)
