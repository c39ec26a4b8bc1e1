# SPDX-License-Identifier: Apache-2.0
# The candidate's side of suite_link.py: loads the candidate and does what the test code asks for. Nothing that
# happens here can do more than claim a value.

def look_up(name):
    try:
        v = names[name]
    except KeyError:
        raise NameError("name %r is not defined" % name) from None
    if type(v) is type(sys):
        return {"import": v.__name__}
    if isinstance(v, type) and BaseException in mro_of(v) and v.__module__ == "candidate":
        return {"exception": [base.__name__ for base in mro_of(v)]}
    return {"value": v}


# A data class or a member of an enum as its parts, in text; what else there is has none.
def parts_of(v):
    said = encode(v, ROOM)
    return said if said.startswith(('{"$type":"dataclass"', '{"$type":"enum"')) else None


def set_item(v, key, value):
    v[key] = value


def main():
    global link, names
    link = Link(lambda v: True, {
        "name": look_up, "call": lambda f, *args, **kwargs: f(*args, **kwargs), "get": getattr, "set": setattr,
        "bool": lambda v: True if v else False, "len": len, "iter": iter, "next": next,
        "item": lambda v, key: v[key], "set item": set_item, "in": lambda v, item: item in v, "str": str,
        "is instance": lambda kind, v: isinstance(v, kind), "parts": parts_of})
    module = type(sys)("candidate")
    names = module.__dict__
    path = names["__file__"] = sys.argv[1]
    modules["candidate"] = modules["__main__"] = module
    sys.argv, sys.path[:1] = [path], [path.rpartition("/")[0]]
    try:
        with open(path, "rb") as f:
            exec(compile(f.read(), path, "exec", dont_inherit=True), names)
        link.send('{"value":null}')
    except BaseException as e:
        link.send('{"raised":%s}' % raised(e))
        return
    while True:
        link.serve(link.receive())


try:
    main()
except LinkEnded:
    pass
finally:
    from posix import _exit
    _exit(0)
