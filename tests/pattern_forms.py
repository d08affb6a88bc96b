"""Other forms in which programs write the kernels of `tests/patterns`: what they compute stays the same.

A form takes a kernel's source, its work-items, and the group that it names or none, and gives these anew, with further arguments; or none, if the kernel can't
be written so. Kernels that name groups, or ask for anything but global ids, stay out.
"""

import re


def plain(source, items, group):
    """As it is."""
    return source, items, group, []


def odd(source, items, group):
    """1000 work-items of each 1024 along a dimension, which gangs don't divide."""
    return source, items if group else tuple(size * 1000 // 1024 if size >= 64 else size for size in items), group, []


def grid(source, items, group):
    """A loop over a grid of 2048 work-items, `for (i = get_global_id(0); i < n; i += get_global_size(0))`."""
    if group or len(items) > 1 or not asks_for_global_ids(source):
        return None
    head, body = re.search(r"(kernel void k\(.*?)\)\n\{(.*)\}", source, re.S).groups()
    body = re.sub(r"\breturn;", "continue;", body).replace("get_global_id(0)", "at_")
    before = source[: source.index("kernel void k(")]
    loop = "for (I at_ = get_global_id(0); at_ < n_; at_ += get_global_size(0))"
    return f"{before}{head}, int n_)\n{{\n    {loop} {{{body}}}\n}}", (min(items[0], 2048),), None, [f"n_ = {items[0]}"]


def swapped(source, items, group):
    """`x` is `get_global_id(1)`, and `y` is `get_global_id(0)`."""
    if group or len(items) < 2 or not asks_for_global_ids(source):
        return None
    other = {"0": "1", "1": "0"}
    return re.sub(r"get_global_id\(([01])\)", lambda id: f"get_global_id({other[id[1]]})", source), (items[1], items[0], *items[2:]), None, []


def groups(source, items, group):
    """`get_group_id(0) * get_local_size(0) + get_local_id(0)`, in groups of 256."""
    local = [(256,), (16, 16), (8, 8, 4)][len(items) - 1]
    if group or not asks_for_global_ids(source) or any(size % along for size, along in zip(items, local)):
        return None
    id = r"(get_group_id(\1) * get_local_size(\1) + get_local_id(\1))"
    return re.sub(r"get_global_id\((\d)\)", id, source), items, local, []


def flat(source, items, group):
    """`x` is `get_global_id(0) % w`, and `y` is `get_global_id(0) / w`."""
    if group or len(items) != 2 or not asks_for_global_ids(source):
        return None
    for id, op in ("get_global_id(0)", "%"), ("get_global_id(1)", "/"):
        source = source.replace(id, f"((I)get_global_id_0 {op} w_)")
    source = source.replace("get_global_id_0", "get_global_id(0)")
    return re.sub(r"(kernel void k\(.*?)\)\n", r"\1, int w_)\n", source, count=1, flags=re.S), (items[0] * items[1],), None, [f"w_ = {items[0]}"]


def asks_for_global_ids(source):
    """And for nothing else of the launch."""
    asked = re.findall(r"get_(?:global|local|group|num|enqueued|sub|work)\w*", source)
    return set(asked) <= {"get_global_id"}


FORMS = dict(odd=odd, grid=grid, swapped=swapped, groups=groups, flat=flat)
