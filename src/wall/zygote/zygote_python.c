/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of zygote.h for a Python interpreter, and some more for its forks. They use the
 * stable ABI, declared here: one shared object serves every version. ctypes could call them as
 * well, but each such call would make a fork copy some ten pages more.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "zygote/zygote.h"

/* Functions of the interpreter that loads us. */
#define THEIRS __attribute__((weak))
THEIRS void *PyObject_CallObject(void *callable, void *args);
THEIRS void *PyBytes_FromStringAndSize(const char *bytes, ssize_t n);
THEIRS void *PyLong_FromLong(long n);
THEIRS long PyLong_AsLong(void *object);
THEIRS int PyArg_ParseTuple(void *args, const char *format, ...);
THEIRS int PyDict_SetItemString(void *dict, const char *name, void *object);
THEIRS void PyOS_BeforeFork(void);
THEIRS void PyOS_AfterFork_Parent(void);
THEIRS void PyOS_AfterFork_Child(void);

typedef void *function(void *self, void *args);

/* PyMethodDef */
struct method {
    const char *name;
    function *zygote_python_call;
    int how;
    const char *text;
};

THEIRS void *PyCFunction_NewEx(struct method *method, void *self, void *module);

enum { ARGUMENTS = 0x1, NONE = 0x4, ONE = 0x8 }; /* METH_VARARGS, METH_NOARGS, METH_O */

static void *open_nest(void *self, void *none)
{
    (void)self, (void)none;
    return PyLong_FromLong(zygote_open());
}

static void *rehearse(void *self, void *none)
{
    (void)self, (void)none;
    return PyLong_FromLong(zygote_rehearse());
}

static int zygote_python_call(void *callable)
{
    return PyObject_CallObject(callable, NULL) ? 0 : -1;
}

static void *zygote_python_serve(void *self, void *wake)
{
    (void)self;
    struct str words = zygote_serve(zygote_python_call, wake);
    return PyBytes_FromStringAndSize(words.p, (ssize_t)words.n);
}

/* Ends a guest whose output is complete. */
static void *zygote_python_leave(void *self, void *status)
{
    (void)self;
    zygote_end_rehearsal();
    _exit((int)PyLong_AsLong(status));
}

/* Ends a guest that may have output in buffers of the C library. */
static void *leave_flushed(void *self, void *status)
{
    (void)fflush(NULL);
    return zygote_python_leave(self, status);
}

/* Ends a guest whose libraries have exit handlers. */
static void *leave_libraries(void *self, void *status)
{
    (void)self;
    zygote_end_rehearsal();
    exit((int)PyLong_AsLong(status)); /* NOLINT: the guest has one thread */
}

static long count_entries(const char *path)
{
    DIR *folder = opendir(path);
    long n = -1; /* opendir's own descriptor does not count */

    if (!folder)
        return -1;
    for (struct dirent *entry; (entry = readdir(folder));) /* NOLINT: as above */
        n += entry->d_name[0] != '.';
    (void)closedir(folder);
    return n;
}

/* How many descriptors are open, which Linux reports as a size since 6.2; or -1. */
static void *count_files(void *self, void *none)
{
    static const char path[] = "/proc/self/fd";
    struct stat st;

    (void)self, (void)none;
    return PyLong_FromLong(stat(path, &st) == 0 && st.st_size > 0 ? (long)st.st_size
                                                                  : count_entries(path));
}

/* For the guest of a session: fork_guest(channel_in, channel_out). */
static void *fork_guest(void *self, void *args)
{
    int in, out;

    (void)self;
    if (!PyArg_ParseTuple(args, "ii", &in, &out))
        return NULL;
    PyOS_BeforeFork();
    int result = zygote_fork(in, out);
    if (result == 0)
        PyOS_AfterFork_Child();
    else
        PyOS_AfterFork_Parent();
    return PyLong_FromLong(result);
}

/* Called when a fork is used for the first time. */
static void *show_fork(void *self, void *none)
{
    (void)self, (void)none;
    zygote_fork_show();
    return PyLong_FromLong(0);
}

/* Adds these functions to a dict. Returns 0, or -1. */
__attribute__((visibility("default"))) int zygote_define(void *dict);
int zygote_define(void *dict)
{
    static struct method methods[] = {
        {"open_nest", open_nest, NONE, NULL},
        {"rehearse", rehearse, NONE, NULL},
        {"serve", zygote_python_serve, ONE, NULL},
        {"leave", zygote_python_leave, ONE, NULL},
        {"leave_flushed", leave_flushed, ONE, NULL},
        {"leave_libraries", leave_libraries, ONE, NULL},
        {"count_files", count_files, NONE, NULL},
        {"fork_guest", fork_guest, ARGUMENTS, NULL},
        {"show_fork", show_fork, NONE, NULL},
    };

    for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
        void *made = PyCFunction_NewEx(&methods[i], NULL, NULL);
        if (!made || PyDict_SetItemString(dict, methods[i].name, made) < 0)
            return -1;
    }
    return 0;
}
