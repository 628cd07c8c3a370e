// Plugins that work: discovery, choice, loading, interfaces, layers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <set>

#include "sandbox.h"

namespace tenon_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Without the plugins that are built beside libtenon.
constexpr const char* kAlone =
    "[plugins]\ndisable = [\"ops\", \"cpu\", \"onednn\", \"meta\", \"autograd\"]\n";
constexpr const char* kGood = "[[interface]]\nname = \"test.good\"\n";

TEST(Loader, AManifestIsReadAndItsLibraryIsNot) {
  Sandbox box;
  box.plugin("good", "good", kGood);
  EXPECT_EQ(box.last({{"init"}, {"state", "good"}}), "ok discovered");
}

TEST(Loader, AnInterfaceLoadsThePluginThatPromisesIt) {
  Sandbox box;
  box.plugin("good", "good", kGood);
  const auto answers = box.run({{"interface", "test.good", "1"}, {"state", "good"}});
  EXPECT_EQ(answers.at(0), "ok 42 unlayered");
  EXPECT_EQ(answers.at(1), "ok loaded");
}

TEST(Loader, AnInterfaceNobodyPromisesIsAnErrorThatSuggestsNamesAndVersions) {
  Sandbox box;
  box.plugin("good", "good", kGood);
  EXPECT_THAT(box.last({{"interface", "test.god", "1"}}), HasSubstr("did you mean \"test.good\"?"));
  EXPECT_THAT(box.last({{"interface", "test.good", "2"}}), HasSubstr("plugin good has version 1"));
}

TEST(Loader, AnEntryThatFailsForWhatMayBeThereLaterIsTriedAgain) {
  Sandbox box;
  box.plugin("later", "entry_passes", kGood);
  const auto answers = box.run({{"load", "later"},
                                {"state", "later"},
                                {"interface", "test.good", "1"},
                                {"state", "later"},
                                {"load", "later"},
                                {"state", "later"}});
  EXPECT_THAT(answers.at(0),
              AllOf(StartsWith("error input/output error: plugin later could not be loaded now"),
                    HasSubstr("cannot open /dev/test: Too many open files")));
  EXPECT_EQ(answers.at(1), "ok discovered");
  EXPECT_THAT(answers.at(2), AllOf(StartsWith("error "), HasSubstr("cannot start a thread")));
  EXPECT_EQ(answers.at(3), "ok discovered");
  EXPECT_EQ(answers.at(4), "ok");
  EXPECT_EQ(answers.at(5), "ok loaded");
}

TEST(Loader, AnUnknownPluginIsAnErrorThatNamesTheFoldersSearched) {
  Sandbox box;
  box.plugin("good", "good", kGood);
  const std::string answer = box.last({{"load", "goood"}});
  EXPECT_THAT(answer, StartsWith("error not found"));
  EXPECT_THAT(answer, HasSubstr("did you mean \"good\"?"));
  EXPECT_THAT(answer, HasSubstr(box.path("plugins")));
}

TEST(Loader, OfSeveralLibrariesTheFirstThatFitsTheMachineIsTaken) {
  Sandbox box;
  box.library("good");
  box.write("plugins/good.plugin.toml",
            "[plugin]\nname = \"good\"\nversion = \"1\"\nabi = \"0.3\"\n"
            "[[library]]\nfile = \"libother.so\"\ncpu = [\"a-feature-of-tomorrow\"]\n"
            "[[library]]\nfile = \"libgood.so\"\ncpu = []\n" +
                std::string(kGood));
  EXPECT_EQ(box.last({{"interface", "test.good", "1"}}), "ok 42 unlayered");
}

TEST(Loader, APluginForAnotherProcessorIsSkippedWithTheFeaturesThatLack) {
  Sandbox box;
  box.library("good");
  box.manifest("good", "good", "cpu = [\"avx2048\", \"sse2\"]\n");
  const std::string state = box.last({{"state", "good"}});
  EXPECT_THAT(state, StartsWith("ok skipped"));
  EXPECT_THAT(state, HasSubstr("avx2048"));
}

