/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggestion.h"
#include "explain/feedback_advice.h"
#include "formats/printable.h"
#include "policy/modules.h"
#include "policy/package_words.h"

enum { NAME_MAX_SHOWN = 60 };

/* Names that programs use without importing them, and the line that imports them. */
static const struct {
    const char *name, *line;
} homes[] = {
    {"np", "import numpy as np"},
    {"pd", "import pandas as pd"},
    {"plt", "import matplotlib.pyplot as plt"},
    {"dt", "import datetime as dt"},
    {"ET", "import xml.etree.ElementTree as ET"},
    {"Any", "from typing import Any"},
    {"Callable", "from typing import Callable"},
    {"Counter", "from collections import Counter"},
    {"Decimal", "from decimal import Decimal"},
    {"Dict", "from typing import Dict"},
    {"Enum", "from enum import Enum"},
    {"Fraction", "from fractions import Fraction"},
    {"Iterable", "from typing import Iterable"},
    {"List", "from typing import List"},
    {"NamedTuple", "from typing import NamedTuple"},
    {"Optional", "from typing import Optional"},
    {"OrderedDict", "from collections import OrderedDict"},
    {"Path", "from pathlib import Path"},
    {"Set", "from typing import Set"},
    {"StringIO", "from io import StringIO"},
    {"Thread", "from threading import Thread"},
    {"ThreadPoolExecutor", "from concurrent.futures import ThreadPoolExecutor"},
    {"Tuple", "from typing import Tuple"},
    {"Union", "from typing import Union"},
    {"abstractmethod", "from abc import abstractmethod"},
    {"accumulate", "from itertools import accumulate"},
    {"bisect_left", "from bisect import bisect_left"},
    {"bisect_right", "from bisect import bisect_right"},
    {"cache", "from functools import cache"},
    {"ceil", "from math import ceil"},
    {"chain", "from itertools import chain"},
    {"combinations", "from itertools import combinations"},
    {"contextmanager", "from contextlib import contextmanager"},
    {"dataclass", "from dataclasses import dataclass"},
    {"deepcopy", "from copy import deepcopy"},
    {"defaultdict", "from collections import defaultdict"},
    {"deque", "from collections import deque"},
    {"field", "from dataclasses import field"},
    {"floor", "from math import floor"},
    {"gcd", "from math import gcd"},
    {"groupby", "from itertools import groupby"},
    {"heappop", "from heapq import heappop"},
    {"heappush", "from heapq import heappush"},
    {"inf", "from math import inf"},
    {"isclose", "from math import isclose"},
    {"islice", "from itertools import islice"},
    {"log", "from math import log"},
    {"lru_cache", "from functools import lru_cache"},
    {"mean", "from statistics import mean"},
    {"median", "from statistics import median"},
    {"namedtuple", "from collections import namedtuple"},
    {"nan", "from math import nan"},
    {"partial", "from functools import partial"},
    {"permutations", "from itertools import permutations"},
    {"pi", "from math import pi"},
    {"pprint", "from pprint import pprint"},
    {"product", "from itertools import product"},
    {"randint", "from random import randint"},
    {"reduce", "from functools import reduce"},
    {"sleep", "from time import sleep"},
    {"sqrt", "from math import sqrt"},
    {"timedelta", "from datetime import timedelta"},
    {"wraps", "from functools import wraps"},
    {"zip_longest", "from itertools import zip_longest"},
};

/* Names that are spelled differently in other languages and in Python 2. */
static const struct {
    const char *name, *ours;
} foreign[] = {
    {"true", "True"},
    {"false", "False"},
    {"null", "None"},
    {"nil", "None"},
    {"NULL", "None"},
    {"undefined", "None"},
    {"NaN", "math.nan"},
    {"this", "self"},
    {"xrange", "range"},
    {"raw_input", "input"},
    {"unicode", "str"},
    {"unichr", "chr"},
    {"long", "int"},
    {"basestring", "str"},
    {"puts", "print"},
    {"printf", "print"},
    {"cmp", "a key function (functools.cmp_to_key)"},
    {"strlen", "len"},
};

