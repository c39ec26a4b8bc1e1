# SPDX-License-Identifier: Apache-2.0
import locale
import sys

print(sys.getdefaultencoding(), sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())
print(locale.getpreferredencoding(), locale.getlocale())
print(open("new.txt", "w").encoding)
