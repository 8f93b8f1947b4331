// SPDX-License-Identifier: MIT
// PEM files of a test, in a folder that goes with it, and a listener of a configuration that names
// them. One thread.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "client/certificate.h"
#include "config/config.h"

namespace quipd::test {

class TlsFiles {
 public:
  TlsFiles() {
    std::string name = std::filesystem::temp_directory_path() / "quipd-tls-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~TlsFiles() { std::filesystem::remove_all(folder_); }
  TlsFiles(const TlsFiles&) = delete;
  TlsFiles& operator=(const TlsFiles&) = delete;

  [[nodiscard]] std::string Path(const std::string& name) const { return folder_ / name; }
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
    return Path(name);
  }

  // A pair of files "NAME.pem" and "NAME.key".
  config::TlsPair Add(const std::string& name, const Certificate& pair) const {
    return {Write(name + ".pem", pair.certificate), Write(name + ".key", pair.key), {}, {}};
  }
  config::TlsPair Add(const std::string& name, const CertificateSetup& setup) const {
    return Add(name, MakeCertificate(setup));
  }

 private:
  std::filesystem::path folder_;
};

inline config::Listener ListenerWith(std::vector<config::TlsPair> pairs) {
  config::Listener listener;
  listener.tls = std::move(pairs);
  return listener;
}

}  // namespace quipd::test