TEST(Loader, ADisabledPluginIsSkippedAndSaysWhoSwitchedItOff) {
  Sandbox box;
  box.plugin("good", "good", kGood);
  box.config("[plugins]\ndisable = [\"good\"]\n");
  EXPECT_THAT(box.last({{"state", "good"}}), HasSubstr("tenon.toml:2"));
  EXPECT_THAT(box.last({{"interface", "test.good", "1"}}), HasSubstr("plugins.disable"));
}

TEST(Loader, APluginGetsItsConfigurationOrTheDefaultFromItsManifest) {
  const std::string more =
      kGood + std::string("[config.answer]\ntype = \"int\"\ndefault = 7\nhelp = \"a number\"\n");
  Sandbox box;
  box.plugin("good", "good", more);
  EXPECT_EQ(box.last({{"interface", "test.good", "1"}}), "ok 7 unlayered");
  box.config("[plugin.good]\nanswer = 8\n");
  EXPECT_EQ(box.last({{"interface", "test.good", "1"}}), "ok 8 unlayered");
  box.variable("TENON_PLUGIN_GOOD_ANSWER", "9");
  EXPECT_EQ(box.last({{"interface", "test.good", "1"}}), "ok 9 unlayered");
  EXPECT_EQ(box.last({{"set", "plugin.good.answer", "10"}, {"interface", "test.good", "1"}}),
            "ok 10 unlayered");
}

TEST(Loader, ThreadsThatLoadOnePluginAtOnceAllSucceed) {
  Sandbox box;
  box.plugin("good", "good", kGood);
  box.plugin("nested", "nested",
             "[[interface]]\nname = \"test.nested\"\n"
             "[config.needs]\ntype = \"string\"\ndefault = \"good\"\nhelp = \"a plugin\"\n");
  const auto answers = box.run({{"race", "nested"}, {"state", "good"}});
  EXPECT_EQ(answers.at(0), "ok");
  EXPECT_EQ(answers.at(1), "ok loaded");
}

TEST(Loader, RequiredPluginsAreLoadedFirst) {
  Sandbox box;
  box.plugin("base", "good", kGood);
  box.plugin("top", "nested",
             "[[interface]]\nname = \"test.nested\"\n[requires]\nplugins = [\"base\"]\n"
             "libraries = [\"libc.so.6\"]\n"
             "[config.needs]\ntype = \"string\"\ndefault = \"base\"\nhelp = \"a plugin\"\n");
  const auto answers = box.run({{"load", "top"}, {"state", "base"}});
  EXPECT_EQ(answers.at(0), "ok");
  EXPECT_EQ(answers.at(1), "ok loaded");
}

TEST(Loader, ADeviceLoadsItsPluginAndNoOther) {
  Sandbox box;
  box.plugin("good", "good", kGood);
  box.plugin("device", "device", "[[device]]\nname = \"test_device\"\n");
  const auto answers = box.run(
      {{"device", "test_device"}, {"state", "device"}, {"state", "good"}, {"doctor", "text"}});
  EXPECT_EQ(answers.at(0), "ok");
  EXPECT_EQ(answers.at(1), "ok loaded");
  EXPECT_THAT(answers.at(2), StartsWith("ok discovered"));
  EXPECT_THAT(answers.at(2), HasSubstr("test_device plugin device\n              0: test_device"));
}

TEST(Loader, AnOperatorLoadsThePluginThatDeclaresItsNamespace) {
  Sandbox box;
  box.library("device");
  box.write("plugins/device.plugin.toml",
            "[plugin]\nname = \"device\"\nversion = \"1\"\nabi = \"0.3\"\n"
            "declares = [\"test.*\"]\n[[library]]\nfile = \"libdevice.so\"\n"
            "[[device]]\nname = \"test_device\"\n");
  const auto answers = box.run({{"call", "other.one"}, {"state", "device"}, {"call", "test.one"}});
  EXPECT_THAT(answers.at(0), StartsWith("error not found"));
  EXPECT_EQ(answers.at(1), "ok discovered");
  EXPECT_EQ(answers.at(2), "ok 1");
}

