# SPDX-License-Identifier: Apache-2.0
from datetime import datetime, timedelta, timezone
moment = datetime(2024, 2, 28, 23, 30, tzinfo=timezone.utc)
print(moment + timedelta(hours=1), moment.isoformat(), moment.strftime("%A %d %B %Y"))
print((datetime(2024, 3, 1) - datetime(2024, 2, 1)).days)
