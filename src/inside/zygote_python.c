/* SPDX-License-Identifier: Apache-2.0
 *
 * zygote.h as functions of a Python interpreter, and what its forks want beside it. By the stable
 * ABI, declared here: one shared object serves every version. Called by ctypes they would do the
 * same, but each call would make a fork copy some ten pages more.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "inside/zygote.h"

/* Of the interpreter that loads us. */
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
    function *call;
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

static int call(void *callable)
{
    return PyObject_CallObject(callable, NULL) ? 0 : -1;
}

static void *serve(void *self, void *wake)
{
    (void)self;
    struct str words = zygote_serve(call, wake);
    return PyBytes_FromStringAndSize(words.p, (ssize_t)words.n);
}

/* The end of a guest that has said all; ... */
static void *leave(void *self, void *status)
{
    (void)self;
    zygote_end_rehearsal();
    _exit((int)PyLong_AsLong(status));
}

/* ... of one that may have said it in C; ... */
static void *leave_flushed(void *self, void *status)
{
    (void)fflush(NULL);
    return leave(self, status);
}

/* ... and of one whose libraries do something at their end. */
static void *leave_libraries(void *self, void *status)
{
    (void)self;
    zygote_end_rehearsal();
    exit((int)PyLong_AsLong(status)); /* NOLINT: the guest has one thread */
}

static long count_entries(const char *path)
{
    DIR *folder = opendir(path);
    long n = -1; /* the folder's own */

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

/* A session's: fork(channel_in, channel_out). */
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

/* A fork is used for the first time. */
static void *show_fork(void *self, void *none)
{
    (void)self, (void)none;
    zygote_fork_show();
    return PyLong_FromLong(0);
}

/* Adds them to a dict. 0, or -1. */
__attribute__((visibility("default"))) int zygote_define(void *dict);
int zygote_define(void *dict)
{
    static struct method methods[] = {
        {"open_nest", open_nest, NONE, NULL},
        {"rehearse", rehearse, NONE, NULL},
        {"serve", serve, ONE, NULL},
        {"leave", leave, ONE, NULL},
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
