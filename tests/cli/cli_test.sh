#!/bin/sh
# What users of the command line see: exit codes, messages, files. Usage: cli_test.sh WICK SOURCE_DIR [WORK_DIR]
# Every way to go wrong is tried, and must end with the right code and one clear message, and leave nothing behind.
set -u
wick=$1
source=$2
work=${3:-$(mktemp -d)}
mkdir -p "$work" && cd "$work" || exit 1
goldens=$source/tests/data/golden/generated
special=$goldens/special
passed=0
failed=0

report() {
  if [ -z "$2" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED  $1: $2"
    sed 's/^/        /' stderr
  fi
}

# expect NAME CODE MESSAGE ARGUMENTS...: runs wick, checks exit code and that MESSAGE is in what it says (stderr for
# failures, stdout otherwise).
expect() {
  name=$1 code=$2 message=$3
  shift 3
  "$wick" "$@" > stdout 2> stderr < /dev/null
  got=$?
  problem=""
  stream=stderr
  [ "$code" -eq 0 ] && stream=stdout
  if [ "$got" -ne "$code" ]; then
    problem="exit code $got, expected $code"
  elif ! grep -qF -- "$message" $stream; then
    problem="'$message' is not in $stream"
  elif [ "$code" -eq 1 ] && [ "$(wc -l < stderr)" -ne 1 ]; then
    problem="$(wc -l < stderr) lines on stderr, expected 1"
  elif ls ./*.partial > /dev/null 2>&1; then
    problem="left a half-written file"
  fi
  report "$name" "$problem"
}

# absent NAME FILE, holds NAME FILE TEXT
absent() { report "$1" "$([ -e "$2" ] && echo "$2 was written")"; }
holds() { report "$1" "$(grep -qF -- "$3" "$2" || echo "'$3' is not in $2")"; }

linear=$goldens/et-1.4.1/linear
x=$linear/in_0_0.npy
y=$linear/int8_0_0.npy
conv=$goldens/et-1.4.1/conv_3x3
sigmoid=$goldens/et-1.4.1/act_sigmoid

# --- usage ----------------------------------------------------------------------------------------------------------
expect "no command" 2 "A subcommand is required"
expect "unknown command" 2 "" fly
expect "no program" 2 "program is required" run
expect "unknown option" 2 "--speed" run p.pte --speed
expect "unknown target" 2 "--target" run p.pte --target z80
expect "board that is not there" 1 "/dev/none: cannot be opened: No such file or directory; is the board plugged in" \
  run "$source/tests/data/golden/generated/et-1.4.1/linear/int8.pte" \
  --input "$source/tests/data/golden/generated/et-1.4.1/linear/in_0_0.npy" --target /dev/none
expect "board that is a file" 1 "/dev/null: is not a serial port" \
  run "$source/tests/data/golden/generated/et-1.4.1/linear/int8.pte" \
  --input "$source/tests/data/golden/generated/et-1.4.1/linear/in_0_0.npy" --target /dev/null
expect "calls and inputs" 2 "excludes" run p.pte --call forward a.npy --input a.npy
expect "repeat zero" 2 "--repeat" run p.pte --repeat 0
expect "negative tolerance" 2 "--atol" run p.pte --atol -1
expect "help" 0 "--profile" run --help
expect "help of inspect" 0 "--target" inspect --help

# --- files that are none --------------------------------------------------------------------------------------------
expect "program absent" 1 "none.pte: cannot be read: No such file" run none.pte
expect "program is a folder" 1 "is a folder, not a file" run .
printf 'hello, world' > text.pte
expect "program is text" 1 "text.pte: is not an ExecuTorch program (bytes 4 to 7 are not 'ET12')" run text.pte
printf 'xx' > short.pte
expect "program of two bytes" 1 "short.pte: is not an ExecuTorch program: it has only 2 bytes" run short.pte
printf '\020\000\000\000ET99abcdefgh' > other.pte
expect "another format" 1 "format 'ET99'; 'ET12' is the one that is known" run other.pte
head -c 900 "$linear/int8.pte" > cut.pte
expect "program cut short" 1 "cut.pte:" run cut.pte --input "$x"
expect "inspect of a cut program" 1 "cut.pte:" inspect cut.pte
expect "not bundled" 1 "is not a bundled program" run "$linear/int8.pte" --bundled
expect "data file absent" 1 "none.ptd: cannot be read" run "$linear/int8.pte" --input "$x" --data none.ptd
expect "data file is none" 1 "program.pte:" run "$special/external_weights/program.pte" \
  --input "$special/external_weights/in_0_0.npy" --data text.pte
expect "data file forgotten" 1 "program.pte:" run "$special/external_weights/program.pte" \
  --input "$special/external_weights/in_0_0.npy"
expect "needs a backend" 1 "needs backend XnnpackBackend" run "$special/xnnpack_delegate/program.pte" \
  --input "$special/xnnpack_delegate/in_0_0.npy"

# --- inputs and expectations ----------------------------------------------------------------------------------------
expect "method absent" 1 "method 'backward' is not in the program; it has: forward" run "$linear/int8.pte" \
  --method backward
expect "input missing" 1 "method forward takes 1 inputs (float32 [1, 17]), but 0 are given" run "$linear/int8.pte"
expect "input too many" 1 "takes 1 inputs (float32 [1, 17]), but 2 are given" run "$linear/int8.pte" --input "$x" \
  --input "$x"
expect "input absent" 1 "none.npy: cannot be read" run "$linear/int8.pte" --input none.npy
expect "input of another shape" 1 "input 0 of method forward takes float32 [1, 17], but" run "$linear/int8.pte" \
  --input "$y"
expect "input of another type" 1 "holds int64 [3, 4]; save it as float32" run "$linear/int8.pte" \
  --input "$special/int_and_scalar_inputs/in_0_0.npy"
printf 'not an array' > broken.npy
expect "input is no array" 1 "broken.npy: is not a .npy file" run "$linear/int8.pte" --input broken.npy
printf '1234' > four.bin
expect "raw input too short" 1 "four.bin: has 4 bytes, but float32 [1, 17] takes 68" run "$linear/int8.pte" \
  --input four.bin
expect "scalar input is no number" 1 "takes an integer, but 'five' is neither that nor a file" run \
  "$special/int_and_scalar_inputs/program.pte" --input "$special/int_and_scalar_inputs/in_0_0.npy" --input five
expect "scalar input of another value" 1 "exported for another value" run \
  "$special/int_and_scalar_inputs/program.pte" --input "$special/int_and_scalar_inputs/in_0_0.npy" --input 6
expect "expectation absent" 1 "none.npy: cannot be read" run "$linear/int8.pte" --input "$x" --expect none.npy
expect "expectations too many" 1 "has 1 outputs, but 2 expectations are given" run "$linear/int8.pte" --input "$x" \
  --expect "$y" --expect "$y"
expect "expectation of another shape" 1 "is float32 [1, 11], expected float32 [1, 17]" run "$linear/int8.pte" \
  --input "$x" --expect "$x"
expect "expectation not met" 1 "elements differ, the first at [0, 0" run "$sigmoid/int8.pte" \
  --input "$sigmoid/in_0_0.npy" --expect "$sigmoid/in_0_0.npy" --json wrong.json
holds "figures of an unmet expectation" wrong.json '"matches": false'
expect "expectation met within --atol" 0 "as expected" run "$sigmoid/int8.pte" --input "$sigmoid/in_0_0.npy" \
  --expect "$sigmoid/in_0_0.npy" --atol 1000

# --- memory, output -------------------------------------------------------------------------------------------------
expect "arena too small" 1 "bytes are needed, 16 were given" run "$linear/int8.pte" --input "$x" --arena 16
expect "output folder cannot be made" 1 "cannot be made" run "$linear/int8.pte" --input "$x" --output-dir text.pte/out
expect "json cannot be written" 1 "cannot be written" run "$linear/int8.pte" --input "$x" --json none/figures.json
expect "failure writes nothing" 1 "needed" run "$linear/int8.pte" --input "$x" --arena 16 --json no.json \
  --output-dir no
absent "no figures after a failure" no.json
absent "no outputs after a failure" no

# --- what works -----------------------------------------------------------------------------------------------------
expect "run" 0 "as expected" run "$linear/int8.pte" --input "$x" --expect "$y" --output-dir out --json run.json --profile
report "output is as expected" "$(cmp out/output_0.npy "$y" 2>&1)"
for key in target program_bytes arena_bytes stack_bytes load_instructions instructions time_ns outputs operators \
  shape dtype max_abs_error matches index name calls macs output_bytes; do
  holds "run tells $key" run.json "\"$key\":"
done
holds "a linear layer's MACs" run.json '"macs": 187'
need=$(sed -n 's/^  "arena_bytes": \([0-9]*\),/\1/p' run.json)
expect "the arena that it needs is enough" 0 "as expected" run "$linear/int8.pte" --input "$x" --expect "$y" \
  --arena "$need"
expect "one byte less is not" 1 "$need bytes are needed, $((need - 1)) were given" run "$linear/int8.pte" \
  --input "$x" --arena $((need - 1))
tail -c 68 "$x" > raw.bin
tail -c 44 "$y" > raw_y.bin
expect "raw input and expectation" 0 "as expected (raw_y.bin" run "$linear/int8.pte" --input raw.bin --expect raw_y.bin
expect "layout is converted and told" 0 "to logical order" run "$conv/int8.pte" --input "$conv/in_0_0.npy" \
  --expect "$conv/int8_0_0.npy"
expect "several calls keep state" 0 "call 2" run "$special/mutable_buffer/program.pte" \
  --call forward "$special/mutable_buffer/in_0_0.npy" "$special/mutable_buffer/out_0_0.npy" \
  --call forward "$special/mutable_buffer/in_1_0.npy" "$special/mutable_buffer/out_1_0.npy" \
  --call forward "$special/mutable_buffer/in_2_0.npy" "$special/mutable_buffer/out_2_0.npy"
expect "--reset forgets it" 1 "call 1, output 0 of method forward is not as" run "$special/mutable_buffer/program.pte" \
  --reset --call forward "$special/mutable_buffer/in_0_0.npy" "$special/mutable_buffer/out_0_0.npy" \
  --call forward "$special/mutable_buffer/in_1_0.npy" "$special/mutable_buffer/out_1_0.npy"
expect "several methods" 0 "call 2" run "$special/multi_method/program.pte" \
  --call encode "$special/multi_method/in_0_0.npy" "$special/multi_method/out_0_0.npy" \
  --call decode "$special/multi_method/in_1_0.npy" "$special/multi_method/out_1_0.npy" \
  --call version - "$special/multi_method/out_2_0.npy"
expect "scalar input as text" 0 "as expected" run "$special/int_and_scalar_inputs/program.pte" \
  --input "$special/int_and_scalar_inputs/in_0_0.npy" --input 5 \
  --expect "$special/int_and_scalar_inputs/out_0_0.npy" --expect "$special/int_and_scalar_inputs/out_0_1.npy"
expect "bundled test cases" 0 "as expected (test case 1" run "$special/bundled_program/program.bpte" --bundled
expect "weights beside the program" 0 "as expected" run "$special/external_weights/program.pte" \
  --input "$special/external_weights/in_0_0.npy" --expect "$special/external_weights/out_0_0.npy" \
  --data "$special/external_weights/_default_external_constant.ptd"
expect "more rows than the upper bound" 1 "" run "$special/dynamic_batch/program.pte" --input "$x"

# compare
cnn=$source/models/mnist_cnn mnist=$source/models/mnist
expect "help of compare" 0 "--labels" compare --help
expect "compare without data" 2 "--data is required" compare "$cnn/float.pte" "$cnn/int8.pte"
expect "compare" 0 "Ship " compare "$cnn/float.pte" "$cnn/int8.pte" --data "$mnist/test-images-idx3-ubyte.gz" \
  --labels "$mnist/test-labels-idx1-ubyte.gz" --target host --samples 50 --json compare.json --report compare.html
for key in target fp32 int8 outputs recommendation fp32_right live_bytes; do
  holds "compare tells $key" compare.json "\"$key\":"
done
holds "compare's page draws by itself" compare.html "new Chart("
expect "compare of two models" 1 "not the same model" compare "$cnn/float.pte" "$linear/int8.pte" \
  --data "$mnist/test-images-idx3-ubyte.gz" --target host
printf '1\n2\n' > two_labels.txt
expect "compare with labels of another set" 1 "has 2 labels, but" compare "$cnn/float.pte" "$cnn/int8.pte" \
  --data "$mnist/test-images-idx3-ubyte.gz" --labels two_labels.txt --target host
expect "compare with samples of another model" 1 "expected a leading sample axis" compare "$cnn/float.pte" \
  "$cnn/int8.pte" --data "$linear/in_0_0.npy" --target host

expect "inspect" 0 "quantized with scale 0.020376" inspect "$linear/int8.pte" --json inspect.json
for key in methods inputs outputs operators constants_bytes arena_bytes missing_operators dim_order scale zero_point \
  executorch_releases; do
  holds "inspect tells $key" inspect.json "\"$key\":"
done
expect "inspect tells the release" 0 "signatures of release 1.4, 1.5" inspect "$conv/int8.pte"
expect "inspect tells the backend" 0 "XnnpackBackend" inspect "$special/xnnpack_delegate/program.pte"
expect "inspect of one method" 1 "method 'x' is not in the program" inspect "$linear/int8.pte" --method x

# simulate
expect "help of simulate" 0 "--break-on-fault" simulate --help
expect "simulate on another console" 2 "--console" simulate image.uf2 --console tv
expect "simulate input and pseudo-terminal" 2 "excludes" simulate image.uf2 --pty --input text.pte
expect "image absent" 1 "none.uf2: cannot be read: No such file" simulate none.uf2
expect "image is no UF2" 1 "text.pte: is not a UF2" simulate text.pte
head -c 512 /dev/zero > zero.uf2
expect "image with a wrong block" 1 "zero.uf2: UF2 block 0: wrong magic numbers" simulate zero.uf2

# firmware: what is refused before anything is built
mlp=$source/models/mlp
expect "help of firmware" 0 "--weights" firmware --help
expect "firmware without a program" 2 "programs is required" firmware -o a.uf2
expect "firmware without a name" 2 "--output is required" firmware "$mlp/int8.pte"
expect "firmware for another board" 2 "--board" firmware "$mlp/int8.pte" -o a.uf2 --board arduino
expect "firmware with another app" 2 "--app" firmware "$mlp/int8.pte" -o a.uf2 --app chess
expect "firmware of another type" 1 "a.hex: the image's name must end with .uf2, .elf or .bin" firmware "$mlp/int8.pte" \
  -o a.hex
expect "firmware for an emulator as UF2" 1 "an emulated board takes an .elf file" firmware "$mlp/int8.pte" -o a.uf2 \
  --board qemu-m33
expect "firmware of text" 1 "text.pte: is not an ExecuTorch program" firmware text.pte -o a.uf2
expect "firmware of a program cut short" 1 "cut.pte:" firmware cut.pte -o a.uf2
expect "firmware of a wrong signature" 1 "needs one float32 input of 784 pixels and one float32 output of 10 scores" \
  firmware "$linear/int8.pte" -o a.uf2 --app mnist
expect "firmware of a delegated program" 1 "needs backend XnnpackBackend" firmware \
  "$special/xnnpack_delegate/program.pte" -o a.uf2 --app run
expect "firmware with CMSIS-NN from nowhere" 1 "needs --cmsis-nn DIR" firmware "$mlp/int8.pte" -o a.uf2 \
  --kernels cmsis-nn
mkdir -p no-cmsis
expect "firmware with a CMSIS-NN that is none" 1 "no-cmsis: is no CMSIS-NN folder" firmware "$mlp/int8.pte" -o a.uf2 \
  --kernels cmsis-nn --cmsis-nn no-cmsis
mkdir -p half-cmsis/Include && : > half-cmsis/Include/arm_nnfunctions.h
expect "firmware with a CMSIS-NN without library" 1 "half-cmsis: has no library" firmware "$mlp/int8.pte" -o a.uf2 \
  --kernels cmsis-nn --cmsis-nn half-cmsis
head -c 5000000 /dev/zero > zeros
cat "$mlp/int8.pte" zeros > huge.pte
expect "firmware with CMSIS-NN for a core without DSP" 1 "is for boards with the DSP extension" firmware \
  "$mlp/int8.pte" -o a.elf --board qemu-m0plus --kernels cmsis-nn --cmsis-nn no-cmsis
expect "firmware for an emulated second core" 1 "board qemu-m33 has one core" firmware "$mlp/int8.pte" -o a.elf \
  --board qemu-m33 --cores 2
expect "firmware too big for flash" 1 "bytes of flash, pico2 has 4,194,304" firmware huge.pte -o a.uf2 --app run
head -c 600000 /dev/zero > zeros
cat "$mlp/int8.pte" zeros > big.pte
expect "firmware too big for SRAM" 1 "bytes of SRAM, pico2 has 532,480" firmware big.pte -o a.uf2 --app run \
  --weights sram
absent "no image of what was refused" a.uf2
ARM_TOOLCHAIN_PATH=$work/no-cmsis
export ARM_TOOLCHAIN_PATH
expect "firmware without a compiler" 1 "ARM_TOOLCHAIN_PATH is set to this, but neither it nor its bin/ has" \
  firmware "$mlp/int8.pte" -o a.uf2
unset ARM_TOOLCHAIN_PATH

# firmware: what is built
if command -v arm-none-eabi-g++ > /dev/null && [ -e "$(dirname "$wick")/lib/wick/kits/pico2" ]; then
  rm -rf images
  head -c 3136 /dev/zero > picture.bin
  expect "firmware" 0 "cp mnist.uf2 /media" firmware "$mlp/float.pte" "$mlp/int8.pte" -o mnist.uf2 --build-dir images \
    --json mnist.json
  holds "firmware tells its flash" mnist.json '"flash_bytes_without_programs":'
  expect "the same again" 0 "(nothing had changed)" firmware "$mlp/float.pte" "$mlp/int8.pte" -o mnist.uf2 \
    --build-dir images
  expect "other options" 0 "weights in sram" firmware "$mlp/float.pte" "$mlp/int8.pte" -o sram.uf2 --build-dir images \
    --weights sram --kernel-code sram
  expect "the first again" 0 "(nothing had changed)" firmware "$mlp/float.pte" "$mlp/int8.pte" -o mnist.uf2 \
    --build-dir images
  expect "the demo runs on the simulated board" 0 "GPIO25: 10 x 500 ms" simulate mnist.uf2
  sed 's/,.*CRC/, CRC/' stdout | grep 'says [0-9]' > flash.txt
  expect "and from SRAM" 0 "GPIO25: 10 x 500 ms" simulate sram.uf2
  sed 's/,.*CRC/, CRC/' stdout | grep 'says [0-9]' > sram.txt
  report "scores do not depend on where weights are" "$(cmp flash.txt sram.txt 2>&1)"
  report "four digits, two programs" "$([ "$(wc -l < flash.txt)" -eq 8 ] || echo "$(wc -l < flash.txt) lines")"
  expect "the demo runs with nobody at the port" 0 "GPIO25: 10 x 500 ms" simulate mnist.uf2 --unplugged
  holds "and says so" stdout "nobody on USB"
  # The same scores to the bit: INT8 as on the host, FP32 as on the emulated core, whose FPU fuses, too.
  scores_crc() {
    "$wick" run "$1" --target "$2" --input glyph.bin --output-dir scores > /dev/null &&
      tail -c 40 scores/output_0.npy | gzip -c | tail -c 8 | od -An -tx4 | cut -c 2-9
  }
  printf "$(tr -d '\n' < "$source/examples/mnist/glyphs/7.txt" |
    sed 's/#/\\000\\000\\200\\077/g; s/\./\\000\\000\\000\\000/g')" > glyph.bin
  report "INT8 scores are the host's" "$(tail -n 1 flash.txt | grep -q "INT8.* $(scores_crc "$mlp/int8.pte" host)$" ||
    tail -n 1 flash.txt)"
  expect "benchmark" 0 "app bench" firmware "$mlp/int8.pte" -o bench.bin --app bench --build-dir images
  expect "image with all operators" 0 "all of wick's" firmware "$mlp/int8.pte" -o all.elf --app run --operators all \
    --build-dir images --json all.json
  expect "image with selected operators" 0 "operators     3:" firmware "$mlp/int8.pte" -o selected.elf --app run \
    --build-dir images --json selected.json
  flash_of() { sed -n 's/.*"flash_bytes": *\([0-9]*\).*/\1/p' "$1"; }
  # The image that is flashed serves `wick run` over its serial port, here a simulated board's.
  expect "runner for the MLP" 0 "app run" firmware "$mlp/int8.pte" -o run.uf2 --app run --build-dir images
  start_board() {
    rm -f port.txt
    "$wick" simulate run.uf2 --pty --console usb --timeout-ms 10000000 --idle-ms 10000000 > port.txt 2>&1 &
    board=$!
    for _ in 1 2 3 4 5 6 7 8 9 10; do [ -s port.txt ] || sleep 0.2; done
    port=$(head -n 1 port.txt)
  }
  start_board
  expect "a board runs the program that it holds" 0 "us at 150 MHz" run "$mlp/int8.pte" --input picture.bin \
    --target "$port" --profile --json board.json
  holds "a board counts cycles" board.json '"microseconds":'
  wait $board
  start_board
  expect "a board names an operator that its image lacks" 1 "cortex_m::quantized_conv2d" run "$conv/int8.pte" \
    --input "$conv/in_0_0.npy" --target "$port"
  wait $board
  start_board
  expect "a board's brief error is told in full" 1 "bytes are needed, 16 were given" run "$mlp/int8.pte" \
    --input picture.bin --target "$port" --arena 16
  wait $board
  # A stand-in for CMSIS-NN: its interface for linear layers, with the arithmetic written out.
  mkdir -p stand-in/Include stand-in/lib
  cp "$source/tests/cli/stand_in_nnfunctions.h" stand-in/Include/arm_nnfunctions.h
  arm-none-eabi-gcc -mcpu=cortex-m33 -mfloat-abi=hard -mthumb -O1 -ffunction-sections -Istand-in/Include \
    -c "$source/tests/cli/stand_in_nnfunctions.c" -o stand-in/functions.o &&
    arm-none-eabi-ar rcs stand-in/lib/libcmsis-nn.a stand-in/functions.o
  expect "firmware with another's kernels" 0 "kernels cmsis-nn" firmware "$mlp/float.pte" "$mlp/int8.pte" -o theirs.uf2 \
    --build-dir images --kernels cmsis-nn --cmsis-nn stand-in
  expect "the demo runs with another's kernels" 0 "GPIO25: 10 x 500 ms" simulate theirs.uf2
  sed 's/,.*CRC/, CRC/' stdout | grep 'says [0-9]' > theirs.txt
  report "the scores are the same" "$(cmp flash.txt theirs.txt 2>&1)"
  expect "both cores" 0 "both cores" firmware "$mlp/float.pte" "$mlp/int8.pte" -o both.uf2 --build-dir images --cores 2
  expect "the demo runs on both cores" 0 "core 1:" simulate both.uf2
  sed 's/,.*CRC/, CRC/' stdout | grep 'says [0-9]' > both.txt
  report "the scores are the same on both cores" "$(cmp flash.txt both.txt 2>&1)"
  for cores in 1 2; do
    expect "convolutions on $cores" 0 "mnist_cnn" firmware "$cnn/float.pte" "$cnn/int8.pte" -o cnn$cores.uf2 \
      --build-dir images --cores $cores
    expect "the demo's convolutions on $cores" 0 "GPIO25: 10 x 500 ms" simulate cnn$cores.uf2
    sed 's/,.*CRC/, CRC/' stdout | grep 'says [0-9]' > cnn$cores.txt
  done
  report "convolutions give the same on both cores" "$(cmp cnn1.txt cnn2.txt 2>&1)"
  report "selected is smaller than all" \
    "$([ "$(flash_of selected.json)" -lt "$(flash_of all.json)" ] || echo "$(flash_of selected.json) bytes")"
else
  echo "cli: no arm-none-eabi-g++ or no kit: firmware is not built"
fi

echo "cli: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
