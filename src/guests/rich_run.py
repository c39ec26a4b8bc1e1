# SPDX-License-Identifier: Apache-2.0
# Rich results of a plain program: runs before it, in its interpreter. display() is a builtin, and libraries that
# show things show them through descriptor 4, in frames "display 0 LENGTH\n" and the BUNDLE as JSON; does
# nothing where that is no pipe. The host adds to this text a last line, rich_text = r'''...''', with
# cells_charts.py, cells_rich.py and cells_hooks.py: compiled only when a program shows something or is
# about to be able to. This here is compiled at every start.
import sys
from posix import fstat


class rich_first:
    names = {}

    def load():
        names = rich_first.names
        if not names:
            sys.meta_path[:] = [f for f in sys.meta_path if f is not rich_first]
            exec(compile(rich_text, "<glovebox>", "exec", dont_inherit=True), names)
            names["rich_install_program"](rich_channel)
        return names

    def find_spec(name, path=None, target=None):
        if name in ("matplotlib", "PIL", "plotly", "altair", "IPython", "bokeh"):
            return rich_first.load()["rich_finder"].find_spec(name, path, target)


def display(*objs, **options):
    rich_first.load()["rich_display"](*objs, **options)


try:
    rich_channel = fstat(4)
except OSError:
    rich_channel = None
if rich_channel and rich_channel.st_mode & 0o170000 == 0o010000:
    __builtins__["display"] = display
    sys.meta_path.insert(0, rich_first)