bool advice_add_home(struct buf *b, struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(foreign); i++)
        if (str_is(name, foreign[i].name)) {
            (void)buf_addf(b, "Python has no '%s': write %s.", foreign[i].name, foreign[i].ours);
            return true;
        }
    for (size_t i = 0; i < ARRAY_LEN(homes); i++)
        if (str_is(name, homes[i].name)) {
            (void)buf_addf(b, "'%s' is used but not imported. Add '%s' at the top.", homes[i].name,
                           homes[i].line);
            return true;
        }
    if (!module_is_library(name))
        return false;
    (void)buf_addf(b, "'%.*s' is a module of the standard library. Add 'import %.*s' at the top.",
                   (int)name.n, name.p, (int)name.n, name.p);
    return true;
}

/* Replacements in the standard library. */
static const struct {
    const char *module, *instead;
} substitutes[] = {
    {"numpy", "lists with math and statistics"},
    {"pandas", "csv, collections and statistics"},
    {"scipy", "math and statistics"},
    {"sklearn", "math and statistics"},
    {"sympy", "fractions and math"},
    {"matplotlib", "a table, or an SVG file written as text"},
    {"seaborn", "a table, or an SVG file written as text"},
    {"plotly", "a table, or an SVG file written as text"},
    {"PIL", "a text format (SVG, PPM) written by hand"},
    {"requests", "urllib.request"},
    {"httpx", "urllib.request"},
    {"aiohttp", "urllib.request"},
    {"bs4", "html.parser"},
    {"lxml", "xml.etree.ElementTree and html.parser"},
    {"yaml", "json"},
    {"toml", "tomllib (from Python 3.11)"},
    {"tomli", "tomllib (from Python 3.11)"},
    {"ujson", "json"},
    {"simplejson", "json"},
    {"orjson", "json"},
    {"dateutil", "datetime"},
    {"pytz", "zoneinfo"},
    {"regex", "re"},
    {"pytest", "unittest"},
    {"pydantic", "dataclasses"},
    {"attr", "dataclasses"},
    {"attrs", "dataclasses"},
    {"tqdm", "print"},
    {"rich", "print"},
    {"tabulate", "str.ljust and print"},
    {"openpyxl", "csv, or zipfile with xml.etree.ElementTree"},
    {"networkx", "dicts of sets, heapq and collections.deque"},
    {"six", "nothing: this is Python 3"},
    {"tkinter", "text output"},
    {"distutils", "sysconfig and shutil (it is gone since Python 3.12)"},
    {"imp", "importlib (it is gone since Python 3.12)"},
    {"asyncore", "asyncio (it is gone since Python 3.12)"},
};

/* Modules of Python 2 that have another name since. */
static const struct {
    const char *module, *now;
} renamed[] = {
    {"ConfigParser", "configparser"},
    {"HTMLParser", "html.parser"},
    {"Queue", "queue"},
    {"StringIO", "io"},
    {"Tkinter", "tkinter"},
    {"cPickle", "pickle"},
    {"cStringIO", "io"},
    {"httplib", "http.client"},
    {"urllib2", "urllib.request"},
    {"urlparse", "urllib.parse"},
};

/* Modules whose package has another name. */
static const struct {
    const char *module, *package;
} packages[] = {
    {"Crypto", "pycryptodome"},
    {"Levenshtein", "python-Levenshtein"},
    {"MySQLdb", "mysqlclient"},
    {"OpenSSL", "pyOpenSSL"},
    {"PIL", "Pillow"},
    {"attr", "attrs"},
    {"bs4", "beautifulsoup4"},
    {"cairo", "pycairo"},
    {"cv2", "opencv-python"},
    {"dateutil", "python-dateutil"},
    {"docx", "python-docx"},
    {"dotenv", "python-dotenv"},
    {"faiss", "faiss-cpu"},
    {"fitz", "PyMuPDF"},
    {"gi", "PyGObject"},
    {"git", "GitPython"},
    {"github", "PyGithub"},
    {"jwt", "PyJWT"},
    {"magic", "python-magic"},
    {"pptx", "python-pptx"},
    {"psycopg2", "psycopg2-binary"},
    {"serial", "pyserial"},
    {"skimage", "scikit-image"},
    {"sklearn", "scikit-learn"},
    {"slugify", "python-slugify"},
    {"usb", "pyusb"},
    {"yaml", "PyYAML"},
    {"zmq", "pyzmq"},
};

