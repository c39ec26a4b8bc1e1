# SPDX-License-Identifier: Apache-2.0
# Functions that show something which is not a cell's value: plt.show(), figures left open, fig.show(), Image.show(),
# IPython's display(). Runs inside the wall, in one text with cells_rich.py (after it).
#
#   install(emit, limits)   once, before the user's code. Costs microseconds: a library is changed when it has
#                           been imported, and then calls emit(bundle). With ending=True the figures that are
#                           still open are shown when the interpreter ends: for a program, which has no cells
#   before_cell()           before each cell
#   after_cell(emit)        after each, when its value has its bundle: shows the figures that are still open,
#                           unless they have been shown, and closes them, as a notebook does
import sys

rich_hooked = set()  # modules, by id
rich_state = {"emit": None, "limits": RICH_LIMITS, "ending": False}


def rich_emit(obj, emit=None):
    made = bundle(obj, "display", rich_state["limits"])
    if made is not None:
        (emit or rich_state["emit"])(made)


def install(emit, limits=None, ending=False):
    rich_state.update(emit=emit, limits=limits or RICH_LIMITS, ending=ending)
    if rich_finder not in sys.meta_path:
        sys.meta_path.insert(0, rich_finder)
    for name in RICH_HOOKS:
        if name in sys.modules:
            rich_hook(RICH_HOOKS[name], sys.modules[name])


def before_cell():
    if rich_shown:
        rich_shown.clear()
    for filters, old in rich_quiet_filters[:]:  # an interrupt may have left them
        rich_take_filter(filters, old)


def after_cell(emit):
    if "matplotlib.pyplot" in sys.modules:
        rich_show_figures(emit)


# ---- imports ----

# Each library is changed once; a version that we do not know stays unchanged.
def rich_hook(hook, module):
    if id(module) in rich_hooked:
        return
    rich_hooked.add(id(module))
    try:
        hook(module)
    except Exception:
        pass


class rich_finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in RICH_HOOKS:
            return None
        if name == "matplotlib":
            from os import environ
            environ.setdefault("MPLBACKEND", "Agg")
        for finder in [f for f in sys.meta_path if f is not rich_finder]:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find else None
            if spec is not None:
                rich_wrap(spec.loader, RICH_HOOKS[name])
                return spec
        return None


# Wraps the loader, which gets its old methods back as soon as the module is loaded.
def rich_wrap(loader, hook):
    if isinstance(loader, type):  # the class of modules inside the interpreter, which all of them share
        return
    try:
        execute = loader.exec_module

        def exec_module(module):
            loader.__dict__.pop("exec_module", None)
            execute(module)
            rich_hook(hook, module)

        loader.exec_module = exec_module
    except AttributeError:  # an object without room for it
        pass


# ---- matplotlib ----

def rich_show_figures(emit=None):
    pyplot = sys.modules["matplotlib.pyplot"]
    for number in pyplot.get_fignums():
        manager = pyplot._pylab_helpers.Gcf.figs.get(number)
        if manager is None:
            continue
        figure = manager.canvas.figure
        if not rich_was_shown(figure) and not rich_is_empty(figure):
            rich_emit(figure, emit)
        pyplot.close(figure)


# If matplotlib was imported before us, it would look for a screen, in one library after the other.
def rich_choose_backend():
    matplotlib = sys.modules["matplotlib"]
    if dict.__getitem__(matplotlib.rcParams, "backend") is sys.modules["matplotlib.rcsetup"]._auto_backend_sentinel:
        matplotlib.rcParams["backend"] = "agg"


def rich_hook_pyplot(pyplot):
    from functools import wraps
    rich_choose_backend()
    Figure = sys.modules["matplotlib.figure"].Figure

    @wraps(pyplot.show)
    def show(*args, **kwargs):
        rich_show_figures()

    @wraps(Figure.show)
    def show_one(self, warn=True):
        rich_emit(self)

    pyplot.show, Figure.show = show, show_one
    rich_watch_axes(sys.modules["matplotlib.axes"].Axes)
    if rich_state["ending"]:
        # Registered later than pyplot's own function, so that it runs before that one closes the figures.
        import atexit
        atexit.register(rich_show_figures)


# ---- others ----

# As IPython's display, as far as that has a meaning without a notebook: it never updates or removes an earlier one.
def rich_display(*objs, include=None, exclude=None, metadata=None, raw=False, **kwargs):
    for obj in objs:
        made = bundle(RichRaw(obj) if raw else obj, "display", rich_state["limits"])
        if made is None:
            continue
        for mime in list(made["data"]):
            if mime != "text/plain" and ((include and mime not in include) or (exclude and mime in exclude)):
                del made["data"][mime]
        for mime, more in metadata.items() if isinstance(metadata, dict) else ():
            if mime in made["data"]:
                made["metadata"][mime] = rich_json(more, [RICH_JSON_SMALL])
        rich_state["emit"](made)


def rich_hook_ipython(module):
    def display(*objs, display_id=None, **options):
        rich_display(*objs, **options)
        if display_id is not None:
            return module.DisplayHandle(None if display_id is True else display_id)

    module.display = display


# A dictionary of MIME types and data, to be shown unchanged.
class RichRaw:
    def __init__(self, data):
        self.made = data

    def __repr__(self):
        return ""

    def _repr_mimebundle_(self, include=None, exclude=None):
        return self.made


def rich_hook_image(module):
    def show(self, title=None, *args, **kwargs):
        rich_emit(self)

    module.Image.show = show


def rich_hook_plotly(module):
    def show(fig, *args, **kwargs):
        if isinstance(fig, dict):
            fig = sys.modules["plotly.graph_objs"].Figure(fig)
        rich_emit(fig)

    module.show = show


def rich_hook_altair(module):
    def show(self, *args, **kwargs):
        rich_emit(self)

    for base in module.Chart.__mro__:
        if "show" in base.__dict__:
            base.show = show


def rich_hook_bokeh(module):
    def show(obj, *args, **kwargs):
        from bokeh.embed import file_html
        from bokeh.resources import CDN
        rich_emit(RichRaw({"text/plain": repr(obj), "text/html": file_html(obj, CDN)}))

    module.show = show


RICH_HOOKS = {
    "matplotlib": lambda module: None, "matplotlib.pyplot": rich_hook_pyplot,
    "IPython.core.display_functions": rich_hook_ipython, "PIL.Image": rich_hook_image,
    "plotly.io": rich_hook_plotly, "altair": rich_hook_altair, "bokeh.io.showing": rich_hook_bokeh}
