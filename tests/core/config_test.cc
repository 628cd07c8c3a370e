// Where configuration comes from, what wins, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "sandbox.h"

namespace tenon_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Config, DefaultsSayThatTheyAreDefaults) {
  Sandbox box;
  EXPECT_EQ(box.last({{"get", "fallback"}}), "ok \"error\" from default");
  EXPECT_EQ(box.last({{"get", "threads"}}), "ok 0 from default");
  EXPECT_EQ(box.last({{"get", "memory.huge_pages"}}), "ok true from default");
}

TEST(Config, TheLaterSourceWins) {
  Sandbox box;
  box.search_config();
  box.working_folder("project/deep/down");
  EXPECT_EQ(box.last({{"get", "threads"}}), "ok 0 from default");
  box.write("etc/tenon/tenon.toml", "threads = 1\nlog = \"info\"\n");
  EXPECT_EQ(box.last({{"get", "threads"}}), "ok 1 from " + box.path("etc/tenon/tenon.toml") + ":1");
  box.write("user/tenon/tenon.toml", "\nthreads = 2\n");
  EXPECT_EQ(box.last({{"get", "threads"}}),
            "ok 2 from " + box.path("user/tenon/tenon.toml") + ":2");
  box.write("project/tenon.toml", "\n\nthreads = 3\n");
  EXPECT_EQ(box.last({{"get", "threads"}}), "ok 3 from " + box.path("project/tenon.toml") + ":3");
  box.variable("TENON_THREADS", "4");
  EXPECT_EQ(box.last({{"get", "threads"}}), "ok 4 from TENON_THREADS");
  EXPECT_EQ(box.last({{"set", "threads", "5"}, {"get", "threads"}}), "ok 5 from tn_config_set");
  // What nobody overrides stays.
  EXPECT_EQ(box.last({{"get", "log"}}),
            "ok \"info\" from " + box.path("etc/tenon/tenon.toml") + ":2");
}

TEST(Config, OfTheSystemsFoldersTheFirstIsTheMostImportant) {
  Sandbox box;
  box.search_config();
  box.variable("XDG_CONFIG_DIRS", box.path("one") + ":" + box.path("two"));
  box.write("one/tenon/tenon.toml", "threads = 1\n");
  box.write("two/tenon/tenon.toml", "threads = 2\n");
  EXPECT_THAT(box.last({{"get", "threads"}}), StartsWith("ok 1"));
}

TEST(Config, TheNearestProjectFileCounts) {
  Sandbox box;
  box.search_config();
  box.write("project/tenon.toml", "threads = 1\n");
  box.write("project/inner/tenon.toml", "threads = 2\n");
  box.working_folder("project/inner/deep");
  EXPECT_THAT(box.last({{"get", "threads"}}), StartsWith("ok 2"));
}

TEST(Config, AKeyThatNothingSetsIsNoUnknownOne) {
  Sandbox box;
  EXPECT_THAT(box.last({{"get", "providers.cpu"}}),
              AllOf(StartsWith("error not found"), HasSubstr("nothing sets providers.cpu")));
  EXPECT_THAT(box.last({{"get", "provider.cpu"}}), HasSubstr("did you mean \"providers.cpu\"?"));
}

TEST(Config, ANamedFileReplacesTheSearch) {
  Sandbox box;
  box.search_config();
  box.write("user/tenon/tenon.toml", "threads = 2\n");
  box.variable("TENON_CONFIG", box.write("named.toml", "log = \"silent\"\n"));
  EXPECT_EQ(box.last({{"get", "threads"}}), "ok 0 from default");
  EXPECT_THAT(box.last({{"get", "log"}}), StartsWith("ok \"silent\""));
}

TEST(Config, ANamedFileThatIsNotThereIsAnError) {
  Sandbox box;
  box.variable("TENON_CONFIG", box.path("nowhere.toml"));
  EXPECT_THAT(box.last({{"init"}}),
              AllOf(StartsWith("error input/output error"), HasSubstr("nowhere.toml")));
}

TEST(Config, AnUnknownKeyIsAnErrorWithItsLineAndASuggestion) {
  Sandbox box;
  box.config("\nthread = 3\n");
  EXPECT_THAT(box.last({{"init"}}),
              AllOf(StartsWith("error not found"), HasSubstr("tenon.toml:2: unknown key thread"),
                    HasSubstr("did you mean \"threads\"?")));
  box.config("[memory]\nhuge_page = true\n");
  EXPECT_THAT(box.last({{"init"}}), HasSubstr("did you mean \"memory.huge_pages\"?"));
  box.config("[provider]\ncpu = [\"x\"]\n");
  EXPECT_THAT(box.last({{"init"}}), HasSubstr("did you mean \"providers.cpu\"?"));
  EXPECT_THAT(box.last({{"get", "fallbak"}}), StartsWith("error "));
}