static const char *package_of(struct str module)
{
    for (size_t i = 0; i < ARRAY_LEN(packages); i++)
        if (str_is(module, packages[i].module))
            return packages[i].package;
    return NULL;
}

static struct str top_of(struct str module)
{
    long dot = str_find(module, STR("."));

    return dot < 0 ? module : str_slice(module, 0, (size_t)dot);
}

static const char *substitute_for(struct str module)
{
    for (size_t i = 0; i < ARRAY_LEN(substitutes); i++)
        if (str_is(module, substitutes[i].module))
            return substitutes[i].instead;
    return NULL;
}

/* Returns the correct name for a misspelt one such as "jsn"; only if it is almost certain. */
static const char *misspelt(struct str module)
{
    static const char *const common[] = {
        "argparse",   "asyncio",   "collections", "copy",     "csv",       "datetime",
        "decimal",    "fractions", "functools",   "hashlib",  "heapq",     "itertools",
        "json",       "logging",   "math",        "operator", "pathlib",   "random",
        "statistics", "string",    "subprocess",  "textwrap", "threading", "time",
        "typing",     "unittest",  "dataclasses",
    };
    struct suggestion n = {.word = module};

    for (size_t i = 0; module.n > 3 && i < ARRAY_LEN(common); i++)
        suggestion_try(&n, common[i]);
    /* A short prefix is close to every name that begins with it. */
    return n.best && strlen(n.best) <= module.n + 2 ? n.best : NULL;
}

static const char *new_name_of(struct str module)
{
    for (size_t i = 0; i < ARRAY_LEN(renamed); i++)
        if (str_is(module, renamed[i].module))
            return renamed[i].now;
    return NULL;
}

/* Adds "--pip=pyyaml installs it". Names of packages are the same in small letters, and an option's
 * value in our texts has no others. */
static void add_installs(struct buf *b, const char *package)
{
    (void)buf_adds(b, "--pip=");
    for (const char *p = package; *p; p++)
        (void)buf_addc(b, (char)tolower((unsigned char)*p));
    (void)buf_adds(b, " installs it.");
}

/* Names a package only if it is in our tables: a package with a made-up name may be malware. */
static void add_ways(struct buf *b, struct str module, struct advice_place place)
{
    const char *package = package_of(module);
    AUTO_FREE char *same = substitute_for(module) ? xstrndup(module.p, module.n) : NULL;

    if (!place.installs)
        (void)buf_adds(b, PACKAGE_WAYS ".");
    else if (package || same)
        add_installs(b, package ? package : same);
    else
        (void)buf_adds(b, "--pip installs packages.");
}

static void add_missing_package(struct buf *b, struct str module, struct advice_place place)
{
    const char *instead = substitute_for(module);

    (void)buf_adds(b, " is not installed, and a program cannot install packages. ");
    if (instead && str_starts(str_from(instead), "urllib.") && !place.net && !place.named)
        (void)buf_adds(b, "Use data that is given as a file, because there is no network; ");
    else if (instead)
        (void)buf_addf(b, "Use %s; ", instead);
    else
        (void)buf_adds(b, "Use the standard library; a module of your own comes with --file; ");
    add_ways(b, module, place);
}

static void add_other_version(struct buf *b, struct str module)
{
    const char *instead = substitute_for(module);

    (void)buf_adds(b, " is not in the library of this Python; other versions may have it. ");
    if (instead)
        (void)buf_addf(b, "Use %s; ", instead);
    (void)buf_adds(b, "--python names another version.");
}

void advice_add_module(struct buf *b, struct str module, struct advice_place place)
{
    struct str top = top_of(module);
    const char *near = misspelt(module), *package = package_of(top), *now = new_name_of(top);

    (void)buf_adds(b, "Module '");
    printable_add_word(b, module, NAME_MAX_SHOWN);
    (void)buf_addc(b, '\'');
    if (package)
        (void)buf_addf(b, " (of the package %s)", package);
    if (now)
        (void)buf_addf(b, " is of Python 2; in Python 3 it is %s.", now);
    else if (module_is_library(top))
        add_other_version(b, top);
    else if (near && !substitute_for(top))
        (void)buf_addf(b, " does not exist, but '%s' does: the name is probably misspelled.", near);
    else
        add_missing_package(b, top, place);
}
