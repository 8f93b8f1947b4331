// SPDX-License-Identifier: MIT
// What stands below a directory, and what of it is opened under each policy.
#include "server/open_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/fsuid.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <string>

#include "unit/server/temp_tree.h"

namespace quipd::server {
namespace {

using config::Symlinks;
using Kind = FileState::Kind;

std::string TextOf(const FileDescriptor& file) {
  char bytes[64];
  const ssize_t size = read(file.get(), bytes, sizeof bytes);
  return {bytes, size > 0 ? static_cast<size_t>(size) : 0};
}

// "kind" or, of a file, what it holds.
std::string Opened(Folder* folder, std::string_view name) {
  FileDescriptor file;
  const FileState state = folder->Open(name, &file);
  EXPECT_EQ(static_cast<bool>(file), state.kind == Kind::kFile);
  switch (state.kind) {
    case Kind::kMissing:
      return "missing";
    case Kind::kDirectory:
      return "directory";
    case Kind::kFault:
      return "fault " + std::to_string(state.error);
    case Kind::kFile:
      break;
  }
  return TextOf(file);
}

TEST(OpenFile, LinksAreFollowedAsThePolicySays) {
  const TempTree tree;
  tree.File("secret", "secret");
  tree.File("outside/x", "outside");
  tree.File("www/a", "a");
  tree.File("www/sub/b", "b");
  tree.File("www/..data/c", "c");
  tree.Link("www/to_a", "a");
  tree.Link("www/sub/up", "../a");
  tree.Link("www/to_sub", "sub");
  tree.Link("www/c", "..data/c");
  tree.Link("www/absolute", tree.At("www/a"));
  tree.Link("www/out", "../secret");
  tree.Link("www/out_dir", "../outside");
  tree.Link("www/out_and_in", "../www/a");
  tree.Link("www/dangling", "nothing");
  tree.Link("www/loop", "loop");
  tree.Link("www/magic", "/proc/self/cwd");
  struct Case {
    const char* name;
    const char* off;
    const char* inside;
    const char* anywhere;
  };
  const Case cases[] = {
      {"a", "a", "a", "a"},
      {"sub/b", "b", "b", "b"},
      {"..data/c", "c", "c", "c"},
      {"sub", "directory", "directory", "directory"},
      {"", "directory", "directory", "directory"},
      {"sub/", "directory", "directory", "directory"},
      {"none", "missing", "missing", "missing"},
      {"a/", "missing", "missing", "missing"},
      {"a/b", "missing", "missing", "missing"},
      {"to_a", "missing", "a", "a"},
      {"sub/up", "missing", "a", "a"},
      {"to_sub/b", "missing", "b", "b"},
      {"c", "missing", "c", "c"},
      {"absolute", "missing", "missing", "a"},
      {"out", "missing", "missing", "secret"},
      {"out_dir/x", "missing", "missing", "outside"},
      {"out_and_in", "missing", "missing", "a"},
      {"dangling", "missing", "missing", "missing"},
      {"loop", "missing", "missing", "missing"},
  };
  Folder off(tree.At("www"), Symlinks::kOff);
  Folder inside(tree.At("www"), Symlinks::kInside);
  Folder anywhere(tree.At("www"), Symlinks::kAnywhere);
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    EXPECT_EQ(Opened(&off, one.name), one.off);
    EXPECT_EQ(Opened(&inside, one.name), one.inside);
    EXPECT_EQ(Opened(&anywhere, one.name), one.anywhere);
  }
  for (Folder* folder : {&off, &inside, &anywhere}) {
    EXPECT_EQ(folder->Find("magic").kind, Kind::kMissing);
    EXPECT_EQ(folder->Find("sub").kind, Kind::kDirectory);
    EXPECT_EQ(folder->Find("out_dir").kind,
              folder == &anywhere ? Kind::kDirectory : Kind::kMissing);
    EXPECT_EQ(Opened(folder, std::string(300, 'n')), "missing");
    EXPECT_EQ(Opened(folder, std::string(5000, 'n')), "missing");
  }
}

// No policy hides `..`: canonical paths have none, and were there one, it would not lead out.
TEST(OpenFile, DotSegmentsDontLeadOut) {
  const TempTree tree;
  tree.File("secret", "secret");
  tree.File("www/a", "a");
  for (const Symlinks links : {Symlinks::kOff, Symlinks::kInside}) {
    Folder folder(tree.At("www"), links);
    EXPECT_EQ(Opened(&folder, "../secret"), "missing");
    EXPECT_EQ(Opened(&folder, "/etc/passwd"), "missing");
  }
}

TEST(OpenFile, AnyByteMayBeInAName) {
  const TempTree tree;
  const std::string names[] = {
      "a b",           "\"quotes\" '", "100%",        "<b>",  "\xC3\xA4\xE2\x82\xAC",
      "line\nbreak\r", "\xFF\xFE",     "back\\slash", "\x01", "?#&;:"};
  Folder folder(tree.path(), Symlinks::kInside);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    tree.File(name, "text");
    EXPECT_EQ(Opened(&folder, name), "text");
  }
}

