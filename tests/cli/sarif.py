# SPDX-License-Identifier: Apache-2.0
"""Is it SARIF? By what viewers count on, and by the published schema where $GLOVEBOX_SARIF_SCHEMA
names the file (the npm package @microsoft/jest-sarif has it as lib/schemas/sarif-2.1.0-rtm.5.json).
"""

import json
import os
import re

URI = re.compile(r"([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})*")


def schema():
    path = os.environ.get("GLOVEBOX_SARIF_SCHEMA")
    if not path:
        return None
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def region_problems(region):
    start = (region.get("startLine"), region.get("startColumn", 1))
    end = (region.get("endLine", start[0]), region.get("endColumn", 1 << 30))
    if not isinstance(start[0], int) or start[0] < 1 or start[1] < 1:
        yield "a region begins nowhere: %r" % region
    elif end < start:
        yield "a region ends before it begins: %r" % region


def result_problems(run, result):
    if result["level"] not in ("none", "note", "warning", "error"):
        yield "level %r" % result["level"]
    if not result["message"]["text"]:
        yield "no message"
    for place in result["locations"]:
        place = place["physicalLocation"]
        if "uriBaseId" not in place["artifactLocation"] and place["artifactLocation"][
            "uri"
        ].startswith("/"):
            yield "an absolute path without a scheme"
        for key in ("region", "contextRegion"):
            if key in place:
                yield from region_problems(place[key])


def problems(doc):
    """What makes viewers refuse a document, as lines."""
    found = []
    for run in doc["runs"]:
        for artifact in run["artifacts"]:
            if not URI.fullmatch(artifact["location"]["uri"]):
                found.append("not a URI: %r" % artifact)
        for rule in run["tool"]["driver"]["rules"]:
            for key in ("shortDescription", "fullDescription", "help"):
                if not rule[key]["text"]:
                    found.append("%s has no %s" % (rule["id"], key))
        for result in run["results"]:
            found += result_problems(run, result)
    return found


# ---- JSON Schema, as far as that schema uses it ----

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
}


def is_type(value, name):
    if isinstance(value, bool) and name != "boolean":
        return False
    return isinstance(value, TYPES[name])


def resolve(root, rule):
    while "$ref" in rule:
        target = root
        for part in rule["$ref"].lstrip("#/").split("/"):
            target = target[part]
        rule = target
    return rule


def object_violations(root, rule, value, path):
    known = rule.get("properties", {})
    for key in rule.get("required", []):
        if key not in value:
            yield "%s: lacks %s" % (path, key)
    for key, inner in value.items():
        more = rule.get("additionalProperties", True)
        if key in known:
            yield from violations(root, known[key], inner, path + "." + key)
        elif more is False:
            yield "%s: may not have %s" % (path, key)
        elif isinstance(more, dict):
            yield from violations(root, more, inner, path + "." + key)


def array_violations(root, rule, value, path):
    if len(value) < rule.get("minItems", 0):
        yield "%s: too few items" % path
    texts = [json.dumps(v, sort_keys=True) for v in value]
    if rule.get("uniqueItems") and len(set(texts)) < len(texts):
        yield "%s: the same item twice" % path
    for i, inner in enumerate(value):
        yield from violations(root, rule.get("items", {}), inner, "%s[%d]" % (path, i))


def violations(root, rule, value, path="$"):
    rule = resolve(root, rule)
    kinds = rule.get("type", [])
    if kinds and not any(is_type(value, k) for k in ([kinds] if isinstance(kinds, str) else kinds)):
        yield "%s: not of type %s" % (path, kinds)
        return
    if "enum" in rule and value not in rule["enum"]:
        yield "%s: %r is not one of %s" % (path, value, rule["enum"])
    if isinstance(value, str) and not re.search(rule.get("pattern", ""), value):
        yield "%s: %r does not match %s" % (path, value, rule["pattern"])
    if isinstance(value, (int, float)) and value < rule.get("minimum", value):
        yield "%s: %r is too small" % (path, value)
    for name in ("anyOf", "oneOf"):
        if name in rule and not any(not list(violations(root, r, value)) for r in rule[name]):
            yield "%s: none of %s" % (path, name)
    for part in rule.get("allOf", []):
        yield from violations(root, part, value, path)
    if isinstance(value, dict):
        yield from object_violations(root, rule, value, path)
    if isinstance(value, list):
        yield from array_violations(root, rule, value, path)
