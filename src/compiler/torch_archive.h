// The files inside a .pt2 that torch.export.save wrote, in both layouts: the program's JSON text, and tensors by
// their name in the model. Knows zip entries, payload configurations and storages; refuses to know what the program
// says. Throws Failure naming the file.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "compiler/strided.h"
#include "files/zip.h"

namespace wick::compiler {

class TorchArchive {
 public:
  explicit TorchArchive(const std::filesystem::path& path);

  const std::string& path() const { return path_; }
  // What the archive's program is, as JSON.
  std::string program_json() const;
  // Parameters and persistent buffers, and constants and other buffers: with strides applied. Tensors that share
  // their bytes and say the same of them share the array. Null where there is none of that name.
  std::shared_ptr<const files::Array> find_tensor(const std::string& name);

 private:
  struct Payload {
    std::string entry;  // in the archive; of a nested archive where `nested` is set
    const files::ZipReader* nested = nullptr;
    StridedTensor tensor;
    std::string refusal;  // why it cannot be read
  };
  void find_layout();
  void read_config(const std::string& folder, const std::string& config);
  void read_state_dict(const std::string& entry);
  void read_tensors();
  const std::string* entry_below(const std::string& folder, const std::string& suffix) const;

  std::string path_;
  files::ZipReader zip_;
  std::string top_;  // folder with a slash, or empty
  bool old_layout_ = false;
  std::string program_;
  std::map<std::string, Payload> payloads_;
  std::map<std::string, std::shared_ptr<const files::Array>> arrays_;  // by entry and what is said of it
  std::map<std::string, files::Bytes> storages_;
  std::vector<std::unique_ptr<files::Bytes>> nested_bytes_;
  std::vector<std::unique_ptr<files::ZipReader>> nested_;
};

}  // namespace wick::compiler
