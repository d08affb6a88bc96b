"""hashcat: finds the last letter of the password of its own example of a hash; steady is its benchmark, as the time of a hash."""

import json
import subprocess
import sys

mode, phase = sys.argv[1:]
DEVICE = ["-D", "1", "--force"]


def run(*words):
    return subprocess.run(["hashcat", "-m", mode, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace").stdout


if phase == "steady":
    speeds = []
    for line in run("-b", "--machine-readable", *DEVICE).splitlines():
        fields = line.split(":")
        if len(fields) == 6 and fields[1] == mode:
            speeds.append(float(fields[5]))
    if not speeds:
        sys.exit("no speed was given")
    # It keeps the device busy, which is all processors: no processor time is known of the hashes alone.
    print(f"steady {1 / max(speeds):.12f} {1 / max(speeds):.12f} a hash")
    sys.exit()
info = run("--hash-info", "--machine-readable")
about = json.loads(info[info.index("{") :])[mode]
example, password = about["example_hash"], about["example_pass"]
mask = password[:-1].replace("?", "??") + "?a"
output = run("-a", "3", "-O", "--potfile-disable", *DEVICE, example, mask)
if f":{password}" not in output:
    print(output)
    sys.exit("the password was not found")