TEST(Loader, AnOperatorOfABrokenPluginIsAnErrorThatSaysWhy) {
  Sandbox box;
  box.write("plugins/device.plugin.toml",
            "[plugin]\nname = \"device\"\nversion = \"1\"\nabi = \"0.3\"\n"
            "declares = [\"test.*\"]\n[[library]]\nfile = \"libdevice.so\"\n");
  EXPECT_THAT(box.last({{"call", "test.one"}}),
              HasSubstr("libdevice.so: No such file or directory"));
}

TEST(Loader, Rule7LayersGetBitsInTheOrderThatManifestsAskFor) {
  Sandbox box;
  box.library("good");
  box.manifest("a", "good", "[[layer]]\nname = \"inner\"\nafter = [\"middle\", \"absent\"]\n");
  box.manifest("b", "good", "[[layer]]\nname = \"outer\"\nbefore = [\"middle\"]\n");
  box.manifest("c", "good", "[[layer]]\nname = \"middle\"\n");
  box.manifest("d", "good", "[[layer]]\nname = \"transforms\"\n");
  EXPECT_EQ(box.last({{"layers", "inner", "middle", "outer", "transforms", "absent"}}),
            "ok transforms outer middle inner");
  EXPECT_EQ(box.last({{"bit", "transforms"}}), "ok 63");
  const auto bits = box.run({{"bit", "inner"}, {"bit", "middle"}, {"bit", "outer"}});
  const auto number = [&](size_t i) { return std::stoi(bits.at(i).substr(3)); };
  EXPECT_GT(number(0), 1) << "with gaps on every side";
  EXPECT_GT(number(1), number(0) + 1);
  EXPECT_GT(number(2), number(1) + 1);
  EXPECT_LT(number(2), 62);
}

TEST(Loader, Rule7AsManyLayersAsFitGetBitsAndNoneGetsTheCoresOwn) {
  Sandbox box;
  box.library("good");
  box.config(kAlone);
  std::string layers;
  std::vector<Sandbox::Command> commands;
  for (int i = 0; i < 62; ++i) {
    const std::string name = "layer_" + std::to_string(100 + i);
    layers += "[[layer]]\nname = \"" + name + "\"\n";
    commands.push_back({"bit", name});
  }
  box.manifest("many", "good", layers);
  const auto bits = box.run(commands);
  EXPECT_THAT(std::set<std::string>(bits.begin(), bits.end()), testing::SizeIs(62));
  EXPECT_THAT(bits, testing::Not(testing::Contains("ok 0")));
  box.manifest("more", "good", "[[layer]]\nname = \"a_63rd\"\n");
  const auto states = box.run({{"state", "many"}, {"state", "more"}});
  EXPECT_THAT(states, testing::Contains(HasSubstr("more layers than the 62 that fit")));
}

TEST(Loader, Rule15WithoutAHostOrAnOperatorForARoleTheErrorNamesIt) {
  Sandbox box;
  box.config(kAlone);
  box.plugin("device", "device", "[[device]]\nname = \"test_device\"\n");
  EXPECT_THAT(box.last({{"host"}}), HasSubstr("host"));
  EXPECT_THAT(box.last({{"contiguous", "test_device"}}),
              HasSubstr("the role \"copy\" and no plugin binds one"));
}

TEST(Loader, AHostThatCannotBeLoadedIsNamedEachTime) {
  Sandbox box;
  box.config(kAlone);
  box.manifest("lost", "lost", "[[device]]\nname = \"test_host\"\nhost = true\n");
  for (const std::string& answer : box.run({{"host"}, {"host"}})) {
    EXPECT_THAT(answer, HasSubstr("there is no host device"));
    EXPECT_THAT(answer, HasSubstr("plugin lost is quarantined"));
  }
}

