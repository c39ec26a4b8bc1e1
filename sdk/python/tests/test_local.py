# SPDX-License-Identifier: Apache-2.0
"""Files of this machine: no link is followed that the caller did not name."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from glovebox_sandbox import GloveboxError, Sandbox, SessionError, UsageError, local
from glovebox_sandbox.core import Box


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    with Box(memory="256m") as opened:
        yield opened


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with links to what is the host's."""
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "conf").write_text("the host's")
    (tmp_path / "secret").write_text("the host's key")
    folder = tmp_path / "project"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a.txt").write_text("ours")
    for name, target in (("notes", "../secret"), ("environ", "/proc/self/environ"), ("dir", "../etc"), ("sub/up", ".."),
                         ("none", "../new"), ("loop", "loop")):
        (folder / name).symlink_to(target)
    return folder


def test_upload_leaves_out_what_is_no_file(box: Box, project: Path) -> None:
    os.mkfifo(project / "pipe")
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(os.path.relpath(project / "sock"))
        box.upload(project, "up")
    found = box.exec("find up | sort").stdout.decode().split()
    assert found == ["up", "up/sub", "up/sub/a.txt"]
    with Sandbox() as sandbox:
        assert sandbox.files.upload(project, "up") == ["up/sub/a.txt"]


def test_what_the_caller_names_may_be_a_link(box: Box, project: Path, tmp_path: Path) -> None:
    (tmp_path / "here").symlink_to("project")
    (tmp_path / "key").symlink_to("secret")
    box.upload(tmp_path / "here", "named")
    box.upload(tmp_path / "key", "named/key")
    assert box.read("named/sub/a.txt") == b"ours" and box.read("named/key") == b"the host's key"
    box.exec("rm named/key; echo new > named/file")
    box.download("named", tmp_path / "here")
    assert (project / "file").read_text() == "new\n"


