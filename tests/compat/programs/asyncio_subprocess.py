# SPDX-License-Identifier: Apache-2.0
import asyncio
import sys

async def main():
    p = await asyncio.create_subprocess_exec(sys.executable, "-c", "print(6 * 7)", stdout=asyncio.subprocess.PIPE)
    out, _ = await p.communicate()
    print(out.decode().strip(), p.returncode)

asyncio.run(main())
