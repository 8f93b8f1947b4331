// SPDX-License-Identifier: MIT
// Makes what each rule answers: finished responses with their codings, templates, errors, files.
// Fills the Site::Impl that it is given. Used while a Site is compiled only; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "config/config.h"
#include "site/compose.h"
#include "site/response_store.h"
#include "site/site_impl.h"
#include "site/table_builder.h"

namespace quipd::site {

class TargetMaker final : public TargetSource {
 public:
  // `previous` may be null: the Site whose codings are taken over.
  TargetMaker(Site::Impl* impl, ResponseStore* responses, const Site* previous);

  Target TargetWithLeaf(uint32_t rule, std::string_view path, Leaf** leaf) override;
  Target TargetOf(uint32_t rule) override;

  // As in Compiled.
  [[nodiscard]] size_t bodies_coded() const { return bodies_coded_; }
  [[nodiscard]] size_t codings_kept() const { return codings_kept_; }

 private:
  struct Finished {
    CompiledTemplate composed;
    Traits traits;
  };

  [[nodiscard]] bool IsTakenOften(const config::Rule& rule) const;
  Target NewTarget(uint32_t rule);
  void MakeFiles(uint32_t rule, Target* target);
  void MakeFixed(const config::Rule& rule, Target* target);
  [[nodiscard]] Finished Finish(const config::Rule& rule);
  const Variants* VariantsOf(const Composition& identity);
  Response Variant(Composition identity, http::Coding coding, std::string_view coded);
  uint32_t ErrorOf(const config::Rule& rule, uint16_t status);

  Site::Impl& impl_;
  ResponseStore& responses_;
  const CodedBodies* previous_;
  std::unordered_map<uint32_t, Target> targets_;  // of rules that may be asked for again
  std::map<RuleError, uint32_t> error_numbers_;
  size_t bodies_coded_ = 0;
  size_t codings_kept_ = 0;
};

}  // namespace quipd::site
