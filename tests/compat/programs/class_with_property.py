# SPDX-License-Identifier: Apache-2.0
class Account:
    count = 0

    def __init__(self, balance):
        self._balance = balance
        Account.count += 1

    @property
    def balance(self):
        return self._balance

    @classmethod
    def empty(cls):
        return cls(0)

    @staticmethod
    def check(amount):
        return amount > 0

    def __repr__(self):
        return f"Account({self._balance})"

print([Account(5), Account.empty()], Account.count, Account.check(-1), Account(3).balance)
