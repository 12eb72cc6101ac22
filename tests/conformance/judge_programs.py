"""Judges programs that wick wrote by real ExecuTorch. Runs inside a virtual environment with executorch installed.

  judge_programs.py LIST.json RESULT.json

LIST: [{"name", "program", "calls": [{"inputs": [npy...], "outputs": [npy...]}], "relative", "absolute", "operators"}]. A program
without calls is only deserialized and verified. Writes per program {"name", "ok", "why", "error"}.
"""
import json
import sys
import warnings

warnings.filterwarnings("ignore")
import numpy as np
import torch
from executorch.exir._serialize._program import deserialize_pte_binary
from executorch.exir.schema import KernelCall
from executorch.extension.pybindings.portable_lib import _load_for_executorch


def operators_of(path):
    """Names with overload in call order, from ExecuTorch's own reading of the file."""
    with open(path, "rb") as file:
        result = deserialize_pte_binary(file.read())
    program = getattr(result, "program", result)
    calls = []
    for plan in program.execution_plan:
        for chain in plan.chains:
            for instruction in chain.instructions:
                call = instruction.instr_args
                if isinstance(call, KernelCall):
                    op = plan.operators[call.op_index]
                    calls.append(op.name + ("." + op.overload if op.overload else ""))
    return calls


def judge(entry):
    calls = operators_of(entry["program"])
    if sorted(calls) != sorted(entry["operators"]):
        return "operators differ: ExecuTorch sees %s" % calls, 0.0
    if not entry["calls"]:
        return "", 0.0
    module = _load_for_executorch(entry["program"])
    worst = 0.0
    for call in entry["calls"]:
        inputs = [torch.from_numpy(np.load(path).copy()) for path in call["inputs"]]
        outputs = module.forward(inputs)
        if len(outputs) != len(call["outputs"]):
            return "%d outputs, expected %d" % (len(outputs), len(call["outputs"])), worst
        for output, path in zip(outputs, call["outputs"]):
            found, expected = output.numpy(), np.load(path)
            if found.shape != expected.shape or found.dtype != expected.dtype:
                return "output is %s %s, expected %s %s" % (found.dtype, found.shape, expected.dtype, expected.shape), worst
            if found.dtype.kind in "iub":
                if not np.array_equal(found, expected):
                    return "integers differ", worst
                continue
            largest = float(np.abs(expected).max(initial=0.0))
            error = float(np.abs(found.astype(np.float64) - expected.astype(np.float64)).max(initial=0.0))
            worst = max(worst, error)
            allowed = max(entry["relative"] * largest, entry["absolute"])
            if not error <= allowed:
                return "differs by %.3g, allowed %.3g (largest magnitude %.3g)" % (error, allowed, largest), worst
    return "", worst


def main():
    with open(sys.argv[1]) as file:
        entries = json.load(file)
    results = []
    for entry in entries:
        try:
            why, error = judge(entry)
        except Exception as problem:  # whatever ExecuTorch raises is its judgement
            why, error = "%s: %s" % (type(problem).__name__, str(problem).split("\n")[0][:300]), 0.0
        results.append({"name": entry["name"], "ok": not why, "why": why, "error": error})
    with open(sys.argv[2], "w") as file:
        json.dump(results, file, indent=1)


main()
