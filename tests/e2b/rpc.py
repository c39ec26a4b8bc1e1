# SPDX-License-Identifier: Apache-2.0
"""Connect's protocol with JSON, as envd speaks it."""

import base64
import json
import struct

import place
from wire import Refused

STATUS = {"canceled": 499, "unknown": 500, "invalid_argument": 400, "deadline_exceeded": 504, "not_found": 404,
          "already_exists": 409, "permission_denied": 403, "resource_exhausted": 429, "failed_precondition": 400,
          "unimplemented": 501, "internal": 500, "unavailable": 503, "unauthenticated": 401}
END, COMPRESSED = 2, 1
LARGEST = 64 << 20


class Failure(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code, self.message = code, message

    def json(self):
        return {"code": self.code, "message": self.message}


def envelope(message, flags=0):
    body = json.dumps(message).encode()
    return struct.pack(">BI", flags, len(body)) + body


def split_envelopes(data):
    """[(flags, object)] of whole envelopes."""
    found = []
    while data:
        flags, length = struct.unpack(">BI", data[:5])
        found.append((flags, json.loads(data[5 : 5 + length] or b"{}")))
        data = data[5 + length :]
    return found


def unary_request(talk):
    user_of(talk)
    if talk.head.get("content-type", "").split(";")[0] != "application/json":
        raise Refused(415, b"", "text/plain")
    body = talk.body()
    try:
        message = json.loads(body)
    except ValueError as error:
        raise Failure("invalid_argument", "unmarshal message: %s" % error) from None
    return message


def streamed_request(talk):
    user_of(talk)
    if talk.head.get("content-type", "").split(";")[0] != "application/connect+json":
        raise Refused(415, b"", "text/plain")
    body = talk.body()
    if not body:
        raise Failure("unimplemented", "unary request has zero messages")
    if len(body) < 5:
        raise Failure("invalid_argument", "protocol error: incomplete envelope: unexpected EOF")
    flags, length = struct.unpack(">BI", body[:5])
    if flags & COMPRESSED:
        raise Failure("internal", "protocol error: sent compressed message without compression support")
    if len(body) != 5 + length:
        raise Failure("invalid_argument", "protocol error: promised %d bytes in enveloped message, got %d bytes"
                      % (length, len(body) - 5))
    try:
        return json.loads(body[5:])
    except ValueError as error:
        raise Failure("invalid_argument", "unmarshal message: %s" % error) from None


def unary(talk, method):
    try:
        talk.answer(200, method(talk, unary_request(talk)))
    except Failure as failure:
        talk.answer(STATUS[failure.code], failure.json())


def streamed(talk, method):
    """`method` yields messages; an error is in the last envelope, with the status 200."""
    last = {}
    try:
        message = streamed_request(talk)
    except Failure as failure:
        message, last = None, {"error": failure.json()}
    talk.begin(200, "application/connect+json")
    try:
        for answer in method(talk, message) if message is not None else ():
            talk.piece(envelope(answer))
    except Failure as failure:
        last = {"error": failure.json()}
    talk.piece(envelope(last, END))
    talk.end()


def user_of(talk):
    """Of Basic authorization, in which the password is empty."""
    given = talk.head.get("authorization", "")
    if not given.startswith("Basic "):
        return place.USER
    name = base64.b64decode(given[6:]).decode("utf-8", "replace").split(":")[0]
    if name not in (place.USER, "root"):
        raise Failure("unauthenticated", "invalid username: '%s'" % name)
    return name


def field(message, name, kind, default=None):
    """A field in either spelling; of the wrong type it is an error, as for protobuf's JSON."""
    snake = "".join("_" + c.lower() if c.isupper() else c for c in name)
    value = message.get(name, message.get(snake))
    if value is None:
        return default
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise Failure("invalid_argument", "unmarshal message: proto: invalid value for field %s: %r" % (name, value))
    return value


def binary(message, name):
    try:
        return base64.b64decode(field(message, name, str, ""), validate=True)
    except ValueError:
        raise Failure("invalid_argument", "unmarshal message: proto: invalid value for bytes field %s" % name) from None


def base64_of(data):
    return base64.b64encode(data).decode()
