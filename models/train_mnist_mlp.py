#!/usr/bin/env python3
"""Trains the demo's 784-32-16-10 MLP and exports it with ExecuTorch, in FP32 and INT8.

Knows how models/mlp/ was made and can make it again; wick itself needs none of this. The environment:

    python3 -m venv venv
    venv/bin/pip install torch==2.13.0 executorch==1.4.1 tosa-tools==2026.5.0
    venv/bin/python models/train_mnist_mlp.py --mnist FOLDER --out models/mlp

FOLDER holds MNIST as IDX files, gzip or not: train-images-idx3-ubyte, train-labels-idx1-ubyte and the same for t10k
or test. The demo shows ASCII digits with thick, straight, full-width strokes, which handwriting alone doesn't teach. So half
of what the model sees is drawn here: skeletons of all ten digits in many styles, with random pens, stretched to
random boxes. The glyphs of the demo are neither used nor traced; --check only reports what the model says about them.
"""

import argparse
import gzip
import pathlib

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

SIDE = 28


# --- MNIST ------------------------------------------------------------------------------------------------------------
def read_idx(folder, names):
    for name in names:
        for path, opener in ((folder / f"{name}.gz", gzip.open), (folder / name, open)):
            if path.exists():
                with opener(path, "rb") as file:
                    data = file.read()
                rank = data[3]
                sizes = np.frombuffer(data, ">u4", rank, 4).astype(int)
                return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(sizes)
    raise SystemExit(f"{folder}: none of {', '.join(names)} (with or without .gz)")


def load_split(folder, splits):
    images = read_idx(folder, [f"{s}-images-idx3-ubyte" for s in splits])
    labels = read_idx(folder, [f"{s}-labels-idx1-ubyte" for s in splits])
    return torch.from_numpy(images.astype(np.float32) / 255), torch.from_numpy(labels.astype(np.int64))


# --- drawn digits -----------------------------------------------------------------------------------------------------
def arc(cx, cy, rx, ry, start, end, power=2.0, points=17):
    """Part of a superellipse, angles in turns, clockwise from the right; power 2 is an ellipse, 8 nearly a box."""
    t = np.linspace(start, end, points) * 2 * np.pi
    c, s = np.cos(t), np.sin(t)
    return np.stack([cx + rx * np.sign(c) * np.abs(c) ** (2 / power), cy + ry * np.sign(s) * np.abs(s) ** (2 / power)], 1)


def line(*points):
    return np.array(points, dtype=np.float64)


# Seven segments: top, upper right, lower right, bottom, lower left, upper left, middle.
SEGMENTS = [((0, 0), (1, 0)), ((1, 0), (1, 0.5)), ((1, 0.5), (1, 1)), ((0, 1), (1, 1)), ((0, 0.5), (0, 1)),
            ((0, 0), (0, 0.5)), ((0, 0.5), (1, 0.5))]
LIT = ["012345", "12", "01346", "01236", "1256", "02356", "023456", "012", "0123456", "012356"]


