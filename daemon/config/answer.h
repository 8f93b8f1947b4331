// SPDX-License-Identifier: MIT
// The payload of an action, of a rule or of an entry of `errors`: checked, turned into what is
// sent, its placeholders compiled. Files are read here, directories looked at.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/options.h"
#include "config/reader.h"

namespace quipd::config {

struct AnswerReader {
  Reader& reader;
  uint64_t inline_file;              // limits.inline_file
  std::vector<std::string>* inputs;  // takes the files that were read
  bool in_errors = false;            // of an entry of `errors`, which is always held in memory

  // Reads the payload into `answer`, whose action and options are set. `parameters` are those of
  // the path.
  void ReadPayload(const Value& payload, std::span<const std::string_view> parameters,
                   Representation* answer) const;

  // Checks that the fallback of a dir is there. `own` are the options beside the rule.
  void CheckFallback(const OwnOptions& own, const Representation& answer) const;

  // Compiles the placeholders of the headers. `key` is where what is inherited is at fault.
  void ReadHeaderPieces(const Value& key, std::span<const std::string_view> parameters,
                        const OwnOptions& own, Options* options) const;

 private:
  void ReadBody(const Value& payload, Representation* answer) const;
  void ReadJson(const Value& payload, Representation* answer) const;
  bool ReadPath(const Value& payload, Representation* answer) const;
  void ReadFilePayload(const Value& payload, Representation* answer) const;
  void TakeLarge(const Value& payload, uint64_t size, Representation* answer) const;
  void ReadDir(const Value& payload, Representation* answer) const;
  void ReadTarget(const Value& payload, std::span<const std::string_view> parameters,
                  Representation* answer) const;
  void ReadStatus(const Value& payload, Representation* answer) const;
  void ReadWord(const Value& payload, std::string_view one, std::string_view other,
                Representation* answer) const;
  void ReadPieces(const Value& payload, std::span<const std::string_view> parameters,
                  Representation* answer) const;
};

}  // namespace quipd::config
