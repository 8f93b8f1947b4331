// SPDX-License-Identifier: MIT
// What a directory holds, as a page for people or as JSON for programs. Names are shown as text,
// whatever bytes they have, and linked so that the link asks for those bytes. Only what would be
// served is listed. One thread; allocates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "server/open_file.h"

namespace quipd::server {

struct ListedFile {
  std::string name;
  bool is_directory = false;
  uint64_t size = 0;    // of a file
  int64_t seconds = 0;  // of its last change, since 1970
};

struct Listing {
  static constexpr size_t kMost = 10'000;  // entries; the rest is left out

  std::vector<ListedFile> files;  // directories first, then by their bytes
  bool is_cut = false;
  int error = 0;  // errno, where it could not be read
};

// Reads a directory that was opened at `name` of the folder; `name` ends in '/' or is empty.
[[nodiscard]] Listing ReadListing(Folder* folder, std::string_view name, FileDescriptor directory,
                                  bool dotfiles);

// Appends a page for the directory at the canonical `path`; with `has_parent` it links to the one
// above.
void AppendHtmlListing(const Listing& listing, std::string_view path, bool has_parent,
                       std::string* out);

// Appends [{"name":"a.txt","type":"file","size":5,"modified":"2026-01-31T12:00:00Z"}, ...]; of a
// "directory" without size.
void AppendJsonListing(const Listing& listing, std::string* out);

}  // namespace quipd::server
