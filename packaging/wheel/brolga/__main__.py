"""``python -m brolga``: ``env`` and ``icd-path``; everything else is the command ``brolga``."""

import shlex
import sys

from . import _command, icd_path, variables


def main():
    if sys.argv[1:] == ["env"]:
        for name, value in variables().items():
            print(f"export {name}={shlex.quote(value)}")
        return 0
    if sys.argv[1:] == ["icd-path"]:
        print(icd_path())
        return 0
    return _command.run(sys.argv[1:])


sys.exit(main())
