# SPDX-License-Identifier: Apache-2.0
import sys

message = "still here"


class A:
    def __del__(self):
        print(message, sys is not None, print_later is not None)


def print_later():
    pass


a = A()
