# SPDX-License-Identifier: Apache-2.0
# beside: beside/helper.py
import helper

helper.fail()
