#include "files/npy.h"

#include <doctest.h>

#include <cstring>

#include "files/failure.h"

using namespace wick;
using namespace wick::files;

namespace {

// A .npy file of version 1 with this dictionary and these bytes of data.
Bytes npy(const std::string& dictionary, size_t data_bytes, uint8_t major = 1) {
  const std::string header = dictionary + "\n";
  std::string file = "\x93NUMPY";
  file += static_cast<char>(major);
  file += '\0';
  for (size_t i = 0; i < (major == 1 ? 2u : 4u); ++i) file += static_cast<char>(header.size() >> (8 * i));
  file += header;
  file.append(data_bytes, '\x01');
  return Bytes(file.begin(), file.end());
}

std::string failure_of(const Bytes& bytes) {
  try {
    (void)parse_npy(bytes, "x.npy");
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("Npy gives back what was written, for every dtype and rank") {
  for (const DType dtype :
       {DType::kUInt8, DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kFloat16, DType::kFloat32,
        DType::kFloat64, DType::kBool, DType::kBFloat16, DType::kUInt16, DType::kUInt32, DType::kUInt64}) {
    for (const std::vector<int32_t>& sizes :
         {std::vector<int32_t>{}, {3}, {2, 3}, {1, 2, 3, 4}, {0, 4}, {2, 1, 2, 1, 2, 1}}) {
      CAPTURE(dtype_name(dtype));
      CAPTURE(sizes.size());
      Array array{dtype, sizes, {}};
      size_t bytes = dtype_bytes(dtype);
      for (const int32_t size : sizes) bytes *= static_cast<size_t>(size);
      for (size_t i = 0; i < bytes; ++i) array.bytes.push_back(static_cast<uint8_t>(i % 2));
      const Bytes file = format_npy(array);
      // NumPy wants the data at a multiple of 64.
      CHECK((file.size() - bytes) % 64 == 0);
      const Array back = parse_npy(file, "x.npy");
      CHECK(back.dtype == array.dtype);
      CHECK(back.sizes == array.sizes);
      CHECK(back.bytes == array.bytes);
    }
  }
}

TEST_CASE("Npy reads versions 1 to 3 and the header's keys in any order") {
  const std::string dictionary = "{'shape': (2, 3,), 'fortran_order': False, 'descr': '<f4'}";
  for (const uint8_t major : {1, 2, 3}) {
    const Array array = parse_npy(npy(dictionary, 24, major), "x.npy");
    CHECK(array.dtype == DType::kFloat32);
    CHECK(array.sizes == std::vector<int32_t>{2, 3});
  }
}

TEST_CASE("Npy refuses with the file's name and the reason") {
  const auto dictionary = [](const std::string& descr, const std::string& order, const std::string& shape) {
    return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  };
  CHECK(failure_of({'P', 'K', 3, 4}) == "x.npy: is not a .npy file");
  CHECK(failure_of(npy(dictionary("'<f4'", "True", "(2, 3)"), 24)) ==
        "x.npy: is in Fortran order; save it with numpy.save(file, numpy.ascontiguousarray(array))");
  CHECK(failure_of(npy(dictionary("'>f4'", "False", "(2,)"), 8)) ==
        "x.npy: holds big-endian numbers ('>f4'); save it with .astype('<f4')");
  CHECK(failure_of(npy(dictionary("'<c8'", "False", "(2,)"), 16)) ==
        "x.npy: holds elements of NumPy type '<c8', which programs cannot use");
  CHECK(failure_of(npy(dictionary("[('a', '<f4')]", "False", "(2,)"), 8)) == "x.npy: holds records, not plain numbers");
  CHECK(failure_of(npy(dictionary("'<f4'", "False", "(2, 3)"), 20)) ==
        "x.npy: holds 20 bytes of data, but float32 [2, 3] takes 24");
  CHECK(failure_of(npy(dictionary("'<f4'", "False", "(2147483648,)"), 4)) ==
        "x.npy: a dimension of the array is larger than 2147483647");
  CHECK(
      failure_of(npy(dictionary("'<f4'", "False", "(2147483647, 2147483647, 2147483647)"), 4)).find("more than any") !=
      std::string::npos);
  CHECK(failure_of(npy(dictionary("'<f4'", "False", "(2,"), 8)) == "x.npy: .npy header is damaged");
  CHECK(failure_of(npy("{'descr': '<f4'}", 8)) == "x.npy: .npy header is damaged");
  CHECK(failure_of(npy(dictionary("'<f4'", "False", "(2,)"), 8, 4)) ==
        "x.npy: .npy version 4 is not known (1 to 3 are)");
  // Cut anywhere, it is refused and nothing is read beyond the end.
  const Bytes whole = npy(dictionary("'<f4'", "False", "(2,)"), 8);
  for (size_t size = 0; size < whole.size(); ++size) {
    CHECK(failure_of(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))) != "none");
  }
}
