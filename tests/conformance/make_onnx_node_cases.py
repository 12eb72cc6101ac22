"""Writes the ONNX project's own operator tests (package onnx) as cases that wick_compiler_test reads.

  make_onnx_node_cases.py FOLDER

A case is a folder with model.onnx, fixed.onnx (the same, with every input but the first as a constant), in_K.npy,
out_K.npy and tolerance.json. Cases with inputs that are not tensors, or of opsets before 11, are left out.
"""
import json
import pathlib
import sys
import warnings

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases


def fixed(model, inputs):
    out = onnx.ModelProto()
    out.CopyFrom(model)
    for info, value in list(zip(model.graph.input, inputs))[1:]:
        out.graph.initializer.append(numpy_helper.from_array(value, info.name))
        for i, held in enumerate(out.graph.input):
            if held.name == info.name:
                del out.graph.input[i]
                break
    return out


def plain(arrays):
    kinds = "fiub"
    return all(isinstance(a, (np.ndarray, np.generic)) and np.asarray(a).dtype.kind in kinds for a in arrays)


def main():
    target = pathlib.Path(sys.argv[1])
    warnings.simplefilter("ignore")
    count = 0
    for case in collect_testcases(None):
        model = case.model
        if model is None or not case.data_sets:
            continue
        inputs, outputs = case.data_sets[0]
        if not plain(inputs) or not plain(outputs) or len(inputs) != len(model.graph.input):
            continue
        inputs = [np.asarray(a) for a in inputs]
        if any(s.domain in ("", "ai.onnx") and s.version < 11 for s in model.opset_import):
            continue
        folder = target / case.name
        folder.mkdir(parents=True, exist_ok=True)
        onnx.save(model, folder / "model.onnx")
        onnx.save(fixed(model, inputs), folder / "fixed.onnx")
        for name, arrays in (("in", inputs), ("out", outputs)):
            for k, array in enumerate(arrays):
                np.save(folder / f"{name}_{k}.npy", np.ascontiguousarray(array).reshape(np.shape(array)))
        (folder / "tolerance.json").write_text(json.dumps({"rtol": case.rtol, "atol": case.atol}))
        count += 1
    print(f"{count} cases in {target}")


main()
