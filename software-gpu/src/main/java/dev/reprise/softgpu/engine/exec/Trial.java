package dev.reprise.softgpu.engine.exec;

/**
 * Decides when generated code takes over. It is slow until the JIT has compiled it, which takes a
 * while on a busy machine; so it only does a run now and then, and is timed against the
 * interpretation, until it has won often enough. It takes a few times what the interpretation does
 * meanwhile. Threads share it without care for each other: a lost count only delays the decision.
 */
final class Trial {
  /** One run of so many is timed, with either way in turn. */
  private static final int EVERY = 2;

  /** Wins in a row after which the generated code does all. */
  private static final int WINS = 16;

  /** How much more time than the interpretation the generated code may take meanwhile. */
  private static final int SHARE = 16;

  /** By which part it may be slower and still win. */
  private static final int TIE = 16;

  /** How many times as long as its mean one run counts at most. */
  private static final int MOST_SLOWER = 4;

  /** Nanoseconds of trying: a JVM that has not made it fast by then never will. */
  private static final long MOST = 3_000_000_000L;

  private final long most;
  private int runs;
  private long tried;
  private int wins;

  /** Running means: the JIT makes both faster. */
  private long interpretedNanos;

  private long generatedNanos;

  /** How much longer the generated code took than the runs since would have. */
  private long owed;

  private boolean won;

  /**
   * @param won whether the generated code does all from the start
   */
  Trial(boolean won) {
    this(won, MOST);
  }

  /**
   * @param most nanoseconds of trying
   */
  Trial(boolean won, long most) {
    this.won = won;
    this.most = most;
  }

  /** Whether the generated code does all. */
  boolean won() {
    return won;
  }

  /** Whether it is given up. */
  boolean lost() {
    return tried > most && !won;
  }

  /** Does one run, by the one or the other. */
  void run(CompiledRun generated, CompiledRun interpreted, Warp w, int m, Op[] ops) {
    if (owed > 0) {
      owed -= interpretedNanos;
      interpreted.run(w, m, ops);
      return;
    }
    int turn = runs++ % (2 * EVERY);
    if (turn == 0) {
      long start = System.nanoTime();
      interpreted.run(w, m, ops);
      long nanos = Math.max(1, System.nanoTime() - start);
      interpretedNanos = mean(interpretedNanos, nanos);
    } else if (turn == EVERY) {
      long start = System.nanoTime();
      generated.run(w, m, ops);
      long nanos = System.nanoTime() - start;
      tried += nanos;
      generatedNanos = mean(generatedNanos, nanos);
      // What is about as fast wins, too: there is no more to find out.
      wins = generatedNanos <= interpretedNanos + interpretedNanos / TIE ? wins + 1 : 0;
      won = wins >= WINS;
      owed = (nanos - interpretedNanos) / SHARE;
    } else {
      interpreted.run(w, m, ops);
    }
  }

  /**
   * Follows what is faster at once, as code that the JIT has compiled, and what is slower slowly: a
   * thread that is interrupted for milliseconds must not make the other way win.
   */
  private static long mean(long known, long nanos) {
    if (nanos < known) {
      return (known + nanos) / 2;
    }
    return known == 0 ? nanos : (7 * known + Math.min(nanos, MOST_SLOWER * known)) / 8;
  }
}