def skeleton(digit, rng):
    """Strokes of a digit in the unit square, x to the right and y down."""
    u = rng.uniform
    if digit != 1 and u() < 0.15:
        return [line(*SEGMENTS[int(s)]) for s in LIT[digit]]
    p = u(1.8, 3.5) if u() < 0.6 else u(3.5, 9)
    waist = u(0.4, 0.56)
    if digit == 0:
        return [arc(0.5, 0.5, 0.5, 0.5, 0, 1, p, 33)]
    if digit == 1:
        x = u(0.3, 0.7)
        strokes = [line((x, 0), (x + u(-0.08, 0.08), 1))]
        if u() < 0.7:
            strokes.append(line((x, 0), (x - u(0.1, 0.45), u(0.05, 0.3))))
        if u() < 0.6:
            w = u(0.15, 0.5)
            strokes.append(line((x - w, 1), (x + w, 1)))
        return strokes
    if digit == 2:
        top = arc(0.5, 0.3, 0.5, 0.3, 0.5, 1.0 + u(0, 0.1), p)
        return [np.concatenate([top, line((u(0, 0.12), 1), (1, 1))])]
    if digit == 3:
        if u() < 0.25:
            return [line((0, 0), (1, 0), (u(0.35, 0.6), waist)), arc(0.45, (1 + waist) / 2, 0.5, (1 - waist) / 2, -0.25, 0.4, p)]
        return [arc(0.45, waist / 2, 0.5, waist / 2, -0.45, 0.25, p), arc(0.45, (1 + waist) / 2, 0.55, (1 - waist) / 2, -0.25, 0.45, p)]
    if digit == 4:
        stem, bar = u(0.55, 0.95), u(0.5, 0.8)
        foot = line((stem, u(0, 0.35) if u() < 0.25 else 0), (stem + u(-0.06, 0.06), 1))
        reach = max(stem, u(0.7, 1.05))
        start = stem if u() < 0.65 else u(0.0, 0.5)
        return [line((start, 0), (0, bar), (min(reach, 1), bar)), foot]
    if digit == 5:
        bowl = arc(0.45, (1 + waist) / 2, 0.55, (1 - waist) / 2, -0.35, 0.42, p)
        return [line((u(0.85, 1), 0), (u(0.05, 0.2), 0), (u(0, 0.1), waist)), np.concatenate([line((0.05, waist)), bowl])]
    if digit == 6:
        bowl = arc(0.5, (1 + waist) / 2, 0.5, (1 - waist) / 2, 0, 1, p, 29)
        tail = arc(0.75, (1 + waist) / 2, 0.75, (1 + waist) / 2, 0.5, 0.5 + u(0.15, 0.27), 2.0)
        return [bowl, np.clip(tail, 0, 1)]
    if digit == 7:
        top = u(0, 0.08)
        strokes = [line((0, top), (1, 0), (u(0.0, 0.6), 1))]
        if u() < 0.2:
            strokes.append(line((0, top), (0, top + u(0.08, 0.2))))
        if u() < 0.15:
            strokes.append(line((0.25, 0.5), (0.85, 0.5)))
        return strokes
    if digit == 8:
        r = u(0.38, 0.5)
        return [arc(0.5, waist / 2, r, waist / 2, 0, 1, p, 29), arc(0.5, (1 + waist) / 2, 0.5, (1 - waist) / 2, 0, 1, p, 29)]
    bowl = arc(0.5, (1 - waist) / 2 + 0.02, 0.5, (1 - waist) / 2, 0, 1, p, 29)
    if u() < 0.5:
        return [bowl, line((1, 0.3), (u(0.6, 1), 1))]
    return [bowl, np.clip(arc(0.25, 0.3, 0.75, 0.7, 0, u(0.15, 0.27), 2.0), 0, 1)]


def draw(digit, rng):
    """One 28x28 picture of a digit, with a random pen in a random box."""
    u = rng.uniform
    pen = u(1.2, 5.0)
    width, height = (u(22, 28), u(22, 28)) if u() < 0.45 else (u(9, 24), u(16, 26))
    left, top = (SIDE - width) * u(0.2, 0.8), (SIDE - height) * u(0.2, 0.8)
    slant = u(-0.12, 0.12) if u() < 0.5 else 0.0
    square = u() < 0.5
    y, x = np.mgrid[0:SIDE, 0:SIDE] + 0.5
    distance = np.full((SIDE, SIDE), 1e9)
    inset = pen / 2
    for stroke in skeleton(digit, rng):
        px = left + inset + (stroke[:, 0] - slant * (stroke[:, 1] - 0.5)) * (width - pen)
        py = top + inset + stroke[:, 1] * (height - pen)
        for x0, y0, x1, y1 in zip(px[:-1], py[:-1], px[1:], py[1:]):
            dx, dy = x1 - x0, y1 - y0
            t = np.clip(((x - x0) * dx + (y - y0) * dy) / max(dx * dx + dy * dy, 1e-9), 0, 1)
            ex, ey = np.abs(x - x0 - t * dx), np.abs(y - y0 - t * dy)
            distance = np.minimum(distance, np.maximum(ex, ey) if square else np.hypot(ex, ey))
    if u() < 0.6:
        return (distance <= pen / 2).astype(np.float32)
    return np.clip(pen / 2 - distance + 0.5, 0, 1).astype(np.float32)


