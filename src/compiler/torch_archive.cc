#include "compiler/torch_archive.h"

#include "compiler/torch_json.h"
#include "compiler/torch_pickle.h"
#include "files/failure.h"

namespace wick::compiler {

namespace {

constexpr const char* kOldProgram = "serialized_exported_program.json";

std::string text_of(const files::Bytes& bytes) {
  std::string text(bytes.begin(), bytes.end());
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string description(const StridedTensor& tensor) {
  std::string text = std::to_string(static_cast<int>(tensor.dtype)) + "@" + std::to_string(tensor.offset);
  for (const auto* list : {&tensor.sizes, &tensor.strides}) {
    text += ":";
    for (const int64_t number : *list) text += std::to_string(number) + ",";
  }
  return text;
}

}  // namespace

TorchArchive::TorchArchive(const std::filesystem::path& path) : path_(path.string()), zip_(path) {
  find_layout();
  try {
    read_tensors();
  } catch (const Json::exception& error) {
    files::fail(path_, ": the list of weights is malformed (", error.what(), "); export the model again");
  }
}

void TorchArchive::find_layout() {
  if (zip_.has(kOldProgram)) {
    old_layout_ = true;
    program_ = kOldProgram;
    return;
  }
  if (zip_.entries().empty()) files::fail(path_, ": is an empty archive");
  const std::string& first = zip_.entries()[0];
  top_ = first.substr(0, first.find('/') + 1);
  if (!zip_.has(top_ + "archive_format") || text_of(zip_.read(top_ + "archive_format")) != "pt2") {
    files::fail(path_, ": is no torch.export archive; save the model with torch.export.save(torch.export.export(...))");
  }
  if (zip_.has(top_ + "byteorder") && text_of(zip_.read(top_ + "byteorder")) != "little") {
    files::fail(path_, ": was written on a big-endian machine, which is not supported");
  }
  program_ = top_ + "models/model.json";
  if (zip_.has(program_)) return;
  const std::string* other = entry_below("models/", ".json");
  if (other == nullptr) files::fail(path_, ": holds no exported program (models/*.json)");
  program_ = *other;
}

// The first entry in a folder with that ending.
const std::string* TorchArchive::entry_below(const std::string& folder, const std::string& suffix) const {
  for (const std::string& entry : zip_.entries()) {
    if (entry.starts_with(top_ + folder) && entry.ends_with(suffix)) return &entry;
  }
  return nullptr;
}

std::string TorchArchive::program_json() const {
  const files::Bytes bytes = zip_.read(program_);
  return {bytes.begin(), bytes.end()};
}

void TorchArchive::read_tensors() {
  if (old_layout_) {
    for (const char* entry : {"serialized_state_dict.pt", "serialized_constants.pt"}) {
      if (zip_.has(entry)) read_state_dict(entry);
    }
    return;
  }
  for (const char* folder : {"data/weights/", "data/constants/"}) {
    if (const std::string* entry = entry_below(folder, ".pt")) {
      read_state_dict(*entry);
    } else if (const std::string* config = entry_below(folder, "_config.json")) {
      read_config(folder, *config);
    }
  }
}

void TorchArchive::read_config(const std::string& folder, const std::string& config) {
  const Json json = parse_json(zip_.read(config), path_ + ": " + config);
  for (const auto& [name, entry] : json.at("config").items()) {
    Payload payload;
    payload.entry = top_ + folder + entry.at("path_name").get<std::string>();
    if (entry.at("use_pickle").get<bool>() || !has(entry, "tensor_meta")) {
      payload.refusal = "is a tensor subclass or an object, which is not supported; export plain tensors";
    } else {
      payload.tensor = static_tensor(entry.at("tensor_meta"));
    }
    payloads_[name] = std::move(payload);
  }
}

void TorchArchive::read_state_dict(const std::string& entry) {
  const std::string name = path_ + ": " + entry;
  nested_bytes_.push_back(std::make_unique<files::Bytes>(zip_.read(entry)));
  nested_.push_back(std::make_unique<files::ZipReader>(*nested_bytes_.back(), name));
  const files::ZipReader* nested = nested_.back().get();
  std::string pickle;
  for (const std::string& inner : nested->entries()) {
    if (inner.ends_with("data.pkl")) pickle = inner;
  }
  if (pickle.empty()) files::fail(name, ": has no data.pkl");
  const std::string folder = pickle.substr(0, pickle.size() - std::string("data.pkl").size());
  for (const auto& [tensor_name, tensor] : read_pickled_tensors(nested->read(pickle), name)) {
    payloads_[tensor_name] = {folder + "data/" + tensor.storage, nested, tensor.tensor, ""};
  }
}

std::shared_ptr<const files::Array> TorchArchive::find_tensor(const std::string& name) {
  const auto found = payloads_.find(name);
  if (found == payloads_.end()) return nullptr;
  const Payload& payload = found->second;
  if (!payload.refusal.empty()) files::fail(path_, ": ", name, " ", payload.refusal);
  const std::string place = (payload.nested == nullptr ? "" : "nested ") + payload.entry;
  std::shared_ptr<const files::Array>& array = arrays_[place + description(payload.tensor)];
  if (array == nullptr) {
    const files::ZipReader& archive = payload.nested == nullptr ? zip_ : *payload.nested;
    const auto [storage, missing] = storages_.try_emplace(place);
    if (missing) storage->second = archive.read(payload.entry);
    array = std::make_shared<const files::Array>(dense(storage->second, payload.tensor, path_ + ": " + name));
  }
  return array;
}

}  // namespace wick::compiler
