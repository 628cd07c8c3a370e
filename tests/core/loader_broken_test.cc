// Broken plugins. Each is quarantined with its own reason, and the good plugin beside it works.
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "sandbox.h"

namespace tenon_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class BrokenPlugin : public ::testing::Test {
 protected:
  void SetUp() override { box.plugin("good", "good", "[[interface]]\nname = \"test.good\"\n"); }

  // Loads plugin `bad` and expects to be told `reason`, twice the same; then looks at the good one.
  void expect_reason(const std::string& reason, const std::string& bad = "bad") {
    const auto answers = box.run({{"load", bad},
                                  {"load", bad},
                                  {"state", bad},
                                  {"interface", "test.good", "1"},
                                  {"interface", "test.broken", "1"},
                                  {"device", "test_broken"}});
    ASSERT_EQ(answers.size(), 6u) << answers.back();
    EXPECT_THAT(answers[0], AllOf(StartsWith("error "), HasSubstr(reason)));
    EXPECT_EQ(answers[1], answers[0]);
    EXPECT_THAT(answers[2], AllOf(StartsWith("ok quarantined: "), HasSubstr(reason)));
    EXPECT_EQ(answers[3], "ok 42 unlayered");
    EXPECT_THAT(answers[4], StartsWith("error ")) << "an interface of a failed entry remains";
    EXPECT_THAT(answers[5], StartsWith("error ")) << "a device of a failed entry remains";
    EXPECT_THAT(box.errors(), HasSubstr("plugin " + bad + " is quarantined"));
  }

  void write_plugin(const std::string& text) { box.write("plugins/bad.plugin.toml", text); }

  // The library of the good plugin under another name, to be damaged.
  std::string damaged_library() {
    box.manifest("bad", "bad");
    fs::copy_file(box.path("plugins/libgood.so"), box.path("plugins/libbad.so"));
    return box.path("plugins/libbad.so");
  }

  Sandbox box;
};

