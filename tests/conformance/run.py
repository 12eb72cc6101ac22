#!/usr/bin/env python3
"""Real ExecuTorch as the judge of what wick compiles. Needs the goldens and PyPI; says so and ends with 0 without them.

  tests/conformance/run.py WICK [--goldens DIR] [--environments DIR] [--filter TEXT] [--only 1.4.1] [--samples N]

Compiles every golden model to FP32 from .pt2 and .onnx, and to INT8 with its calibration samples. FP32 programs run in
ExecuTorch's own runtime and must give PyTorch's outputs. INT8 programs must be readable by ExecuTorch (its cortex_m
kernels are not on PyPI, so they do not run). For both, ExecuTorch must see the operators that `wick inspect` lists.
Environments are made outside the source tree, once; an interpreter in DIR/et-VERSION/bin is taken as it is.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

RELEASES = {"1.4.1": "1.4", "1.5.1": "1.5"}
TORCH = "torch==2.13.0"


def interpreter(environments, version):
    """Python with that executorch, or None with the reason printed."""
    folder = environments / ("et-" + version)
    python = folder / "bin" / "python"
    check = [str(python), "-c", "import executorch.extension.pybindings.portable_lib"]
    if python.exists() and subprocess.run(check, capture_output=True).returncode == 0:
        return python
    print("making an environment with executorch %s in %s" % (version, folder), file=sys.stderr)
    steps = [
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "install", "-q", TORCH, "executorch==" + version, "numpy"],
        check,
    ]
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True)
        if done.returncode != 0:
            print("skipped: executorch %s cannot be installed here: %s"
                  % (version, (done.stderr.strip().split("\n") or [""])[-1]))
            return None
    return python


def wick(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode == 0, done.stderr.strip()


def operators(tool, program, scratch):
    ok, why = wick([tool, "inspect", str(program), "--json", str(scratch)])
    if not ok:
        raise RuntimeError(why)
    listed = json.loads(scratch.read_text())["operators"]
    return [one["name"] for one in listed]


def calls_of(case, kind, samples):
    calls = []
    for i in range(samples):
        inputs = sorted(case.glob("in_%d_*.npy" % i))
        outputs = sorted(case.glob("%s_%d_*.npy" % (kind, i)))
        if outputs:
            calls.append({"inputs": [str(p) for p in inputs], "outputs": [str(p) for p in outputs]})
    return calls


def compile_cases(args, cases, version, folder):
    """What to judge, and what wick itself refused."""
    entries, refused = [], []
    sources = [("float.pt2", "fp32"), ("float.onnx", "fp32"), ("float.pt2", "int8")]
    for case in cases:
        facts = json.loads((case / "case.json").read_text())
        for source, kind in sources:
            if not (case / source).exists() or (kind == "int8" and not (case / "calib.npz").exists()):
                continue
            name = "%s %s %s" % (case.name, source, kind)
            program = folder / (name.replace(" ", "_") + ".pte")
            command = [args.wick, "compile", str(case / source), "-o", str(program), "--executorch", RELEASES[version]]
            if kind == "int8":
                command += ["--int8", str(case / "calib.npz")]
            ok, why = wick(command)
            if not ok:
                refused.append((name, why))
                continue
            absolute = float(facts.get("float_pte_max_abs_error") or 0)
            entries.append({"name": name, "program": str(program), "relative": 1e-5, "absolute": absolute,
                            "calls": calls_of(case, "float", args.samples) if kind == "fp32" else [],
                            "operators": operators(args.wick, program, folder / "inspect.json")})
    return entries, refused


def report(version, entries, refused, results):
    known = json.loads((pathlib.Path(__file__).parent / "known.json").read_text())
    failures = 0
    for kind in ("float.pt2 fp32", "float.onnx fp32", "float.pt2 int8"):
        judged = [r for r in results if r["name"].endswith(kind)]
        all_of = len(judged) + sum(1 for name, _ in refused if name.endswith(kind))
        print("executorch %s: %s: %d of %d" % (version, kind, sum(r["ok"] for r in judged), all_of))
    for name, why in refused + [(r["name"], r["why"]) for r in results if not r["ok"]]:
        reason = known.get(name)
        failures += reason is None
        print("  %s: %s%s" % (name, why.split("\n")[0], "" if reason is None else "  [known: %s]" % reason))
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wick")
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--goldens", type=pathlib.Path,
                        default=os.environ.get("WICK_GOLDENS", root.parent / "shared" / "golden"))
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "wick"
    parser.add_argument("--environments", type=pathlib.Path, default=cache)
    parser.add_argument("--filter", default="")
    parser.add_argument("--only", choices=sorted(RELEASES))
    parser.add_argument("--samples", type=int, default=3)
    args = parser.parse_args()
    args.environments.mkdir(parents=True, exist_ok=True)
    cases = sorted(p.parent for p in (pathlib.Path(args.goldens) / "generated" / "et-1.4.1").glob("*/float.pt2"))
    cases = [case for case in cases if args.filter in case.name]
    if not cases:
        print("skipped: no goldens below", args.goldens)
        return 0
    failures = 0
    for version in [args.only] if args.only else sorted(RELEASES):
        python = interpreter(args.environments, version)
        if python is None:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            entries, refused = compile_cases(args, cases, version, folder)
            (folder / "list.json").write_text(json.dumps(entries))
            judge = pathlib.Path(__file__).parent / "judge_programs.py"
            done = subprocess.run([str(python), str(judge), str(folder / "list.json"), str(folder / "result.json")],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                print("executorch %s: the judge failed: %s" % (version, done.stderr.strip()[-2000:]))
                failures += 1
                continue
            failures += report(version, entries, refused, json.loads((folder / "result.json").read_text()))
    return 1 if failures else 0


sys.exit(main())
