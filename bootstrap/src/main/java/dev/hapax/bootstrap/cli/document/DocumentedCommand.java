package dev.hapax.bootstrap.cli.document;

import dev.hapax.bootstrap.cli.ServerSettingOptions;
import dev.hapax.bootstrap.config.Settings;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** A command that is not hidden, with what its documents show. */
record DocumentedCommand(CommandSpec spec) {
  private static final Set<String> SETTINGS =
      Stream.concat(
              Settings.ALL.stream().map(setting -> setting.flag()),
              Stream.of(ServerSettingOptions.CONFIG_FLAG))
          .collect(Collectors.toSet());

  String name() {
    return spec.name();
  }

  /** The subcommands without their aliases. */
  List<DocumentedCommand> subcommands() {
    return spec.subcommands().values().stream()
        .map(command -> command.getCommandSpec())
        .filter(each -> !each.usageMessage().hidden())
        .distinct()
        .map(DocumentedCommand::new)
        .toList();
  }

  /** The options, except those of every command. */
  List<OptionSpec> options() {
    return spec.options().stream()
        .filter(option -> !option.hidden() && !isOfEveryCommand(option))
        .toList();
  }

  List<OptionSpec> optionsOfEveryCommand() {
    return spec.options().stream()
        .filter(option -> !option.hidden() && isOfEveryCommand(option))
        .toList();
  }

  /** The options that are not also settings of a server. */
  List<OptionSpec> ownOptions() {
    return options().stream().filter(option -> !isSetting(option)).toList();
  }

  boolean hasSettings() {
    return options().stream().anyMatch(DocumentedCommand::isSetting);
  }

  String description() {
    return String.join(" ", spec.usageMessage().description());
  }

  /** The first sentence of the description, for one line. */
  String summary() {
    return firstSentence(description());
  }

  static String summary(ArgSpec argument) {
    return firstSentence(String.join(" ", argument.description()));
  }

  /** The values that an option accepts; empty = others too. */
  static List<String> values(ArgSpec argument) {
    var candidates = argument.completionCandidates();
    return candidates == null
        ? List.of()
        : StreamSupport.stream(candidates.spliterator(), false).toList();
  }

  static boolean hasValue(OptionSpec option) {
    return option.arity().max() > 0;
  }

  static boolean isFile(ArgSpec argument) {
    return Stream.of("FILE", "DIR").anyMatch(argument.paramLabel()::contains);
  }

  private static String firstSentence(String text) {
    return text.replaceFirst("(?s)[.:;] .*", "").replaceFirst("\\.$", "");
  }

  private static boolean isSetting(OptionSpec option) {
    return SETTINGS.contains(option.longestName());
  }

  private static boolean isOfEveryCommand(OptionSpec option) {
    return option.usageHelp() || option.versionHelp() || option.longestName().equals("--verbose");
  }
}
