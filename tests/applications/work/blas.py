"""CLBlast's own tests, which compare with another BLAS, and its tuners, which compare each of a kernel's versions with one that is not tuned."""

import re
import subprocess
import sys

kind, name, phase = sys.argv[1:]
done = subprocess.run([f"clblast_{kind}_{name}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
output = re.sub("\x1b\\[[0-9;]*m", "", done.stdout)
if kind == "test":
    right = sum(map(int, re.findall(r"^ *(\d+) test\(s\) passed", output, re.M)))
    wrong = sum(map(int, re.findall(r"^ *(\d+) test\(s\) failed", output, re.M)))
else:
    # Versions that the device's limits forbid are left out, and say so.
    right = output.count("results match")
    wrong = output.count("error") + output.count("mismatch")
if done.returncode < 0 or wrong or not right:
    print(output[-3000:])
    sys.exit(f"{right} right, {wrong} wrong, exit code {done.returncode}")
