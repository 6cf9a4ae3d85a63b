package dev.reprise.benchmarks.compare;

import dev.reprise.benchmarks.calls.CalledDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Runs all arms in turn, round after round, so that what disturbs the machine for a while disturbs
 * all alike, and prints the tables. Started by {@code examples/benchmarks/compare}.
 */
public final class Compare {

  private static final String USAGE =
      """
      usage: compare [--quick] [--only REGEX]
        --quick       fewer and shorter runs, to see whether it works
        --only REGEX  only the arms whose operation and name, as in LAUNCH LWJGL, hold it
      """;

  private Compare() {}

  /** See the usage. */
  public static void main(String[] args) throws IOException, InterruptedException {
    boolean quick = false;
    Predicate<String> wanted = arm -> true;
    for (int i = 0; i < args.length; i++) {
      if (args[i].equals("--quick")) {
        quick = true;
      } else if (args[i].equals("--only") && i + 1 < args.length) {
        wanted = Pattern.compile(args[++i]).asPredicate();
      } else {
        System.err.print(USAGE);
        System.exit(2);
      }
    }
    Path scratch = Files.createTempDirectory("reprise-compare");
    try {
      Path nvidia = CalledDriver.path("reprise.benchmarks.nvidia");
      Path built = CalledDriver.path("reprise.benchmarks.built");
      Plan plan = quick ? Plan.quick(nvidia, built, scratch) : Plan.full(nvidia, built, scratch);
      run(plan, wanted);
    } finally {
      delete(scratch);
    }
  }

  private static void run(Plan plan, Predicate<String> wanted)
      throws IOException, InterruptedException {
    List<Arm> arms =
        Arms.all().stream().filter(arm -> wanted.test(arm.operation() + " " + arm.name())).toList();
    String before = Machine.load();
    Results results = new Results();
    for (int round = 1; round <= Math.max(plan.rounds(), plan.startRounds()); round++) {
      for (Arm arm : arms) {
        if (round > (arm.operation().isStart() ? plan.startRounds() : plan.rounds())) {
          continue;
        }
        System.err.printf("round %d: %s, %s%n", round, arm.operation(), arm.name());
        results.add(arm, arm.run(plan));
      }
    }
    System.out.printf(
        "%s.%n%nLoad %s before and %s after. Calls: %d processes of %d iterations of %d ms each; starts: %d processes.%n%n%s",
        Machine.describe(plan),
        before,
        Machine.load(),
        plan.rounds(),
        plan.iterations(),
        plan.milliseconds(),
        plan.startRounds(),
        results.markdown());
  }

  private static void delete(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
