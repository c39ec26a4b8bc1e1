# SPDX-License-Identifier: Apache-2.0
"""The control plane of the stand-in: what sandboxes there are, and their lives."""

import datetime
import json
import os
import re
import secrets
import shutil
import threading
import time
import urllib.parse

from wire import Refused, refused

KEY = "e2b_" + "0" * 40
ENVD_VERSION = "0.6.13"
TEMPLATES = ("base", "code-interpreter-v1")
LONGEST = 24 * 3600
NO_SOCKET = shutil.ignore_patterns("socket")
DEFAULT_TIMEOUT = {"/sandboxes": 15, "/v2/sandboxes": 300}


def said_time(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).isoformat().replace("+00:00", "Z")


class Record:
    """One sandbox, living or paused."""

    def __init__(self, name, template, body, place):
        self.id, self.template, self.body, self.place = name, template, body, place
        self.token = secrets.token_hex(16)
        self.started, self.state, self.timeout = time.time(), "running", 0

    def short(self):
        return {"sandboxID": self.id, "templateID": self.template, "clientID": "standin", "alias": self.template,
                "envdVersion": ENVD_VERSION, "envdAccessToken": self.token, "trafficAccessToken": None, "domain": None}

    def long(self):
        more = {"startedAt": said_time(self.started), "endAt": said_time(self.ends), "cpuCount": 2, "memoryMB": 512,
                "diskSizeMB": 1024, "state": self.state, "metadata": self.body.get("metadata") or {},
                "allowInternetAccess": self.body.get("allow_internet_access")}
        return {k: v for k, v in {**self.short(), **more}.items() if k != "trafficAccessToken"}

    def live_for(self, seconds):
        self.ends = time.time() + seconds