TEST(Loader, Rule24AnEntryMayRunAgainUnderAnotherName) {
  Sandbox box;
  box.plugin("one", "good", kGood);
  box.plugin("two", "good", kGood);
  const auto answers =
      box.run({{"load", "one"}, {"load", "two"}, {"state", "one"}, {"state", "two"}});
  EXPECT_THAT(answers, testing::ElementsAre("ok", "ok", "ok loaded", "ok loaded"));
}

TEST(Loader, Rule24ASecondLibtenonFailsAtInitAndNamesBoth) {
  Sandbox box;
  const std::string copy = box.path("libtenon.so.0");
  const std::string text = box.last({{"init"}, {"second", copy}});
  EXPECT_THAT(text, StartsWith("error runtime error: two copies of libtenon are in this process"));
  EXPECT_THAT(text, HasSubstr(copy));
  EXPECT_THAT(text, testing::ContainsRegex("and .*/lib/libtenon\\.so"));
}

// A plugin of two operators, and one with a layer. Both may be unloaded.
void write_layer(const Sandbox& box, const std::string& none = "false") {
  box.library("device");
  box.library("layer");
  box.write("plugins/device.plugin.toml",
            "[plugin]\nname = \"device\"\nversion = \"1\"\nabi = \"0.3\"\n"
            "declares = [\"test.*\"]\n[[library]]\nfile = \"libdevice.so\"\n"
            "[[device]]\nname = \"test_device\"\n");
  box.write("plugins/layered.plugin.toml",
            "[plugin]\nname = \"layered\"\nversion = \"1\"\nabi = \"0.3\"\nunloadable = true\n"
            "[[library]]\nfile = \"liblayer.so\"\n[[layer]]\nname = \"test_layer\"\n"
            "[config.none]\ntype = \"bool\"\nhelp = \"no operator\"\ndefault = " +
                none + "\n");
}

TEST(Loader, Rule7ALayerThatTheThreadIncludesIsLoadedByTheFirstCall) {
  Sandbox box;
  write_layer(box);
  const auto answers = box.run({{"call", "test.two"},
                                {"include", "test_layer"},
                                {"state", "layered"},
                                {"call", "test.two"},
                                {"state", "layered"},
                                {"call", "test.two"}});
  EXPECT_EQ(answers, (std::vector<std::string>{"ok 2", "ok", "ok discovered", "ok 42", "ok loaded",
                                               "ok 42"}));
}

TEST(Loader, Rule7AnIncludedLayerWithoutCodeForAnOperatorIsPassedOver) {
  Sandbox box;
  write_layer(box, "true");
  const auto answers = box.run({{"include", "test_layer"},
                                {"call", "test.two"},
                                {"state", "layered"},
                                {"call", "test.two"}});
  EXPECT_EQ(answers, (std::vector<std::string>{"ok", "ok 2", "ok loaded", "ok 2"}));
}

TEST(Loader, Rule7AnIncludedLayerThatCannotBeLoadedIsAnErrorThatNamesItsPlugin) {
  Sandbox box;
  write_layer(box);
  box.manifest("layered", "absent", "[[layer]]\nname = \"test_layer\"\n");
  const auto answers =
      box.run({{"include", "test_layer"}, {"call", "test.two"}, {"call", "test.two"}});
  for (size_t i : {1, 2}) {
    EXPECT_THAT(answers.at(i), HasSubstr("the thread's state includes layer test_layer:"));
    EXPECT_THAT(answers.at(i), HasSubstr("plugin layered is quarantined"));
  }
}

TEST(Loader, Rule7AnIncludedLayerWhosePluginWasUnloadedIsAnError) {
  Sandbox box;
  write_layer(box);
  const auto answers = box.run({{"include", "test_layer"},
                                {"call", "test.two"},
                                {"unload", "layered"},
                                {"call", "test.two"}});
  EXPECT_EQ(answers.at(1), "ok 42");
  EXPECT_EQ(answers.at(2), "ok");
  EXPECT_THAT(answers.at(3), HasSubstr("plugin layered is unloaded"));
}

