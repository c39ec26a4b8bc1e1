# SPDX-License-Identifier: Apache-2.0
# beside: beside/package
import runpy

runpy.run_module("package", run_name="__main__", alter_sys=True)