TEST(Config, AWrongTypeIsAnErrorWithItsLineAndWhatIsExpected) {
  Sandbox box;
  box.config("log = \"warn\"\nthreads = \"four\"\n");
  EXPECT_THAT(box.last({{"init"}}),
              AllOf(HasSubstr("tenon.toml:2"), HasSubstr("threads must be an integer"),
                    HasSubstr("not a string (\"four\")")));
  box.config("[plugins]\ndisable = [\"a\", 3]\n");
  EXPECT_THAT(box.last({{"init"}}), HasSubstr("must be a list of strings"));
  box.config("threads = -1\n");
  EXPECT_THAT(box.last({{"init"}}), HasSubstr("threads must be 0"));
}

TEST(Config, AWordThatIsNoChoiceIsAnErrorThatListsThem) {
  Sandbox box;
  box.config("fallback = \"hosts\"\n");
  EXPECT_THAT(box.last({{"init"}}), AllOf(HasSubstr("one of \"error\", \"warn\", \"host\""),
                                          HasSubstr("did you mean \"host\"?")));
}

TEST(Config, BadTomlIsAnErrorWithItsLine) {
  Sandbox box;
  box.config("threads = 1\nthreads = 2\n");
  EXPECT_THAT(box.last({{"init"}}), HasSubstr("tenon.toml:2: no valid TOML"));
  box.config(std::string("x = \"\xff\xfe\"\n\0", 10));
  EXPECT_THAT(box.last({{"init"}}), StartsWith("error "));
  box.config("threads = 1979-05-27\n");
  EXPECT_THAT(box.last({{"init"}}), HasSubstr("dates and times"));
  box.config(std::string(100000, '['));
  EXPECT_THAT(box.last({{"init"}}), StartsWith("error "));
}

// "a.a.a", and inside it, on lines of their own, as many tables and lists as toml++ takes.
std::string nested_keys(int dots, int levels) {
  std::string key = "a", text;
  for (int i = 0; i < dots; ++i) key += ".a";
  for (int i = 0; i < levels; ++i) text += (i > 0 ? "{" : "") + key + " = [\n";
  for (int i = 1; i < levels; ++i) text += "]}\n";
  return text + "]\n";
}

TEST(Config, KeysOfAnyLengthAreAnErrorWithItsLine) {
  Sandbox box;
  box.config("\n" + nested_keys(400000, 1));
  EXPECT_THAT(box.last({{"init"}}), HasSubstr("tenon.toml:2: more than 256 dots in one line"));
  box.config(nested_keys(256, 16));
  EXPECT_THAT(box.last({{"init"}}), HasSubstr("tenon.toml:1: unknown key a.a.a"));
  box.config(nested_keys(256, 17));
  EXPECT_THAT(box.last({{"init"}}), HasSubstr("no valid TOML"));
}

TEST(Config, TheFirstOutcomeOfTheStartIsKept) {
  Sandbox box;
  box.config("thread = 3\n");
  const auto answers = box.run({{"init"}, {"init"}, {"get", "threads"}, {"load", "x"}, {"keys"}});
  EXPECT_EQ(answers.at(1), answers.at(0));
  EXPECT_EQ(answers.at(2), answers.at(0));
  EXPECT_EQ(answers.at(3), answers.at(0));
  EXPECT_EQ(answers.at(4), "ok");
}

TEST(Config, HugePagesAreAskedForUnlessItSaysNo) {
  Sandbox box;
  // Under a sanitizer every block is the system's.
  if (std::filesystem::exists("/sys/kernel/mm/transparent_hugepage") &&
      !std::getenv("TEST_SANITIZER")) {
    EXPECT_EQ(box.last({{"huge_pages"}}), "ok yes");
  }
  box.config("memory.huge_pages = false\n");
  EXPECT_EQ(box.last({{"huge_pages"}}), "ok no");
}

TEST(Config, VariablesReachEveryKey) {
  Sandbox box;
  box.variable("TENON_FALLBACK", "warn");
  box.variable("TENON_MEMORY_HUGE_PAGES", "false");
  box.variable("TENON_PLUGINS_DISABLE", "one, two");
  EXPECT_EQ(box.last({{"get", "fallback"}}), "ok \"warn\" from TENON_FALLBACK");
  EXPECT_EQ(box.last({{"get", "memory.huge_pages"}}), "ok false from TENON_MEMORY_HUGE_PAGES");
  EXPECT_EQ(box.last({{"get", "plugins.disable"}}),
            "ok [\"one\", \"two\"] from TENON_PLUGINS_DISABLE");
  EXPECT_EQ(box.last({{"get", "plugins.path"}}),
            "ok [\"" + box.path("plugins") + "\"] from TENON_PLUGIN_PATH");
}

TEST(Config, AVariableOfTheWrongTypeIsAnErrorThatNamesIt) {
  Sandbox box;
  box.variable("TENON_THREADS", "four");
  EXPECT_THAT(box.last({{"init"}}), HasSubstr("TENON_THREADS: threads must be an integer"));
}

