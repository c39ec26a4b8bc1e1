# SPDX-License-Identifier: Apache-2.0
import warnings
warnings.simplefilter("always")
with warnings.catch_warnings(record=True) as caught:
    warnings.warn("old", DeprecationWarning)
print([str(w.message) for w in caught], caught[0].category.__name__)