class Control:
    """`make(folder)` starts a place for a sandbox. The place has `call(port, method, path, body)` and `end()`."""

    def __init__(self, folder, make, key=KEY):
        self.folder, self.make, self.key = folder, make, key
        self.records, self.snapshots, self.lock = {}, {}, threading.RLock()
        self.made = []  # every record there ever was
        self.stopped = threading.Event()
        threading.Thread(target=self.reap, daemon=True).start()

    def reap(self):
        while not self.stopped.wait(0.1):
            for record in list(self.records.values()):
                if record.state == "running" and record.ends < time.time():
                    self.expire(record)

    def expire(self, record):
        try:
            self.pause(record) if record.body.get("autoPause") else self.kill(record)
        except Refused:  # it went by another way
            pass

    def close(self):
        self.stopped.set()
        for record in list(self.records.values()):
            self.kill(record)

    def check_key(self, head):
        given = head.get("x-api-key")
        if given is None:
            raise refused(401, "Invalid API key, please visit https://e2b.dev/docs/api-key for more information.")
        if not re.fullmatch("e2b_[0-9a-f]+", given):
            raise refused(401, "Invalid API key format")
        if given != self.key:
            raise refused(401, "Cannot get the team for the given API key")

    def find(self, name):
        with self.lock:
            record = self.records.get(name)
        if not record:
            raise refused(404, 'sandbox "%s" not found' % name)
        return record

    def answer(self, head, body):
        """(status, body, header lines)"""
        if (head.method, head.path) == ("GET", "/health"):
            return 200, b"Health check successful", ()
        self.check_key(head)
        path = head.path[3:] if head.path.startswith("/v2/") else head.path
        words = path.strip("/").split("/")
        if path == "/sandboxes":
            return self.collection(head, body)
        if words[0] == "sandboxes" and len(words) in (2, 3):
            call = getattr(self, "_".join(["on", head.method.lower(), *words[2:]]), None)
            if call and re.fullmatch("[a-z0-9]+", words[1]):
                return call(words[1], parsed(body), head)
        if (head.method, path) == ("GET", "/snapshots"):
            return 200, [{"snapshotID": name, "names": []} for name in self.snapshots], ()
        if head.method == "DELETE" and words[0] == "templates" and len(words) == 2:
            return self.drop_snapshot(words[1])
        raise Refused(404, "404 page not found", "text/plain")

    def collection(self, head, body):
        if head.method == "POST":
            return self.create(parsed(body), DEFAULT_TIMEOUT[head.path])
        if head.method == "GET":
            return self.list(head.query)
        raise Refused(405, "405 method not allowed", "text/plain")

    def create(self, body, timeout):
        check_create(body)
        template = body["templateID"]
        if template not in TEMPLATES and template not in self.snapshots:
            raise refused(404, "template '%s' not found" % template)
        name = "i" + "".join(secrets.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(19))
        folder = os.path.join(self.folder, name)
        if template in self.snapshots:
            shutil.copytree(self.snapshots[template], folder, symlinks=True)
        os.makedirs(folder, exist_ok=True)
        record = Record(name, template, body, self.make(folder))
        record.live_for(body.get("timeout") or timeout)
        record.timeout = body.get("timeout") or timeout
        self.set_up(record)
        with self.lock:
            self.records[name] = record
            self.made.append(record)
        return 201, record.short(), ()

    def set_up(self, record, **more):
        envs = record.body.get("envVars") or {}
        record.place.call(49983, "POST", "/init", {"accessToken": record.token, "envVars": envs,
                                                   "defaultUser": "user", **more})

    def list(self, query):
        states = query.get("state", "running,paused").split(",")
        wanted = {urllib.parse.unquote(k): urllib.parse.unquote(v)
                  for k, v in urllib.parse.parse_qsl(query.get("metadata", ""))}
        with self.lock:
            records = [r for r in self.records.values() if r.state in states]
        found = [r.long() for r in records if wanted.items() <= (r.body.get("metadata") or {}).items()]
        return 200, found, [("X-Total-Running", len(found))]

    # Of one sandbox

    def on_get(self, name, body, head):
        return 200, self.find(name).long(), ()

    def on_delete(self, name, body, head):
        self.kill(self.find(name))
        return 204, None, ()

    def on_post_timeout(self, name, body, head):
        record = self.find(name)
        if "timeout" not in body:
            raise refused(400, "Error when parsing request: timeout is required")
        record.timeout = checked_timeout(body)
        record.live_for(record.timeout)
        return 204, None, ()

    def on_post_refreshes(self, name, body, head):
        record = self.find(name)
        record.live_for(body.get("duration") or 15)
        return 204, None, ()

    def on_post_connect(self, name, body, head):
        record = self.find(name)
        seconds = checked_timeout(body) or 15
        resumed = record.state == "paused"
        if resumed:
            record.state = "running"
            self.set_up(record, freeze=False)
        record.ends = max(record.ends, time.time() + seconds) if not resumed else time.time() + seconds
        return 201 if resumed else 200, record.short(), ()

    on_post_resume = on_post_connect

    def on_post_pause(self, name, body, head):
        self.pause(self.find(name))
        return 204, None, ()

    def on_put_network(self, name, body, head):
        self.find(name).body["network"] = body
        return 204, None, ()

    def on_get_metrics(self, name, body, head):
        self.find(name)
        return 200, [], ()

    def on_post_snapshots(self, name, body, head):
        record, made = self.find(name), secrets.token_hex(10)
        self.snapshots[made] = os.path.join(self.folder, "snapshot-" + made)
        shutil.copytree(os.path.join(self.folder, record.id), self.snapshots[made], symlinks=True, ignore=NO_SOCKET)
        return 201, {"snapshotID": made, "names": []}, ()

    def drop_snapshot(self, name):
        if name not in self.snapshots:
            raise refused(404, "template '%s' not found" % name)
        shutil.rmtree(self.snapshots.pop(name), ignore_errors=True)
        return 204, None, ()

    def pause(self, record):
        if record.state == "paused":
            raise refused(409, "Error pausing sandbox - sandbox '%s' is already paused" % record.id)
        record.state = "paused"
        record.place.cut()
        self.set_up(record, freeze=True)

    def kill(self, record):
        with self.lock:
            if self.records.pop(record.id, None) is None:
                raise refused(404, 'sandbox "%s" not found' % record.id)
        record.state = "killed"
        record.place.end()
        shutil.rmtree(os.path.join(self.folder, record.id), ignore_errors=True)


def parsed(body):
    if not body:
        return {}
    try:
        value = json.loads(body)
    except ValueError as error:
        raise refused(400, "Error when parsing request: %s" % error) from None
    if not isinstance(value, dict):
        raise refused(400, "Error when parsing request: json: cannot unmarshal into a struct")
    return value


def checked_timeout(body):
    seconds = body.get("timeout")
    if seconds is not None and (not isinstance(seconds, int) or isinstance(seconds, bool)):
        raise refused(400, "Error when parsing request: json: cannot unmarshal into int32")
    if seconds is not None and seconds <= 0:
        raise refused(400, "Timeout must be greater than 0")
    if seconds and seconds > LONGEST:
        raise refused(400, "Timeout cannot be greater than %d hours" % (LONGEST // 3600))
    return seconds


def check_create(body):
    if not isinstance(body.get("templateID"), str):
        raise refused(400, "Error when parsing request: request body has an error: property \"templateID\" is missing")
    checked_timeout(body)
    for name in ("metadata", "envVars"):
        texts = body.get(name) or {}
        if not isinstance(texts, dict) or not all(isinstance(v, str) for v in texts.values()):
            raise refused(400, "Error when parsing request: property \"%s\" must have strings" % name)
    for name in ("secure", "allow_internet_access", "autoPause"):
        if not isinstance(body.get(name, False), (bool, type(None))):
            raise refused(400, "Error when parsing request: property \"%s\" must be a boolean" % name)