TEST(Config, AVariableThatSetsNothingIsNoted) {
  Sandbox box;
  box.variable("TENON_THREDS", "4");
  EXPECT_THAT(box.last({{"doctor", "text"}}),
              HasSubstr("TENON_THREDS sets nothing (did you mean \"TENON_THREADS\"?)"));
}

TEST(Config, OneProviderOfAListMustBeThere) {
  Sandbox box;
  box.plugin("good", "good", "[[interface]]\nname = \"test.good\"\n");
  box.variable("TENON_PROVIDERS_TEST", "good");
  EXPECT_EQ(box.last({{"get", "providers.test"}}), "ok [\"good\"] from TENON_PROVIDERS_TEST");
  box.variable("TENON_PROVIDERS_TEST", "goood");
  EXPECT_THAT(box.last({{"init"}}), HasSubstr("did you mean \"good\"?"));
}

TEST(Config, AMissingProviderIsNotedWhereAnotherServes) {
  Sandbox box;
  box.plugin("good", "good", "[[interface]]\nname = \"test.good\"\n");
  box.config("[providers]\ntest = [\"goood\", \"good\"]\n");
  EXPECT_EQ(box.last({{"init"}}), "ok");
  EXPECT_THAT(box.errors(), HasSubstr("providers.test lists \"goood\""));
  EXPECT_THAT(box.errors(), HasSubstr("did you mean \"good\"?"));
  EXPECT_THAT(box.last({{"doctor", "text"}}), HasSubstr("providers.test lists \"goood\""));
}

TEST(Config, AProjectsFileMayNotSayWhereCodeComesFrom) {
  Sandbox box;
  box.search_config();
  box.write("project/tenon.toml", "[plugins]\npath = [\"/tmp\"]\n");
  box.working_folder("project");
  EXPECT_THAT(box.last({{"init"}}),
              AllOf(HasSubstr("project/tenon.toml:2"), HasSubstr("may not set plugins.path")));
}

TEST(Config, PathsOfPluginsAreAbsolute) {
  Sandbox box;
  box.variable("TENON_PLUGIN_PATH", "plugins");
  EXPECT_THAT(box.last({{"init"}}), HasSubstr("absolute paths, not \"plugins\""));
}

TEST(Config, WhatTheProgramSetsIsCheckedAtOnce) {
  Sandbox box;
  EXPECT_THAT(box.last({{"set", "thread", "3"}}), HasSubstr("did you mean \"threads\"?"));
  EXPECT_THAT(box.last({{"set", "threads", "\"3\""}}), HasSubstr("must be an integer"));
  EXPECT_THAT(box.last({{"set", "log", "warn"}}), HasSubstr("strings need quotes"));
  EXPECT_THAT(box.last({{"set", "log", "\"warn\"\nthreads = 3"}}),
              HasSubstr("more than one value"));
}

TEST(Config, KeysThatDiscoveryUsedAreFixedAfterwards) {
  Sandbox box;
  EXPECT_THAT(box.last({{"init"}, {"set", "plugins.disable", "[]"}}), StartsWith("error busy"));
  EXPECT_EQ(box.last({{"init"}, {"set", "fallback", "\"host\""}, {"get", "fallback"}}),
            "ok \"host\" from tn_config_set");
}

TEST(Config, KeysOfPluginsComeFromTheirManifests) {
  Sandbox box;
  box.plugin("good", "good",
             "[config.mode]\ntype = \"string\"\ndefault = \"fast\"\nhelp = \"how\"\n"
             "choices = [\"fast\", \"exact\"]\n");
  EXPECT_EQ(box.last({{"get", "plugin.good.mode"}}), "ok \"fast\" from default");
  box.config("[plugin.good]\nmode = \"exact\"\n");
  EXPECT_THAT(box.last({{"get", "plugin.good.mode"}}), StartsWith("ok \"exact\" from "));
  box.config("[plugin.good]\nmode = \"wild\"\n");
  EXPECT_THAT(box.last({{"init"}}), HasSubstr("one of \"fast\", \"exact\""));
  box.config("[plugin.good]\nmood = \"fast\"\n");
  EXPECT_THAT(box.last({{"init"}}), HasSubstr("did you mean \"plugin.good.mode\"?"));
  box.config("[plugin.goood]\nmode = \"fast\"\n");
  EXPECT_THAT(box.last({{"init"}}),
              AllOf(HasSubstr("tenon.toml:2"), HasSubstr("did you mean \"good\"?")));
}

TEST(Config, KeysAreListedInOrder) {
  Sandbox box;
  EXPECT_THAT(box.last({{"keys"}}),
              StartsWith("ok default_device fallback log memory.huge_pages plugin"));
}

}  // namespace
}  // namespace tenon_test
