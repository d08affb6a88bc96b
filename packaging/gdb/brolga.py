"""gdb with kernels: (gdb) source brolga.py

  lane           the variables of all lanes of the gang that runs, a line a lane
  lane N         those of lane N
  $lane(X, N)    lane N's copy of a variable, in expressions: print $lane(sum, 3) + 1

Vectors of OpenCL C are shown as (x, y, z, w), images as what they are.
"""
import gdb
import re

ORDERS = {0x10B0: "CL_R", 0x10B1: "CL_A", 0x10B2: "CL_RG", 0x10B3: "CL_RA", 0x10B4: "CL_RGB", 0x10B5: "CL_RGBA", 0x10B6: "CL_BGRA", 0x10B7: "CL_ARGB",
          0x10B8: "CL_INTENSITY", 0x10B9: "CL_LUMINANCE", 0x10BA: "CL_Rx", 0x10BB: "CL_RGx", 0x10BC: "CL_RGBx", 0x10BD: "CL_DEPTH",
          0x10BE: "CL_DEPTH_STENCIL", 0x10BF: "CL_sRGB", 0x10C0: "CL_sRGBx", 0x10C1: "CL_sRGBA", 0x10C2: "CL_sBGRA", 0x10C3: "CL_ABGR"}
TYPES = {0x10D0: "CL_SNORM_INT8", 0x10D1: "CL_SNORM_INT16", 0x10D2: "CL_UNORM_INT8", 0x10D3: "CL_UNORM_INT16", 0x10D4: "CL_UNORM_SHORT_565",
         0x10D5: "CL_UNORM_SHORT_555", 0x10D6: "CL_UNORM_INT_101010", 0x10D7: "CL_SIGNED_INT8", 0x10D8: "CL_SIGNED_INT16", 0x10D9: "CL_SIGNED_INT32",
         0x10DA: "CL_UNSIGNED_INT8", 0x10DB: "CL_UNSIGNED_INT16", 0x10DC: "CL_UNSIGNED_INT32", 0x10DD: "CL_HALF_FLOAT", 0x10DE: "CL_FLOAT"}
VECTOR = re.compile(r"^(u?char|u?short|u?int|u?long|half|float|double)(2|3|4|8|16)$")


class Vector:
    """A vector: its components in parentheses, as OpenCL C writes them."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        first, last = self.value.type.range()
        # Bytes are numbers here, no letters.
        parts = (self.value[i] for i in range(first, last + 1))
        return "(" + ", ".join(str(int(part)) if part.type.sizeof == 1 else str(part) for part in parts) + ")"


class Image:
    """An image: its sizes and format, and where its texels are."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        image = self.value
        sizes = [int(image[name]) for name in ("width", "height", "depth")]
        text = " x ".join(str(size) for size in sizes[:1] + [size for size in sizes[1:] if size > 1])
        if int(image["array_size"]) > 1:
            text += ", %d layers" % int(image["array_size"])
        order, kind = int(image["order"]), int(image["data_type"])
        return "image %s %s %s at %#x" % (text, ORDERS.get(order, hex(order)), TYPES.get(kind, hex(kind)), int(image["data"]))


def printer(value):
    """The printer of a value, if it is one of a kernel's."""
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_ARRAY and VECTOR.match(value.type.name or ""):
        return Vector(value)
    if kind.code == gdb.TYPE_CODE_STRUCT and kind.tag == "brolga_image":
        return Image(value)
    if kind.code == gdb.TYPE_CODE_PTR and int(value) != 0:
        target = kind.target()
        if target.code == gdb.TYPE_CODE_STRUCT and target.tag == "brolga_image":
            return Image(value.dereference())
    return None


def variables(frame):
    """Variables with a copy a lane, by name."""
    found = {}
    try:
        block = frame.block()
    except RuntimeError:
        raise gdb.GdbError("no variables are known here")
    for symbol in block:
        kind = symbol.type
        if symbol.is_variable and not symbol.is_argument and kind.code == gdb.TYPE_CODE_ARRAY:
            found[symbol.name] = symbol.value(frame)
    for size in ("global_offset", "global_size", "local_size", "num_groups"):
        found.pop(size, None)
    return found


class Lane(gdb.Command):
    """Show the variables of a kernel: of all lanes of the gang that runs, or of one."""

    def __init__(self):
        super().__init__("lane", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        found = variables(gdb.selected_frame())
        if not found:
            raise gdb.GdbError("no variables in memory: build with -g -cl-opt-disable")
        lanes = max(value.type.range()[1] + 1 for value in found.values())
        wanted = [int(gdb.parse_and_eval(argument))] if argument else range(lanes)
        for lane in wanted:
            if not 0 <= lane < lanes:
                raise gdb.GdbError("there are lanes 0 to %d" % (lanes - 1))
            shown = ("%s = %s" % (name, value[lane].format_string()) for name, value in found.items())
            print("lane %d: %s" % (lane, ", ".join(shown)))


class LaneOf(gdb.Function):
    """A lane's copy of a variable."""

    def __init__(self):
        super().__init__("lane")

    def invoke(self, value, lane):
        return value[lane]


Lane()
LaneOf()
gdb.pretty_printers.append(printer)
