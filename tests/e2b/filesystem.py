# SPDX-License-Identifier: Apache-2.0
"""envd's service filesystem.Filesystem and its /files, on the files of a sandbox."""

import datetime
import errno
import grp
import gzip
import os
import pwd
import re
import shutil
import stat
import tempfile
import zlib

import place
from rpc import Failure, field, user_of
from wire import head_of_answer, pieces_of_body, refused

TYPES = {stat.S_IFREG: "FILE_TYPE_FILE", stat.S_IFDIR: "FILE_TYPE_DIRECTORY", stat.S_IFLNK: "FILE_TYPE_SYMLINK"}


def resolve(path, user, fail=lambda text: Failure("invalid_argument", text)):
    home = place.home_of(user)
    if path.startswith("~") and path[1:2] not in ("", "/"):
        raise fail("failed to expand path '%s' for user '%s': cannot expand user-specific home dir" % (path, user))
    if path.startswith("~"):
        path = home + path[1:]
    if "\0" in path:
        raise fail("invalid argument")
    return path if path.startswith("/") else os.path.normpath(os.path.join(home, path))


def name_of(find, number):
    try:
        return find(number)[0]
    except KeyError:
        return str(number)


def entry_of(path, shown=None):
    """What is at `path`, which is shown as `shown`. A link has the type and the mode of its target."""
    try:
        own = os.lstat(path)
    except OSError as error:
        code = "not_found" if error.errno in (errno.ENOENT, errno.ENOTDIR) else "internal"
        raise Failure(code, "file not found: %s" % error) from None
    entry = {"name": os.path.basename(path), "path": shown or path, "size": str(own.st_size) if own.st_size else None,
             "permissions": stat.filemode(own.st_mode).replace("l", "L", 1), "owner": name_of(pwd.getpwuid, own.st_uid),
             "group": name_of(grp.getgrgid, own.st_gid), "modifiedTime": said_time(own.st_mtime),
             **target_of(path, own)}
    try:
        (path + entry["path"]).encode()
    except UnicodeEncodeError:
        raise Failure("internal",
                      "marshal message: proto: field filesystem.EntryInfo.name contains invalid UTF-8") from None
    return {name: value for name, value in entry.items() if value is not None}


def said_time(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).isoformat().replace("+00:00", "Z")


def target_of(path, own):
    """Type and mode are those of a link's target. A link that leads nowhere has neither."""
    if not stat.S_ISLNK(own.st_mode):
        return {"type": TYPES.get(stat.S_IFMT(own.st_mode)), "mode": stat.S_IMODE(own.st_mode)}
    if not os.path.exists(path):
        return {"symlinkTarget": path}
    info = os.stat(path)
    return {"type": TYPES.get(stat.S_IFMT(info.st_mode)), "mode": stat.S_IMODE(info.st_mode),
            "symlinkTarget": os.path.realpath(path)}


def stat_call(talk, message):
    return {"entry": entry_of(resolve(field(message, "path", str, ""), user_of(talk)))}


def list_call(talk, message):
    asked, depth = resolve(field(message, "path", str, ""), user_of(talk)), field(message, "depth", int, 0) or 1
    if depth < 0:
        raise Failure("invalid_argument", "unmarshal message: proto: invalid value for field depth: %d" % depth)
    real = os.path.realpath(asked)
    if not os.path.lexists(real):
        raise Failure("not_found", "path not found: lstat %s: no such file or directory" % real)
    if not os.path.isdir(real):
        raise Failure("invalid_argument", "path is not a directory: %s" % real)
    entries = []
    walk(real, asked, depth, entries)
    return {"entries": entries} if entries else {}


def walk(real, shown, depth, entries):
    for name in sorted(os.listdir(real)):
        path, as_shown = os.path.join(real, name), os.path.join(shown, name)
        try:
            entries.append(entry_of(path, as_shown))
        except Failure as failure:
            if failure.code != "not_found":
                raise
            continue
        if depth > 1 and os.path.isdir(path) and not os.path.islink(path):
            walk(path, as_shown, depth - 1, entries)


def make_dir_call(talk, message):
    path = resolve(field(message, "path", str, ""), user_of(talk))
    if os.path.isdir(path):
        raise Failure("already_exists", "directory already exists: %s" % path)
    if os.path.exists(path):
        raise Failure("invalid_argument", "path already exists but it is not a directory: %s" % path)
    try:
        place.make_folders(path, user_of(talk))
    except OSError as error:
        raise Failure("internal", "failed to create directory: %s" % error) from None
    return {"entry": entry_of(path)}


def move_call(talk, message):
    source, target = (resolve(field(message, name, str, ""), user_of(talk)) for name in ("source", "destination"))
    try:
        place.make_folders(os.path.dirname(target), user_of(talk))
        os.rename(source, target)
    except FileNotFoundError as error:
        raise Failure("not_found", "source file not found: %s" % error) from None
    except OSError as error:
        raise Failure("internal", "error renaming: %s" % error) from None
    return {"entry": entry_of(target)}


def remove_call(talk, message):
    path = resolve(field(message, "path", str, ""), user_of(talk))
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        elif os.path.lexists(path):
            os.unlink(path)
    except OSError as error:
        raise Failure("internal", "error removing file or directory: %s" % error) from None
    return {}


