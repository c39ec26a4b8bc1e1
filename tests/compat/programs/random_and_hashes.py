# SPDX-License-Identifier: Apache-2.0
import hashlib
import random
import secrets
import uuid
random.seed(11)
print(random.random(), random.sample(range(50), 4), random.choice("xyz"))
print(hashlib.sha256(b"abc").hexdigest()[:16], len(secrets.token_hex(8)), uuid.uuid5(uuid.NAMESPACE_DNS, "x.org"))
