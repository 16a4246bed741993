package dev.hapax.console.limit;

import dev.hapax.console.view.ConsolePermission;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.DurationFormat;
import dev.hapax.console.view.PageLinks;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.LimitSetting;
import dev.hapax.v1.LimitState;
import dev.hapax.v1.ListLimitsRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Lists limits by name and value, with the runs that count and wait. */
public final class LimitListPage implements ConsolePage {
  private static final int PAGE_SIZE = 50;

  /** The API counts no more. */
  private static final int MOST_COUNTED = 1_000;

  /**
   * A page of limits.
   *
   * @param name of the limit whose values are listed; empty = all
   * @param set the forms for any limit; empty = the visitor may set none
   */
  public record View(String name, List<Verb> set, List<Row> limits, PageLinks pages) {}

  /**
   * A limit for one value of its key.
   *
   * @param of what it limits: steps or definitions
   * @param key empty = runs without a value
   * @param max empty = no number is known
   * @param rate empty = starts are not limited
   * @param setting empty = none is set for this value
   * @param verbs what the visitor may do with it
   */
  public record Row(
      String name,
      String of,
      String key,
      String max,
      String rate,
      int running,
      String waiting,
      Optional<DisplayTime> oldest,
      Optional<Setting> setting,
      List<Verb> verbs) {
    /** The limit and its value, to tell its buttons from those of others. */
    public String label() {
      return (name + " " + key).strip() + " of " + of;
    }
  }

  /** A number that was set: who did, when and why. */
  public record Setting(String by, DisplayTime at, String reason) {}

  /** A button and its address. */
  public record Verb(String title, String href) {}

  @Override
  public Reply show(Visit visit) {
    var limit = LimitAddress.read(visit.query());
    var token = visit.query().text(PageLinks.FIELD);
    var answer =
        visit
            .api()
            .limits()
            .listLimits(
                ListLimitsRequest.newBuilder()
                    .setWorkspace(visit.workspace())
                    .setName(limit.name())
                    .setPageSize(PAGE_SIZE)
                    .setPageToken(token)
                    .build());
    var view =
        new View(
            limit.name(),
            visit.may(ConsolePermission.OPERATE)
                ? List.of(any(false, visit), any(true, visit))
                : List.of(),
            answer.getLimitsList().stream().map(each -> row(each, visit)).toList(),
            PageLinks.of(limit.list(visit.workspace()), token, answer.getNextPageToken()));
    return Reply.page(Section.LIMITS, "Limits", "limit/list.jte", view);
  }

  private static Verb any(boolean ofDefinitions, Visit visit) {
    return new Verb(
        "Set a number of " + of(ofDefinitions),
        new LimitAddress(ofDefinitions, "", "").href(visit.workspace(), LimitVerb.SET));
  }

  private static String of(boolean ofDefinitions) {
    return ofDefinitions ? "definitions" : "steps";
  }

  private static Row row(LimitState limit, Visit visit) {
    return new Row(
        limit.getName(),
        of(limit.getOfDefinitions()),
        limit.getKey(),
        limit.getMaxRunning() == 0 ? "" : Integer.toString(limit.getMaxRunning()),
        limit.hasPer() ? rate(limit) : "",
        limit.getRunning(),
        limit.getWaiting() + (limit.getWaiting() < MOST_COUNTED ? "" : "+"),
        DisplayTime.optional(limit.hasOldestSince(), limit.getOldestSince(), visit.now()),
        limit.hasSetting() ? Optional.of(setting(limit.getSetting(), visit)) : Optional.empty(),
        visit.may(ConsolePermission.OPERATE) ? verbs(limit, visit) : List.of());
  }

  private static String rate(LimitState limit) {
    var per = Duration.ofSeconds(limit.getPer().getSeconds(), limit.getPer().getNanos());
    return limit.getMaxStarts() + " in " + DurationFormat.exact(per);
  }

  private static Setting setting(LimitSetting setting, Visit visit) {
    var principal = setting.getSetByPrincipal();
    return new Setting(
        setting.getSetBy() + (principal.isEmpty() ? "" : " (" + principal + ")"),
        DisplayTime.of(setting.getSetAt(), visit.now()),
        setting.getReason());
  }

  private static List<Verb> verbs(LimitState limit, Visit visit) {
    var address = new LimitAddress(limit.getOfDefinitions(), limit.getName(), limit.getKey());
    return (limit.hasSetting() ? List.of(LimitVerb.values()) : List.of(LimitVerb.SET))
        .stream()
            .map(verb -> new Verb(verb.title(), address.href(visit.workspace(), verb)))
            .toList();
  }
}