def draw_digits(count, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 10, count)
    return torch.from_numpy(np.stack([draw(d, rng) for d in labels])), torch.from_numpy(labels)


# --- augmentation -----------------------------------------------------------------------------------------------------
def warp(images, g, strength):
    """Random rotation, stretch, slant and shift of a batch."""
    n = len(images)

    def u(low, high):
        return torch.rand(n, generator=g) * (high - low) + low

    angle, shear = u(-0.2, 0.2) * strength, u(-0.2, 0.2) * strength
    sx, sy = 1 + u(-0.15, 0.15) * strength, 1 + u(-0.15, 0.15) * strength
    c, s = torch.cos(angle), torch.sin(angle)
    theta = torch.stack([torch.stack([c * sx, (s + shear) * sy, u(-0.12, 0.12) * strength], 1),
                         torch.stack([-s * sx, c * sy, u(-0.12, 0.12) * strength], 1)], 1)
    grid = F.affine_grid(theta, (n, 1, SIDE, SIDE), align_corners=False)
    return F.grid_sample(images[:, None], grid, align_corners=False)[:, 0]


def coarsen(images, g):
    """Some of a batch gets what drawn glyphs have: thick strokes, hard edges, the full width of the picture."""
    choice = torch.rand(len(images), generator=g)
    stretched = F.interpolate(images[:, None, 4:24, 4:24], size=(SIDE, SIDE), mode="bilinear", align_corners=False)[:, 0]
    images = torch.where((choice < 0.12)[:, None, None], stretched, images)
    thick = F.max_pool2d(images[:, None], 3, 1, 1)[:, 0]
    images = torch.where(((choice > 0.08) & (choice < 0.2))[:, None, None], thick, images)
    return torch.where(((choice > 0.04) & (choice < 0.25))[:, None, None], (images > 0.45).float(), images)


# --- model ------------------------------------------------------------------------------------------------------------
class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden1 = nn.Linear(SIDE * SIDE, 32)
        self.hidden2 = nn.Linear(32, 16)
        self.scores = nn.Linear(16, 10)

    def forward(self, x):
        x = torch.relu(self.hidden1(x.flatten(1)))
        return self.scores(torch.relu(self.hidden2(x)))


def accuracy(model, images, labels):
    with torch.no_grad():
        return (torch.cat([model(x[None]) for x in images]) if isinstance(model, torch.fx.GraphModule) else model(images)).argmax(1).eq(labels).sum().item()