TEST(Loader, APluginClaimsTheLayerThatItsManifestDeclares) {
  Sandbox box;
  box.plugin("good", "good", kGood + std::string("[[layer]]\nname = \"test_layer\"\n"));
  EXPECT_EQ(box.last({{"interface", "test.good", "1"}}), "ok 42 layered");
}

TEST(Loader, AnUnloadablePluginIsUnloadedOnceAndNotLoadedAgain) {
  Sandbox box;
  box.library("good");
  box.write("plugins/good.plugin.toml",
            "[plugin]\nname = \"good\"\nversion = \"1\"\nabi = \"0.3\"\nunloadable = true\n"
            "[[library]]\nfile = \"libgood.so\"\n" +
                std::string(kGood));
  const auto answers =
      box.run({{"load", "good"}, {"unload", "good"}, {"state", "good"}, {"load", "good"}});
  EXPECT_EQ(answers.at(1), "ok");
  EXPECT_THAT(answers.at(2), StartsWith("ok unloaded"));
  EXPECT_THAT(answers.at(3), HasSubstr("loads a plugin once"));
}

TEST(Loader, UnloadingIsRefusedWhileSomebodyHoldsThePlugin) {
  Sandbox box;
  box.library("good");
  box.write("plugins/good.plugin.toml",
            "[plugin]\nname = \"good\"\nversion = \"1\"\nabi = \"0.3\"\nunloadable = true\n"
            "[[library]]\nfile = \"libgood.so\"\n" +
                std::string(kGood));
  box.plugin("user", "good", kGood + std::string("[requires]\nplugins = [\"good\"]\n"));
  EXPECT_THAT(box.last({{"load", "user"}, {"unload", "good"}}),
              HasSubstr("is required by plugin user"));
  EXPECT_THAT(box.last({{"interface", "test.good", "1"}, {"unload", "good"}}),
              StartsWith("error busy"));
  EXPECT_THAT(box.last({{"load", "user"}, {"unload", "user"}}), HasSubstr("unloadable = true"));
}

TEST(Loader, AnInitForAnotherAbiIsRefusedAndNamesBoth) {
  Sandbox box;
  const auto answers = box.run({{"init_with", "7", "3"}, {"init"}});
  EXPECT_THAT(answers.at(0), StartsWith("error incompatible"));
  EXPECT_THAT(answers.at(0), HasSubstr("7.3"));
  EXPECT_THAT(answers.at(0), HasSubstr("0.3"));
  EXPECT_EQ(answers.at(1), "ok");
}

TEST(Doctor, TellsOfPluginsWithTheirReasonsAndOfConfigurationWithItsOrigin) {
  Sandbox box;
  box.plugin("good", "good", kGood);
  box.manifest("lost", "lost");
  box.config("threads = 3\n");
  const std::string text = box.last({{"doctor", "text"}});
  EXPECT_THAT(text, HasSubstr("good 1.0: discovered"));
  EXPECT_THAT(text, HasSubstr("lost 1.0: quarantined"));
  EXPECT_THAT(text, HasSubstr("tenon.toml:1"));
  const std::string json = box.last({{"doctor", "json"}});
  EXPECT_THAT(json, HasSubstr("\"name\":\"lost\",\"version\":\"1.0\",\"vendor\":\"\","
                              "\"state\":\"quarantined\""));
  EXPECT_THAT(json, HasSubstr("\"key\":\"threads\",\"value\":\"3\""));
}

TEST(Doctor, ReportsEvenWhenTheStartFailed) {
  Sandbox box;
  box.config("threads = \"many\"\n");
  EXPECT_THAT(box.last({{"doctor", "text"}}), HasSubstr("problem"));
}

}  // namespace
}  // namespace tenon_test
