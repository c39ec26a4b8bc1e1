# SPDX-License-Identifier: Apache-2.0
# beside: beside/helper.py
import warnings

import helper

warnings.warn_explicit("explicit", UserWarning, helper.__file__, 3)
warnings.warn("far", stacklevel=5)