def train(args, mnist, drawn):
    g = torch.Generator().manual_seed(args.seed)
    model, average = Mlp(), Mlp()
    average.load_state_dict(model.state_dict())
    steps_per_epoch = len(mnist[0]) // args.batch
    steps = args.epochs * steps_per_epoch
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.rate, weight_decay=args.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=args.rate, total_steps=steps, pct_start=0.15)
    extra = int(args.batch * args.drawn)
    for step in range(steps):
        a = torch.randint(len(mnist[0]), (args.batch,), generator=g)
        b = torch.randint(len(drawn[0]), (extra,), generator=g)
        images = torch.cat([coarsen(warp(mnist[0][a], g, args.strength), g), warp(drawn[0][b], g, 0.35)])
        labels = torch.cat([mnist[1][a], drawn[1][b]])
        loss = F.cross_entropy(model(images), labels, label_smoothing=0.02)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        with torch.no_grad():
            for p, q in zip(average.parameters(), model.parameters()):
                p.lerp_(q, 0.005)
        if (step + 1) % (steps // 10) == 0:
            print(f"step {step + 1} of {steps}, loss {loss.item():.3f}", flush=True)
    return average.eval()


# --- export -----------------------------------------------------------------------------------------------------------
def export_float(model, out):
    from executorch.exir import to_edge

    program = torch.export.export(model, (torch.zeros(1, SIDE, SIDE),))
    torch.export.save(program, out / "float.pt2")
    (out / "float.pte").write_bytes(to_edge(program).to_executorch().buffer)


def export_int8(model, samples, out):
    from executorch.backends.cortex_m.passes.cortex_m_pass_manager import CortexMPassManager
    from executorch.backends.cortex_m.quantizer.quantizer import CortexMQuantizer
    from executorch.backends.cortex_m.target_config import CortexM, CortexMTargetConfig
    from executorch.exir import EdgeCompileConfig, to_edge
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    example = (samples[:1],)
    prepared = prepare_pt2e(torch.export.export(model, example, strict=True).module(check_guards=False), CortexMQuantizer())
    for i in range(len(samples)):
        prepared(samples[i : i + 1])
    quantized = convert_pt2e(prepared)
    config = EdgeCompileConfig(preserve_ops=[torch.ops.aten.linear.default], _check_ir_validity=False)
    edge = to_edge(torch.export.export(quantized, example), compile_config=config)
    manager = CortexMPassManager(edge.exported_program(), target_config=CortexMTargetConfig(cpu=CortexM.M33))
    edge._edge_programs["forward"] = manager.transform()
    (out / "int8.pte").write_bytes(edge.to_executorch().buffer)
    np.savez_compressed(out / "calib.npz", **{f"{i}_0": s.numpy()[None] for i, s in enumerate(samples)})
    return quantized


# --- checks -----------------------------------------------------------------------------------------------------------
def read_glyphs(path):
    """A folder of N.txt (28 lines of '#' and '.') or of in_I_0.npy with the digits 0, 1, 4, 7."""
    pairs = []
    for i, digit in enumerate((0, 1, 4, 7)):
        if (path / f"{digit}.txt").exists():
            rows = (path / f"{digit}.txt").read_text().split()
            image = np.array([[c == "#" for c in row] for row in rows], np.float32)
        else:
            image = np.load(path / f"in_{i}_0.npy").reshape(SIDE, SIDE)
        pairs.append((digit, torch.from_numpy(image)[None]))
    return pairs


def report(name, model, test, glyph_folders):
    right = accuracy(model, *test)
    print(f"{name}: {right} of {len(test[1])} test digits ({100 * right / len(test[1]):.2f} %)")
    for folder in glyph_folders:
        with torch.no_grad():
            for digit, image in read_glyphs(folder):
                scores = model(image)[0]
                margin = scores[digit] - torch.cat([scores[:digit], scores[digit + 1 :]]).max()
                print(f"  {folder}: {digit} -> {scores.argmax().item()}, margin {margin.item():.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = pathlib.Path(__file__).resolve().parent
    parser.add_argument("--mnist", type=pathlib.Path, default=here / "mnist", help="folder of MNIST's IDX files (default: models/mnist, which holds the test digits only)")
    parser.add_argument("--out", type=pathlib.Path, default=here / "mlp", help="where the programs go (default: models/mlp)")
    parser.add_argument("--check", type=pathlib.Path, action="append", default=[], help="folder of glyphs to report on; never trained on")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=600)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rate", type=float, default=4e-3, help="largest learning rate")
    parser.add_argument("--decay", type=float, default=0.02, help="weight decay")
    parser.add_argument("--strength", type=float, default=0.6, help="of the random warps of MNIST digits, 0 to 1")
    parser.add_argument("--drawn", type=float, default=0.5, help="drawn digits for each MNIST digit")
    parser.add_argument("--drawn-count", type=int, default=20000, help="how many digits are drawn before training")
    parser.add_argument("--no-export", action="store_true")
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    mnist, test = load_split(args.mnist, ["train"]), load_split(args.mnist, ["t10k", "test"])
    drawn = draw_digits(args.drawn_count, args.seed)
    model = train(args, mnist, drawn)
    report("FP32", model, test, args.check)
    print(f"drawn: {accuracy(model, *draw_digits(2000, args.seed + 1))} of 2000")
    if args.no_export:
        return
    args.out.mkdir(parents=True, exist_ok=True)
    samples = torch.cat([mnist[0][:96], drawn[0][:32]])[:, None]
    export_float(model, args.out)
    report("INT8 (simulated by PyTorch)", export_int8(model, samples, args.out), test, args.check)


if __name__ == "__main__":
    main()