def test_a_pipe_is_no_file(box: Box, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with Sandbox() as sandbox:
        for upload in (box.upload, sandbox.files.upload):
            with pytest.raises(OSError, match="no regular file"):
                upload(tmp_path / "pipe", "x")


def test_download_writes_through_no_link(box: Box, project: Path, tmp_path: Path) -> None:
    box.exec("mkdir -p down/sub; cd down; for n in notes environ none loop glovebox.conf sub/Glovebox.CONF sub/x 'a\\b' 'c:d'; do "
             "echo guest > $n; done; ln -s /etc/passwd link; mkfifo pipe; echo hard > hard; echo run > sub/run")
    os.link(tmp_path / "secret", project / "hard")
    (project / "sub" / "run").write_text("")
    (project / "sub" / "run").chmod(0o755)
    box.download("down", project)
    assert (tmp_path / "secret").read_text() == "the host's key" and not (tmp_path / "new").exists()
    assert (project / "notes").read_text() == "guest\n" and not (project / "notes").is_symlink()
    assert (project / "hard").read_text() == "hard\n" and (project / "sub" / "x").exists() and (project / "a\\b").exists()
    assert stat.S_IMODE((project / "sub" / "run").stat().st_mode) == 0o755
    names = {path.name.lower() for path in project.rglob("*")}
    assert not names & {"glovebox.conf", "link", "pipe"} and not [name for name in names if name.startswith(".glovebox")]


def test_download_enters_no_link(box: Box, project: Path, tmp_path: Path) -> None:
    box.exec("mkdir -p deep/dir deep/sub/up deep/loop; echo guest | tee deep/dir/conf deep/dir/new deep/sub/up/secret")
    box.download("deep", project)
    assert (project / "dir" / "conf").read_text() == "guest\n" and not (project / "dir").is_symlink()
    assert (project / "sub" / "up" / "secret").exists() and (tmp_path / "secret").read_text() == "the host's key"
    box.exec("rm -r deep; mkdir -p deep/sub/a.txt")
    with pytest.raises(NotADirectoryError, match="in the way"):
        box.download("deep", project)
    assert [(path.name, path.read_text()) for path in (tmp_path / "etc").iterdir()] == [("conf", "the host's")]


@pytest.mark.parametrize("named", ["notes", "dir", "none", "given", "new/new"])
def test_downloads_of_one_file(box: Box, project: Path, tmp_path: Path, named: str) -> None:
    (project / "given").write_text("old")
    (project / "new").mkdir()
    before = {path: path.read_text() for path in (tmp_path / "secret", tmp_path / "etc" / "conf")}
    box.write("one", "guest")
    with Sandbox() as sandbox:
        sandbox.files.write("conf", "guest")
        if named == "dir":
            sandbox.files.write("dir", "guest")
            with pytest.raises(FileExistsError):
                local.write(project / "dir", b"guest")
            return
        assert sandbox.files.download("conf", project / named).read_bytes() == b"guest"
    box.download("one", project / named)
    assert (project / named).read_text() == "guest" and not (project / named).is_symlink()
    assert before == {path: path.read_text() for path in before}


def test_a_device_is_not_replaced(box: Box, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "out").symlink_to("pipe")
    box.write("one", "guest")
    for name in ("pipe", "out"):
        with pytest.raises(FileExistsError):
            box.download("one", tmp_path / name)
    assert (tmp_path / "out").is_symlink()


def test_the_current_folder(box: Box, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    with Sandbox() as sandbox:
        for name in ("notes", "dir", "glovebox.conf"):
            sandbox.files.write(name, "guest")
        sandbox.files.download("notes")
        with pytest.raises(FileExistsError):
            sandbox.files.download("dir")
        with pytest.raises(UsageError, match="settings"):
            sandbox.files.download("glovebox.conf")
    assert (project.parent / "secret").read_text() == "the host's key" and len(list((project.parent / "etc").iterdir())) == 1


def test_a_link_that_comes_between(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look at an entry and its opening, another process puts a link there."""
    look = os.lstat

    def replaced(path: Any, **more: Any) -> os.stat_result:
        status = look(path, **more)
        if path == "a.txt":
            os.unlink(project / "sub" / "a.txt")
            os.symlink("../../secret", project / "sub" / "a.txt")
        return status

    monkeypatch.setattr(local.os, "lstat", replaced)
    assert [found.path for found in local.walk(project)] == ["sub"]


ANSWERS = [
    ("entries", "{'entries': [['../../x', 1, 0o100644, 0]], 'more': False}"), ("entries", "{'entries': [['a\\0b', 1, 0o100644, 0]]}"),
    ("entries", "{'entries': 5}"), ("entries", "{}"), ("entries", "{'entries': [['a', 10**5000, 0o100644, 0]]}"),
    ("entries", "{'entries': [[5, 1, 0o100644, 0]]}"), ("entries", "{'entries': [['a']]}"), ("entries", "{'entries': [['\\ud800', 1, 1, 1]]}"),
    ("look", "{'size': 1, 'mode': 1 << 80, 'mtime_ms': 0}"), ("look", "{'failed': 1}"), ("look", "[]"),
    ("look", "{'failed': 1, 'errno': 1, 'why': 10**5000, 'path': None}"), ("look", "{'failed': 1, 'errno': 1, 'why': '', 'path': 5}")]


@pytest.mark.parametrize("name, answer", ANSWERS, ids=range(len(ANSWERS)))
def test_answers_of_a_hostile_guest(tmp_path: Path, name: str, answer: str) -> None:
    with Box(memory="256m") as box:
        box.exec("mkdir d")
        box._sandbox.exec(f"_glovebox.{name} = lambda *a: {answer}")
        with pytest.raises(GloveboxError) as raised:
            box.list("d") if name == "entries" else box.stat("d")
        assert isinstance(raised.value, SessionError) and "damaged" in str(raised.value)
        with pytest.raises(GloveboxError):
            box.download("d", tmp_path / "out")


def test_folders_without_an_end(tmp_path: Path) -> None:
    with Box(memory="256m") as box:
        box.exec("mkdir d")
        box._sandbox.exec("_glovebox.entries = lambda *a: {'entries': [['d', 0, 0o40755, 0]], 'more': False}")
        with pytest.raises(GloveboxError, match="below each other"):
            box.download("d", tmp_path / "out")
