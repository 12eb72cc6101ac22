// The command line: argv to options, nothing else. Exit code 0 when all is well, 1 for a bad input, 2 for wrong usage.
#include <CLI/CLI.hpp>
#include <iostream>

#include "files/failure.h"
#include "host/compare_command.h"
#include "host/compile_command.h"
#include "host/firmware_command.h"
#include "host/inspect_command.h"
#include "host/run_command.h"
#include "host/simulate_command.h"

namespace {

using wick::host::CompareOptions;
using wick::host::CompileCommandOptions;
using wick::host::FirmwareOptions;
using wick::host::InspectOptions;
using wick::host::RunOptions;
using wick::host::SimulateOptions;

const std::vector<std::string> kTargets = {"host", "cortex-m0plus", "cortex-m4", "cortex-m33", "cortex-m55", "pico2"};

std::string is_port(const std::string& target) {
  return target.find('/') == std::string::npos ? "is neither a target nor a path of a serial port" : "";
}

void add_run(CLI::App& app, RunOptions& o) {
  CLI::App* run = app.add_subcommand("run", "Run a program and say what came out and what it cost");
  run->add_option("program", o.program, "ExecuTorch program (.pte), or a bundled one (.bpte)")->required();
  auto* inputs = run->add_option("--input", o.inputs,
                                 "Input, once per input in order: .npy, or raw little-endian elements (.bin). For a "
                                 "scalar input its value")
                     ->type_name("FILE")
                     ->allow_extra_args(false);
  auto* expects = run->add_option("--expect", o.expects, "Expected output, once per output in order: .npy or .bin")
                      ->type_name("FILE")
                      ->allow_extra_args(false);
  run->add_option("--output-dir", o.output_dir, "Write output_0.npy, ... here (several calls: call_0_output_0.npy)")
      ->type_name("DIR");
  auto* method = run->add_option("--method", o.method, "Method to call")->capture_default_str()->type_name("NAME");
  auto* calls = run->add_option("--call", o.calls,
                                "METHOD IN,IN [EXPECT,EXPECT]: a call; repeatable, in order, on one loaded program. "
                                "'-' for a method without inputs")
                    ->type_name("METHOD IN,IN [EXPECT,EXPECT]")
                    ->expected(1, 3);
  run->add_option("--data", o.data, "Weights beside the program")->type_name("FILE.ptd");
  run->add_option(
         "--target", o.target,
         "Where it runs: host; a core, emulated; pico2, simulated; or a board's serial port, /dev/ttyACM0, with "
         "an image of the app run")
      ->capture_default_str()
      ->check(CLI::IsMember(kTargets) | CLI::Validator(is_port, "a path"));
  run->add_option("--arena", o.arena_bytes, "Arena in bytes (default: exactly what is needed)")->type_name("BYTES");
  run->add_option("--repeat", o.repeat, "Make each call N times; figures are of the last")
      ->capture_default_str()
      ->check(CLI::Range(1u, 1000000u))
      ->type_name("N");
  run->add_flag("--profile", o.profile, "Cost of every operator");
  run->add_option("--atol", o.tolerance.absolute,
                  "Allowed error of an output element. Default without --atol and --rtol: none for integers; for "
                  "float32 1e-5 of the largest expected magnitude (float16 1e-3, bfloat16 1e-2)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("A");
  run->add_option("--rtol", o.tolerance.relative, "Allowed error, relative to the expected element; adds to --atol")
      ->check(CLI::NonNegativeNumber)
      ->type_name("R");
  auto* bundled = run->add_flag("--bundled", o.bundled, "Run a bundled program's own test cases");
  run->add_flag("--reset", o.reset, "Put mutable state back to its initial values before each call");
  run->add_option("--json", o.json, "Write every figure to this file")->type_name("FILE");
  calls->excludes(inputs)->excludes(expects)->excludes(method);
  bundled->excludes(inputs)->excludes(expects)->excludes(method)->excludes(calls);
}

void add_inspect(CLI::App& app, InspectOptions& o) {
  CLI::App* inspect = app.add_subcommand("inspect", "Show what is in a program and what it needs");
  inspect->add_option("program", o.program, "ExecuTorch program (.pte), or a bundled one (.bpte)")->required();
  inspect->add_option("--method", o.method, "Show this method only (default: all)")->type_name("NAME");
  inspect->add_option("--data", o.data, "Weights beside the program")->type_name("FILE.ptd");
  inspect->add_option("--target", o.target, "Whose arena size and missing operators to tell")
      ->capture_default_str()
      ->check(CLI::IsMember(kTargets));
  inspect->add_option("--json", o.json, "Write every figure to this file")->type_name("FILE");
}

void add_simulate(CLI::App& app, SimulateOptions& o) {
  CLI::App* simulate =
      app.add_subcommand("simulate", "Run a UF2 on a simulated Pico 2: what it prints and blinks, and what it costs");
  simulate->add_option("image", o.image, "Image as it is dragged onto the board (.uf2)")->required();
  simulate->add_option("--timeout-ms", o.timeout_ms, "Limit on simulated time, in milliseconds; none with --pty")
      ->capture_default_str();
  simulate->add_option("--idle-ms", o.idle_ms, "End when the image has only waited for this long, in milliseconds")
      ->capture_default_str();
  simulate->add_option("--console", o.console, "Serial port that is shown: uart (GPIO 0, 115200 baud) or usb")
      ->capture_default_str()
      ->check(CLI::IsMember({"uart", "usb"}));
  auto* input = simulate->add_option("--input", o.input, "Type this file's bytes on that port")->type_name("FILE");
  simulate
      ->add_flag(
          "--pty", o.pty,
          "Offer that port as a pseudo-terminal, whose name is the first line of output; ends when a program that "
          "had it open closes it")
      ->excludes(input);
  simulate->add_flag("--unplugged", o.unplugged, "No computer at the USB port");
  simulate->add_flag("--trace", o.trace, "Every access to a peripheral and every exception, on stderr");
  simulate->add_flag("--break-on-fault", o.break_on_fault, "Stop at a fault instead of letting the image handle it");
  simulate->add_option("--json", o.json, "Write every figure to this file")->type_name("FILE");
}

void add_firmware(CLI::App& app, FirmwareOptions& o) {
  CLI::App* firmware = app.add_subcommand("firmware", "Build an image that runs programs on a board");
  firmware->add_option("programs", o.programs, "ExecuTorch programs (.pte) that go into the image; FP32 first")
      ->required();
  firmware->add_option("-o,--output", o.output, "The image: .uf2, .elf or .bin")->required()->type_name("FILE");
  firmware->add_option("--board", o.board, "The board")
      ->capture_default_str()
      ->check(CLI::IsMember({"pico2", "qemu-m0plus", "qemu-m4", "qemu-m33", "qemu-m55"}));
  firmware
      ->add_option("--app", o.app,
                   "mnist: the digits demo; run: serves `wick run` over a serial line; bench: times of all programs")
      ->capture_default_str()
      ->check(CLI::IsMember({"mnist", "run", "bench"}));
  firmware->add_option("--weights", o.weights, "Where programs are read from; sram: copied there at start")
      ->capture_default_str()
      ->check(CLI::IsMember({"flash", "sram"}));
  firmware->add_option("--kernel-code", o.kernel_code, "Where the kernels' code runs from; sram: copied there at start")
      ->capture_default_str()
      ->check(CLI::IsMember({"flash", "sram"}));
  firmware->add_option("--operators", o.operators, "selected: those that the programs call")
      ->capture_default_str()
      ->check(CLI::IsMember({"selected", "all"}));
  firmware->add_option("--kernels", o.kernels, "Whose INT8 kernels")
      ->capture_default_str()
      ->check(CLI::IsMember({"wick", "cmsis-nn"}));
  firmware
      ->add_option("--cmsis-nn", o.cmsis_nn, "Your own copy of CMSIS-NN: Include/ and a library for the board's core")
      ->type_name("DIR");
  firmware->add_option("--cores", o.cores, "Cores that compute INT8 convolutions and linear layers")
      ->capture_default_str()
      ->check(CLI::Range(1u, 2u));
  firmware
      ->add_option("--errors", o.errors,
                   "What a program that cannot run is told: full, or brief, which saves a quarter of a small image; "
                   "`wick run` tells the whole text all the same (default: brief for the app run, else full)")
      ->check(CLI::IsMember({"brief", "full"}));
  firmware->add_option("--stack", o.stack_bytes, "Stack in bytes (default: the board's)")
      ->check(CLI::Range(1024u, 262144u))
      ->type_name("BYTES");
  firmware->add_flag("--clean", o.clean, "Build from scratch");
  firmware->add_option("--jobs", o.jobs, "Compilers at a time (default: one for each processor)")
      ->check(CLI::Range(1u, 1024u))
      ->type_name("N");
  firmware->add_option("--build-dir", o.build_folder, "Where images are built, each set of options in its own folder")
      ->type_name("DIR");
  firmware->add_option("--json", o.json, "Write every figure to this file")->type_name("FILE");
}

void add_operators(CLI::App& app, wick::host::OperatorTableOptions& o) {
  CLI::App* operators = app.add_subcommand("operators", "The table of the operators that programs call, as C++");
  operators->add_option("programs", o.programs, "ExecuTorch programs (.pte) of one image")->required();
  operators->add_option("-o,--output", o.output, "The table: a C++ file that defines wick::kAllOps")
      ->required()
      ->type_name("FILE");
}

void add_compile(CLI::App& app, CompileCommandOptions& o) {
  CLI::App* compile = app.add_subcommand("compile", "A trained model to a program, FP32 or INT8");
  compile->add_option("model", o.model, "Model: .pt2 (torch.export), .onnx or .tflite; a quantized one stays so")
      ->required();
  compile->add_option("-o,--output", o.output, "Program to write")->required()->type_name("PROGRAM.pte");
  auto* data = compile
                   ->add_option("--int8", o.int8_data,
                                "Quantize with these calibration samples: .npz (SAMPLE_INPUT arrays, or one per "
                                "input), a folder of .npy, one .npy, or IDX")
                   ->type_name("DATA");
  compile->add_option("--samples", o.samples, "Use the first N samples only (0: all)")
      ->capture_default_str()
      ->needs(data)
      ->type_name("N");
  compile->add_option("--quantizer", o.quantizer, "wick: every operator INT8; executorch: as ExecuTorch 1.4 does it")
      ->capture_default_str()
      ->needs(data)
      ->check(CLI::IsMember({"wick", "executorch"}));
  compile->add_option("--calibrator", o.calibrator, "How ranges are chosen (default: mse; executorch: its own search)")
      ->needs(data)
      ->check(CLI::IsMember({"minmax", "percentile", "mse", "entropy"}));
  compile->add_option("--granularity", o.granularity, "One scale per output channel of a linear layer, or one for all")
      ->capture_default_str()
      ->needs(data)
      ->check(CLI::IsMember({"channel", "tensor"}));
  compile->add_option("--keep-float", o.keep_float, "Nodes that stay float, by name; * stands for any text")
      ->needs(data)
      ->allow_extra_args(false)
      ->type_name("PATTERN");
  compile
      ->add_option("--max-error", o.max_error,
                   "Largest error of the outputs, relative to their root mean square (0.05 is 5 %): layers whose "
                   "error stands out stay float until it is met")
      ->needs(data)
      ->check(CLI::PositiveNumber)
      ->type_name("E");
  compile->add_option("--target", o.target, "Core whose scratch sizes the program carries")
      ->capture_default_str()
      ->type_name("TARGET");
  compile->add_option("--executorch", o.executorch, "Release whose operator signatures the program uses")
      ->capture_default_str()
      ->check(CLI::IsMember({"1.4", "1.5"}));
  compile->add_option("--input-shape", o.input_shapes, "Sizes of an input, for a model that leaves them open")
      ->allow_extra_args(false)
      ->type_name("NAME=1,28,28");
  compile->add_flag("--channels-last", o.channels_last,
                    "The caller gives and takes images as [N, H, W, C] in memory: spares an INT8 program a copy");
  compile->add_flag("--verbose", o.verbose, "Each pass with its nodes and time; each tensor's range and error");
  compile->add_option("--report", o.report, "Write every figure, tensor by tensor: JSON, or an HTML page")
      ->type_name("FILE.json|.html");
  compile->add_option("--json", o.json, "The same")->type_name("FILE");
}

void add_compare(CLI::App& app, CompareOptions& o) {
  CLI::App* compare = app.add_subcommand("compare", "An FP32 and an INT8 program side by side: what to ship, and why");
  compare->add_option("fp32", o.fp32, "The model's FP32 program (.pte)")->required();
  compare->add_option("int8", o.int8, "The model's INT8 program (.pte)")->required();
  compare
      ->add_option("--data", o.data,
                   "Samples: .npz (SAMPLE_INPUT arrays, or one per input), a folder of .npy, one .npy, or IDX")
      ->required()
      ->type_name("DATA");
  compare->add_option("--labels", o.labels, "Class numbers: IDX, .npy or text with one a line")->type_name("FILE");
  compare->add_option("--target", o.target, "Where latency and memory are measured; all but host are emulated")
      ->capture_default_str()
      ->check(CLI::IsMember(kTargets));
  compare->add_option("--samples", o.samples, "Use the first N samples only (0: all)")
      ->capture_default_str()
      ->type_name("N");
  compare->add_option("--target-samples", o.target_samples, "How many of them also run on the target, for latency")
      ->capture_default_str()
      ->check(CLI::Range(1u, 10000u))
      ->type_name("N");
  compare->add_option("--report", o.report, "Write an HTML page, all in one file")->type_name("FILE.html");
  compare->add_option("--json", o.json, "Write every figure to this file")->type_name("FILE");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("wick: runs PyTorch models on microcontrollers", "wick");
  app.require_subcommand(1);
  RunOptions run;
  InspectOptions inspect;
  CompareOptions compare;
  CompileCommandOptions compile;
  SimulateOptions simulate;
  FirmwareOptions firmware;
  wick::host::OperatorTableOptions operators;
  add_run(app, run);
  add_simulate(app, simulate);
  add_inspect(app, inspect);
  add_compile(app, compile);
  add_compare(app, compare);
  add_firmware(app, firmware);
  add_operators(app, operators);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const std::string command = app.get_subcommands().front()->get_name();
  try {
    if (command == "run") return run_command(run);
    if (command == "compile") return compile_command(compile);
    if (command == "compare") return compare_command(compare);
    if (command == "operators") return operator_table_command(operators);
    if (command == "firmware") return firmware_command(firmware);
    if (command == "simulate") return simulate_command(simulate);
    return inspect_command(inspect);
  } catch (const wick::host::Failure& failure) {
    std::cerr << "wick " << command << ": " << failure.what() << "\n";
  } catch (const std::exception& error) {
    std::cerr << "wick " << command << ": " << error.what() << "\n";
  }
  return 1;
}