// Opening a FIFO would let its writer go on, opening a device may do anything.
TEST(OpenFile, WhatIsNoFileIsNeverOpened) {
  const TempTree tree;
  tree.Fifo("fifo");
  tree.Link("to_fifo", "fifo");
  const FileDescriptor socket_file(socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  tree.At("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(socket_file.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const FileDescriptor watch(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  for (const char* name : {"fifo", "socket"}) {
    ASSERT_GE(inotify_add_watch(watch.get(), tree.At(name).c_str(), IN_OPEN), 0) << name;
  }
  for (const Symlinks links : {Symlinks::kOff, Symlinks::kInside, Symlinks::kAnywhere}) {
    Folder folder(tree.path(), links);
    for (const char* name : {"fifo", "to_fifo", "socket"}) {
      SCOPED_TRACE(name);
      EXPECT_EQ(Opened(&folder, name), "missing");
      EXPECT_EQ(folder.Find(name).kind, Kind::kMissing);
      FileDescriptor directory;
      EXPECT_EQ(folder.OpenDirectory(name, &directory).kind, Kind::kMissing);
    }
  }
  FileDescriptor file;
  EXPECT_EQ(OpenFile(tree.At("fifo"), &file).kind, Kind::kMissing);
  EXPECT_EQ(OpenFile("/dev/null", &file).kind, Kind::kMissing);
  char event[512];
  EXPECT_EQ(read(watch.get(), event, sizeof event), -1);
  EXPECT_EQ(errno, EAGAIN);
}

TEST(OpenFile, FolderThatIsSwappedIsSeenAtOnce) {
  const TempTree tree;
  tree.File("one/a", "old");
  tree.File("one/gone", "gone");
  tree.File("two/a", "new");
  tree.File("two/came", "came");
  tree.Link("current", "one");
  tree.Link("next", "two");
  for (const Symlinks links : {Symlinks::kInside, Symlinks::kAnywhere}) {
    Folder linked(tree.At("current"), links);
    EXPECT_EQ(Opened(&linked, "a"), "old");
    tree.Rename("next", "current");
    EXPECT_EQ(Opened(&linked, "a"), "new");
    EXPECT_EQ(Opened(&linked, "gone"), "missing");
    EXPECT_EQ(Opened(&linked, "came"), "came");
    EXPECT_EQ(linked.Find("came").kind, Kind::kFile);
    tree.Rename("current", "next");
    tree.Link("current", "one");
  }
  // The directory itself, renamed away and made anew.
  Folder folder(tree.At("one"), Symlinks::kInside);
  EXPECT_EQ(Opened(&folder, "a"), "old");
  tree.Rename("one", "was_one");
  EXPECT_EQ(Opened(&folder, "a"), "missing");
  tree.File("one/a", "fresh");
  EXPECT_EQ(Opened(&folder, "a"), "fresh");
  FileDescriptor directory;
  EXPECT_EQ(folder.OpenDirectory("", &directory).kind, Kind::kDirectory);
  EXPECT_EQ(faccessat(directory.get(), "gone", F_OK, 0), -1);
}

TEST(OpenFile, RelativeFolderIsOfTheProcess) {
  const TempTree tree;
  tree.File("www/a", "a");
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(tree.path());
  Folder folder("www", Symlinks::kInside);
  EXPECT_EQ(Opened(&folder, "a"), "a");
  FileDescriptor file;
  EXPECT_EQ(OpenFile("www/a", &file).kind, Kind::kFile);
  std::filesystem::current_path(before);
}

TEST(OpenFile, StateIsOfTheFile) {
  const TempTree tree;
  tree.File("a", "12345");
  tree.Date("a", 1'600'000'001, 123'456'789);
  Folder folder(tree.path(), Symlinks::kInside);
  FileDescriptor file;
  for (const FileState& state : {folder.Look("a"), folder.Find("a"), folder.Open("a", &file),
                                 OpenFile(tree.At("a"), &file)}) {
    EXPECT_EQ(state.kind, Kind::kFile);
    EXPECT_EQ(state.size, 5u);
    EXPECT_EQ(state.seconds, 1'600'000'001);
    EXPECT_EQ(state.nanoseconds, 123'456'789u);
  }
}

// A missing right is a fault of the system, not a missing file.
TEST(OpenFile, WhatTheSystemRefusesIsAFault) {
  const TempTree tree;
  tree.File("closed/a", "a");
  tree.File("unreadable", "u");
  ASSERT_EQ(chmod(tree.At("closed").c_str(), 0700), 0);
  ASSERT_EQ(chmod(tree.At("unreadable").c_str(), 0), 0);
  const int before = setfsuid(65534);  // takes root's right to open all, of this thread
  Folder folder(tree.path(), Symlinks::kInside);
  FileDescriptor file;
  EXPECT_EQ(Opened(&folder, "closed/a"), "fault " + std::to_string(EACCES));
  EXPECT_EQ(Opened(&folder, "unreadable"), "fault " + std::to_string(EACCES));
  EXPECT_EQ(OpenFile(tree.At("unreadable"), &file).kind, Kind::kFault);
  EXPECT_EQ(folder.OpenDirectory("closed", &file).kind, Kind::kFault);
  setfsuid(static_cast<uid_t>(before));
}

}  // namespace
}  // namespace quipd::server