# /files

def sender(head):
    name = head.query.get("username", place.USER)
    if name not in (place.USER, "root"):
        raise refused(401, "error looking up user '%s': user: unknown user %s" % (name, name))
    return name


def path_of(head):
    path = head.query.get("path", "")
    return resolve(path, sender(head), lambda text: refused(400, "error resolving path: %s" % text))


def get_file(talk):
    path = path_of(talk.head)
    try:
        info = os.stat(path)
    except OSError as error:
        gone = error.errno in (errno.ENOENT, errno.ENOTDIR)
        raise refused(404 if gone else 500, "path '%s' does not exist" % path if gone else str(error)) from None
    if stat.S_ISDIR(info.st_mode):
        raise refused(400, "path '%s' is a directory" % path)
    try:
        with open(path, "rb") as f:
            send_file(talk, path, f, info.st_size)
    except OSError as error:
        if talk.begun:
            raise
        raise refused(500, "error opening file '%s': %s" % (path, error)) from None


def send_file(talk, path, f, size):
    """In gzip where the client accepts that, as the real one does."""
    shown = re.sub(r'[^ -!#-\[\]-~]', "_", os.path.basename(path))
    pairs = [("Vary", "Accept-Encoding"), ("Content-Disposition", 'inline; filename="%s"' % shown)]
    if "gzip" in talk.head.get("accept-encoding", ""):
        talk.begin(200, "application/octet-stream", [*pairs, ("Content-Encoding", "gzip")])
        packer = zlib.compressobj(wbits=31)
        while data := f.read(1 << 16):
            talk.piece(packer.compress(data))
        talk.piece(packer.flush())
        return talk.end()
    talk.answer(200, b"", "application/octet-stream", pairs) if not size else send_plain(talk, f, size, pairs)


def send_plain(talk, f, size, pairs):
    talk.begun = True
    talk.socket.sendall(head_of_answer(200, [("Content-Type", "application/octet-stream"), ("Content-Length", size),
                                             ("Accept-Ranges", "bytes"), *pairs]))
    while size and (data := f.read(min(size, 1 << 16))):
        size -= len(data)
        talk.socket.sendall(data)
    if size:
        raise OSError("the file became shorter")


def post_files(talk):
    user, kind = sender(talk.head), talk.head.get("content-type", "")
    if kind.split(";")[0].strip() == "application/octet-stream":
        if "path" not in talk.head.query:
            raise refused(400, "path query parameter is required for raw body upload")
        written = [write_file(path_of(talk.head), unpacked(talk), user)]
    elif kind.startswith("multipart/"):
        written = write_parts(talk, kind, user)
    else:
        raise refused(400, "unsupported content type: %s, expected multipart/form-data or application/octet-stream"
                      % kind)
    talk.answer(200, written, "text/plain; charset=utf-8")


def unpacked(talk):
    coding = talk.head.get("content-encoding", "identity")
    if coding not in ("identity", "gzip"):
        raise refused(400, "error decompressing request body: unsupported Content-Encoding: %s, supported: [gzip]"
                      % coding)
    if coding == "identity":
        yield from pieces_of_body(talk.head, talk.stream)
        return
    yield gzip.decompress(talk.body())


def write_file(path, pieces, user):
    if os.path.isdir(path):
        raise refused(400, "path is a directory: %s" % path)
    try:
        place.make_folders(os.path.dirname(path), user)
        with open(path, "wb") as f:
            place.give(path, user)
            for piece in pieces:
                f.write(piece)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise refused(507, "not enough disk space available") from None
        raise refused(500, "error opening file: %s" % error) from None
    return {"name": os.path.basename(path), "path": path, "type": "file"}


def write_parts(talk, kind, user):
    boundary = re.search(r'boundary="?([^";]+)', kind)
    if not boundary:
        raise refused(500, "error parsing multipart form: no multipart boundary param in Content-Type")
    with tempfile.SpooledTemporaryFile(1 << 24) as whole:
        for piece in unpacked(talk):
            whole.write(piece)
        whole.seek(0)
        parts = whole.read().split(b"\r\n--" + boundary[1].encode())
    parts[0] = parts[0].removeprefix(b"--" + boundary[1].encode())
    if not parts[-1].startswith(b"--"):
        raise refused(500, "error reading form: multipart: NextPart: EOF")
    written = []
    for part in parts[:-1]:
        write_part(talk, part, written, user)
    return written


def write_part(talk, part, written, user):
    head, _, content = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
    if not re.search(rb'[;\s]name="?file"?(;|\r|$)', head, re.I):
        return
    name = re.search(rb'filename="((?:[^"\\]|\\.)*)"', head)
    if "path" not in talk.head.query and not name:
        raise refused(400, "error getting multipart custom part file name: filename not found in Content-Disposition "
                           "header")
    path = path_of(talk.head) if "path" in talk.head.query else resolve(re.sub(r"\\(.)", r"\1", name[1].decode()), user)
    if any(w["path"] == path for w in written):
        raise refused(400, "you cannot upload multiple files to the same path '%s' in one upload request, only the "
                           "first specified file was uploaded" % path)
    written.append(write_file(path, [content], user))
