package dev.hapax.domain.run;

import static dev.hapax.domain.definition.Steps.LEASE;
import static dev.hapax.domain.definition.Steps.code;
import static dev.hapax.domain.definition.Steps.signal;
import static dev.hapax.domain.definition.Steps.task;
import static dev.hapax.domain.definition.Steps.timer;
import static dev.hapax.domain.run.Story.BEGINNING;

import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.run.ControlRun.Verb;
import java.time.Duration;
import java.util.Optional;

/** Runs in the situations that the tables name. */
final class Situations {
  static final Duration HOUR = Duration.ofHours(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final String PAUSED = "paused, ";

  private Situations() {}

  static Story of(String name) {
    return name.startsWith(PAUSED) ? paused(name.substring(PAUSED.length())) : open(name);
  }

  private static Story open(String name) {
    return switch (name) {
      case "absent" -> Story.untold(task("work"));
      case "pending" -> Story.of(task("work"));
      case "pending, not due" -> {
        var story = Story.untold(task("work"));
        story.does(story.start(Optional.of(BEGINNING.plus(HOUR))));
        yield story;
      }
      case "held" -> Story.held(task("work"));
      case "held, more to come" -> Story.held(task("work"), task("more"));
      case "held, lease over" -> open("held").later(LEASE);
      case "held, last attempt" -> {
        var story = open("between attempts");
        story.does(story.fail(story.take()));
        story.later(MINUTE).take();
        yield story;
      }
      case "held, last attempt, lease over" -> open("held, last attempt").later(LEASE);
      case "pending, too late" -> {
        var story = Story.untold(task("work"));
        var timeouts = new RunTimeouts(Optional.of(MINUTE), Optional.empty());
        story.does(story.start(Optional.empty(), timeouts));
        yield story.later(MINUTE);
      }
      case "failed, not started" -> {
        var story = open("pending, too late");
        story.does(story.advance());
        yield story;
      }
      case "held, too late" -> limitedHeld().later(HOUR);
      case "timer, too late" -> limited(timer("pause", HOUR.plus(HOUR))).later(HOUR);
      case "between attempts, not due" -> {
        var story = open("held");
        story.does(story.fail(story.claim()));
        yield story;
      }
      case "between attempts" -> open("between attempts, not due").later(MINUTE);
      case "given back" -> {
        var story = open("held");
        story.does(new ReturnUndeliveredTask(story.claim()));
        yield story;
      }
      case "suspended" -> {
        var story = open("held");
        story.does(story.suspend(story.claim(), HOUR));
        yield story;
      }
      case "suspended, time over" -> open("suspended").later(HOUR);
      case "suspended for a signal" -> {
        var story = open("held");
        story.does(story.suspendFor(story.claim(), "go"));
        yield story;
      }
      case "suspended, unchecked inbox" -> {
        var story = open("held");
        story.does(story.signal("s0", "go"));
        story.does(story.suspendFor(story.claim(), "go"));
        yield story;
      }
      case "woken" -> {
        var story = open("suspended, time over");
        story.does(story.advance());
        yield story;
      }
      case "between steps" -> {
        var story = open("held, more to come");
        story.does(story.complete(story.claim()));
        yield story;
      }
      case "timer" -> Story.of(timer("pause", HOUR));
      case "timer, over" -> open("timer").later(HOUR);
      case "signal" -> Story.of(signal("approval", "go", HOUR));
      case "signal, timed out" -> open("signal").later(HOUR);
      case "completed" -> {
        var story = open("held");
        story.does(story.complete(story.claim()));
        yield story;
      }
      case "failed" -> {
        var story = open("held");
        story.does(story.failFinally(story.claim()));
        yield story;
      }
      case "failed, timed out" -> {
        var story = open("signal, timed out");
        story.does(story.advance());
        yield story;
      }
      case "failed, more to come" -> {
        var story = open("held, more to come");
        story.does(story.failFinally(story.claim()));
        yield story;
      }
      case "held, pay begun" -> {
        var story = Story.held(code("body"));
        story.does(story.report(story.claim(), Story.begin("pay")));
        yield story;
      }
      case "pay begun" -> {
        var story = open("held, pay begun");
        story.does(new ReturnUndeliveredTask(story.claim()));
        yield story;
      }
      case "pay to be retried" -> {
        var story = Story.held(code("body"));
        story.does(story.report(story.claim(), Story.failing("pay", 1)));
        story.does(story.suspend(story.claim(), HOUR));
        yield story;
      }
      case "held, pay failed" -> {
        var story = Story.held(code("body"));
        story.does(story.report(story.claim(), Story.failingForGood("pay", 1)));
        yield story;
      }
      case "pay failed, code goes on" -> {
        var story = open("held, pay failed");
        story.does(story.suspend(story.claim(), HOUR));
        yield story;
      }
      case "pay recorded" -> {
        var story = Story.held(code("body"));
        story.does(story.record(story.claim(), "pay"));
        story.does(story.suspend(story.claim(), HOUR));
        yield story;
      }
      case "failed by pay" -> failedBy(open("held, pay failed"), "pay");
      case "failed in doubt of pay" -> failedBy(open("held, pay begun"), "pay");
      case "failed beside pay begun" -> failedBy(open("held, pay begun"), "");
      case "failed, pay failed and caught" -> failedBy(open("held, pay failed"), "");
      case "cancelled" -> {
        var story = open("held");
        story.does(story.control(Verb.CANCEL));
        yield story;
      }
      default -> throw new IllegalArgumentException(name);
    };
  }

  /** With an hour for the run. */
  private static Story limited(StepDefinition step) {
    var story = Story.untold(step);
    var timeouts = new RunTimeouts(Optional.empty(), Optional.of(HOUR));
    story.does(story.start(Optional.empty(), timeouts));
    return story;
  }

  private static Story limitedHeld() {
    var story = limited(task("work"));
    story.does(new HeartbeatTask(story.take(), HOUR.plus(HOUR)));
    return story;
  }

  private static Story failedBy(Story story, String part) {
    story.does(story.failFinally(story.claim(), part));
    return story;
  }

  private static Story paused(String name) {
    return switch (name) {
      case "failed by pay" -> {
        var story = open("held, pay failed");
        story.does(story.control(Verb.PAUSE));
        yield failedBy(story, "pay");
      }
      case "held, too late" -> {
        var story = limitedHeld();
        story.does(story.control(Verb.PAUSE));
        yield story.later(HOUR);
      }
      case "all done" -> {
        var story = paused("held");
        story.does(story.complete(story.claim()));
        yield story;
      }
      case "step failed" -> {
        var story = paused("held");
        story.does(story.failFinally(story.claim()));
        yield story;
      }
      case "lease lost" -> {
        var story = paused("held").later(LEASE);
        story.does(story.advance());
        yield story;
      }
      default -> {
        // the clock advances during the pause
        var time = name.contains("over") || name.contains("timed out") ? HOUR : Duration.ZERO;
        var story = open(name.replace(", lease over", "").replace(", time over", ""));
        story.does(story.control(Verb.PAUSE));
        yield story.later(time);
      }
    };
  }
}
