"""Each function that libtenon exports is called by a C test here, and is in the host table."""

import re
import subprocess
import sys
from pathlib import Path

here = Path(__file__).parent
listing = subprocess.run(
    ["nm", "-D", "--defined-only", sys.argv[1]], capture_output=True, text=True, check=True
).stdout
exported = {line.split()[-1] for line in listing.splitlines() if " T tn_" in line}
tests = "\n".join(path.read_text() for path in here.glob("*.c"))
host = (here.parents[1] / "abi/include/tenon/host.h").read_text()

errors = []
for name in sorted(exported):
    if not re.search(rf"\b{name}\(|host->{name[3:]}\(", tests):
        errors.append(f"{name} is called by no test in tests/abi")
    if f"__typeof__({name}) *{name[3:]};" not in host:
        errors.append(f"{name} is not in tn_host (abi/include/tenon/host.h)")
for name in re.findall(r"__typeof__\((tn_\w+)\)", host):
    if name not in exported:
        errors.append(f"{name} is in tn_host but not exported")
print("\n".join(errors) or f"{len(exported)} functions")
sys.exit(bool(errors) or not exported)
