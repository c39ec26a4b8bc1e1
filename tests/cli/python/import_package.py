# SPDX-License-Identifier: Apache-2.0
# beside: beside/package
import package
from package.inner import answer

print(package.__name__, package.__path__ and package.answer(), answer())