// Behind the bytes that are loaded lie sections that nobody misses.
uintmax_t end_of_segments(const std::string& library) {
  std::ifstream file(library, std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  file.read(reinterpret_cast<char*>(segments.data()),
            static_cast<std::streamsize>(segments.size() * sizeof(Elf64_Phdr)));
  uintmax_t end = 0;
  for (const Elf64_Phdr& s : segments)
    if (s.p_type == PT_LOAD) end = std::max<uintmax_t>(end, s.p_offset + s.p_filesz);
  return end;
}

TEST_F(BrokenPlugin, WithoutItsLibrary) {
  box.manifest("bad", "bad");
  expect_reason("libbad.so: No such file or directory");
}

TEST_F(BrokenPlugin, WithoutTheEntry) {
  box.plugin("bad", "no_entry");
  expect_reason("does not export tn_plugin_entry");
}

TEST_F(BrokenPlugin, ThatCallsWhatNoLibraryHas) {
  box.plugin("bad", "unresolved");
  expect_reason("undefined symbol: tn_function_of_no_library");
}

TEST_F(BrokenPlugin, ThatExportsTooMuchReplacesNothing) {
  box.plugin("bad", "exports", "[[interface]]\nname = \"test.broken\"\n");
  const auto answers = box.run(
      {{"load", "bad"}, {"get", "threads"}, {"load", "worse"}, {"interface", "test.good", "1"}});
  ASSERT_EQ(answers.size(), 4u) << answers.back();
  EXPECT_EQ(answers[0], "ok");
  EXPECT_THAT(answers[1], StartsWith("ok "));
  EXPECT_THAT(answers[2], StartsWith("error "));
  EXPECT_EQ(answers[3], "ok 42 unlayered");
}

// Nothing ends a function of another thread, so an entry that hangs is not quarantined: its caller
// waits, and whoever needs another plugin. What is loaded goes on, and the log names the plugin.
TEST_F(BrokenPlugin, WhoseEntryHangs) {
  box.plugin("bad", "hangs");
  box.variable("TENON_LOG", "info");
  const auto answers = box.run({{"host"}, {"stuck", "bad"}});
  ASSERT_EQ(answers.size(), 2u) << answers.back();
  EXPECT_EQ(answers[1], "ok ok " + answers[0]);
  EXPECT_THAT(box.errors(), HasSubstr("plugin bad: its entry runs"));
}

TEST_F(BrokenPlugin, ForAnotherAbi) {
  write_plugin(
      "[plugin]\nname = \"bad\"\nversion = \"1\"\nabi = \"9.0\"\n"
      "[[library]]\nfile = \"libgood.so\"\n");
  expect_reason("built for ABI 9.0, but this core has ABI 0.3");
}

TEST_F(BrokenPlugin, WithATruncatedLibrary) {
  const std::string file = damaged_library();
  fs::resize_file(file, end_of_segments(file) - 1);
  expect_reason("truncated");
}

TEST_F(BrokenPlugin, WithALibraryCutAnywhere) {
  const std::string file = damaged_library();
  const auto size = fs::file_size(file);
  for (uintmax_t part = 0; part < 16; ++part) {
    fs::copy_file(box.path("plugins/libgood.so"), file, fs::copy_options::overwrite_existing);
    fs::resize_file(file, size * part / 32);
    const auto answers = box.run({{"load", "bad"}});
    ASSERT_EQ(answers.size(), 1u) << answers.back();
    EXPECT_THAT(answers[0], StartsWith("error "));
  }
}

TEST_F(BrokenPlugin, WithALibraryThatIsNoElfFile) {
  box.manifest("bad", "bad");
  box.write("plugins/libbad.so",
            "#!/bin/sh\necho this is a script of some length, longer than a "
            "header is, so that only its first bytes tell\n");
  expect_reason("no ELF file");
}

TEST_F(BrokenPlugin, WithALibraryForAnotherMachine) {
  const std::string file = damaged_library();
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(18);  // e_machine
  stream.write("\x08\x00", 2);
  stream.close();
  expect_reason("built for another kind of machine");
}

TEST_F(BrokenPlugin, WhoseEntryReturnsAnError) {
  box.plugin("bad", "entry_error",
             "[[interface]]\nname = \"test.broken\"\n[[device]]\nname = \"test_broken\"\n");
  expect_reason("the driver is too old");
}

TEST_F(BrokenPlugin, WhoseEntryThrows) {
  box.plugin("bad", "entry_throws", "[[interface]]\nname = \"test.broken\"\n");
  expect_reason("it threw an exception: nobody caught this");
}

TEST_F(BrokenPlugin, WhoseEntryThrowsSomethingOdd) {
  box.plugin("bad", "throws_int");
  expect_reason("it threw an exception that is no std::exception");
}

TEST_F(BrokenPlugin, ThatRegistersWhatItsManifestDoesNotDeclare) {
  box.plugin("bad", "good");
  expect_reason("does not declare interface test.good, version 1");
}

TEST_F(BrokenPlugin, ThatPromisesMoreThanItRegisters) {
  box.plugin("bad", "good",
             "[[interface]]\nname = \"test.good\"\n[[interface]]\nname = \"test.more\"\n");
  EXPECT_THAT(box.last({{"interface", "test.more", "1"}}), HasSubstr("did not register it"));
}

TEST_F(BrokenPlugin, WithoutALibraryThatItRequires) {
  box.plugin("bad", "good", "[requires]\nlibraries = [\"libnowhere.so.9\"]\n");
  expect_reason("it needs the library libnowhere.so.9");
}

TEST_F(BrokenPlugin, WithoutAPluginThatItRequires) {
  box.plugin("bad", "good", "[requires]\nplugins = [\"godo\"]\n");
  expect_reason("it requires plugin godo, which was not found (did you mean \"good\"?)");
}

TEST_F(BrokenPlugin, ThatRequiresABrokenOne) {
  box.plugin("worse", "entry_throws", "[[interface]]\nname = \"test.broken\"\n");
  box.plugin("bad", "good", "[requires]\nplugins = [\"worse\"]\n");
  expect_reason("it requires plugin worse; plugin worse is quarantined");
}

TEST_F(BrokenPlugin, ThatRequiresItselfThroughAnother) {
  box.plugin("bad", "good", "[requires]\nplugins = [\"other\"]\n");
  box.plugin("other", "good", "[requires]\nplugins = [\"bad\"]\n");
  expect_reason("need each other in a circle: bad -> other -> bad");
}

TEST_F(BrokenPlugin, WhoseEntryLoadsItself) {
  box.plugin("bad", "nested",
             "[[interface]]\nname = \"test.nested\"\n"
             "[config.needs]\ntype = \"string\"\ndefault = \"bad\"\nhelp = \"a plugin\"\n");
  expect_reason("need each other in a circle: bad -> bad");
}

TEST_F(BrokenPlugin, WithAManifestThatEveryoneMayWrite) {
  box.plugin("bad", "good");
  chmod(box.path("plugins/bad.plugin.toml").c_str(), 0666);
  expect_reason("everyone may write it (mode 0666)");
}

TEST_F(BrokenPlugin, WithALibraryThatEveryoneMayWrite) {
  chmod(damaged_library().c_str(), 0777);
  expect_reason("everyone may write it (mode 0777)");
}

TEST_F(BrokenPlugin, OfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  box.plugin("bad", "good");
  ASSERT_EQ(chown(box.path("plugins/bad.plugin.toml").c_str(), 12345, 12345), 0);
  expect_reason("it belongs to user 12345");
}

TEST_F(BrokenPlugin, InAFolderThatEveryoneMayWrite) {
  fs::create_directories(box.path("open"));
  box.write("open/bad.plugin.toml", "[plugin]\nname = \"bad\"\n");
  chmod(box.path("open").c_str(), 0777);
  box.variable("TENON_PLUGIN_PATH", box.path("plugins") + ":" + box.path("open"));
  expect_reason("everyone may write it (mode 0777)");
}

TEST_F(BrokenPlugin, WhoseLibraryIsALinkOutOfItsFolder) {
  box.manifest("bad", "bad");
  fs::create_directories(box.path("elsewhere"));
  fs::copy_file(box.path("plugins/libgood.so"), box.path("elsewhere/libbad.so"));
  fs::create_symlink(box.path("elsewhere/libbad.so"), box.path("plugins/libbad.so"));
  expect_reason("it is a link out of its folder");
}

TEST_F(BrokenPlugin, WhoseLibraryIsNamedWithFolders) {
  write_plugin(
      "[plugin]\nname = \"bad\"\nversion = \"1\"\nabi = \"0.3\"\n"
      "[[library]]\nfile = \"../plugins/libgood.so\"\n");
  expect_reason("bad.plugin.toml:5: library.file must be the name of a file beside the manifest");
}

TEST_F(BrokenPlugin, WithAManifestThatIsNoToml) {
  write_plugin("[plugin]\nname = bad\n");
  expect_reason("bad.plugin.toml:2: no valid TOML");
}

TEST_F(BrokenPlugin, WithAnUnknownKeyInItsManifest) {
  write_plugin(
      "[plugin]\nname = \"bad\"\nversion = \"1\"\nabi = \"0.3\"\nprioritty = 3\n"
      "[[library]]\nfile = \"libgood.so\"\n");
  expect_reason("bad.plugin.toml:5: unknown key plugin.prioritty (did you mean \"priority\"?)");
}

TEST_F(BrokenPlugin, WithAKeyThatIsThereTwice) {
  write_plugin("[plugin]\nname = \"bad\"\nversion = \"1\"\nversion = \"2\"\n");
  expect_reason("bad.plugin.toml:4: no valid TOML");
}

TEST_F(BrokenPlugin, WithAValueOfTheWrongType) {
  write_plugin(
      "[plugin]\nname = \"bad\"\nversion = \"1\"\nabi = \"0.3\"\n"
      "priority = \"high\"\n[[library]]\nfile = \"libgood.so\"\n");
  expect_reason("bad.plugin.toml:5: plugin.priority must be an integer, not a string");
}

TEST_F(BrokenPlugin, WithoutASectionPlugin) {
  write_plugin("[[library]]\nfile = \"libgood.so\"\n");
  expect_reason("the section [plugin] is missing");
}

TEST_F(BrokenPlugin, WhoseNameIsNotItsFiles) {
  write_plugin(
      "[plugin]\nname = \"other\"\nversion = \"1\"\nabi = \"0.3\"\n"
      "[[library]]\nfile = \"libgood.so\"\n");
  expect_reason("the file must be called other.plugin.toml");
}

TEST_F(BrokenPlugin, WhoseManifestIsAPipe) {
  ASSERT_EQ(mkfifo(box.path("plugins/bad.plugin.toml").c_str(), 0600), 0);
  expect_reason("neither a regular file nor a folder");
}

TEST_F(BrokenPlugin, WhoseLayersContradictEachOther) {
  box.plugin("bad", "good", "[[layer]]\nname = \"one\"\nbefore = [\"two\"]\n");
  box.plugin("worse", "good", "[[layer]]\nname = \"two\"\nbefore = [\"one\"]\n");
  expect_reason("one (plugin bad) must run before two (plugin worse) must run before one");
  EXPECT_EQ(box.last({{"layers", "one", "two"}}), "ok");
}

TEST_F(BrokenPlugin, Rule6WhoseLayerRunsBeforeTheReservedOne) {
  box.plugin("bad", "good", "[[layer]]\nname = \"one\"\nbefore = [\"transforms\"]\n");
  box.plugin("transforms", "good", "[[layer]]\nname = \"transforms\"\n");
  EXPECT_THAT(box.last({{"state", "bad"}}), HasSubstr("its layers cannot be ordered"));
}

TEST_F(BrokenPlugin, WithThousandsOfLayers) {
  std::string layers;
  for (int i = 0; i < 20000; ++i) {
    layers += "[[layer]]\nname = \"l" + std::to_string(i) + "\"\n";
    layers += "before = [\"l" + std::to_string(i + 1) + "\"]\n";
  }
  box.plugin("bad", "good", layers);
  expect_reason("there are more layers than the 62 that fit");
}

TEST_F(BrokenPlugin, WhoseLayerIsDeclaredTwice) {
  box.plugin("another", "good", "[[layer]]\nname = \"one\"\n");
  box.plugin("bad", "good", "[[layer]]\nname = \"one\"\n");
  expect_reason("its layer one is declared by plugin another already");
  EXPECT_EQ(box.last({{"layers", "one"}}), "ok one");
}

TEST_F(BrokenPlugin, WhoseDeviceContradictsAnothers) {
  box.plugin("another", "good", "[[device]]\nname = \"test_device\"\ndlpack = 12\n");
  box.plugin("bad", "good", "[[device]]\nname = \"test_device\"\ndlpack = 13\n");
  expect_reason("test_device");
}

TEST_F(BrokenPlugin, FoundTwiceCountsOnce) {
  box.write("second/good.plugin.toml", "[plugin]\nname = \"good\"\n");
  box.variable("TENON_PLUGIN_PATH", box.path("plugins") + ":" + box.path("second"));
  const auto answers = box.run({{"states", "good"}, {"interface", "test.good", "1"}});
  EXPECT_EQ(answers.at(0), "ok 0 " + box.path("plugins/good.plugin.toml") + "; 2 " +
                               box.path("second/good.plugin.toml") + "; ");
  EXPECT_EQ(answers.at(1), "ok 42 unlayered");
}

TEST_F(BrokenPlugin, IsAnErrorOfTheStartWhenItIsRequired) {
  box.manifest("bad", "bad", "cpu = [\"avx2048\"]\n");
  box.config("[plugins]\nrequired = [\"bad\"]\n");
  EXPECT_THAT(box.last({{"init"}}), AllOf(StartsWith("error "), HasSubstr("plugins.required")));
  box.config("[plugins]\nrequired = [\"baad\"]\n");
  EXPECT_THAT(box.last({{"init"}}),
              AllOf(HasSubstr("tenon.toml:2"), HasSubstr("did you mean \"bad\"?")));
}

}  // namespace
}  // namespace tenon_test
