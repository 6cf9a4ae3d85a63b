package dev.reprise.softgpu.engine.exec;

import java.lang.classfile.CodeBuilder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Operations that one generated loop over the lanes of a warp can do together: values pass between
 * them in local variables; only those that are needed later go into their arrays.
 */
final class LaneLoop {
  /**
   * Arrays in one loop of which the JIT is to make vector code: it keeps the address of each in a
   * processor register, and there are 16.
   */
  private static final int MOST_ARRAYS = 10;

  /** Elsewhere the JIT may keep some in memory. */
  private static final int MOST_ARRAYS_OTHERWISE = Results.MOST;

  /** Operations in one loop that the JIT is to make vector code of: it has so many registers. */
  private static final int LONGEST = 24;

  private static final int LONGEST_OTHERWISE = 96;

  private final Program program;
  private final boolean vectors;
  private final LoopLoads loads;
  private final List<Op> ops = new ArrayList<>();
  private final Set<Register> written = new LinkedHashSet<>();
  private final Set<Register> read = new HashSet<>();

  /** In what {@link #most} is. */
  private int cost;

  /**
   * @param vectors whether the code is to use the Vector API, and not to leave it to the JIT
   */
  LaneLoop(Program program, boolean vectors) {
    this.program = program;
    this.vectors = vectors;
    loads = new LoopLoads(program);
  }

  /** What it loads, which is to be found before it begins. */
  LoopLoads loads() {
    return loads;
  }

  private boolean computes(Op op) {
    return vectors
        ? op.guard < 0 && VectorLoop.computes(op, program) && VectorCost.of(op) < VectorCost.ALONE
        : op.function != null && op.guard < 0 && ScalarLoop.computes(op.function, op);
  }

  /** A loop that loads is scalar code, which is best for loads alone. */
  private boolean mayLoad() {
    return loads.any() || ops.isEmpty();
  }

  /** How much there may be: for vectors as {@link VectorCost} has it, else operations. */
  private int most() {
    if (vectors) {
      return VectorCost.MOST;
    }
    return loads.any() ? LONGEST_OTHERWISE : LONGEST;
  }

  private int mostArrays() {
    return vectors || loads.any() ? MOST_ARRAYS_OTHERWISE : MOST_ARRAYS;
  }

  /** Adds an operation if the loop can hold it, wherever the loop ends. */
  boolean add(Op op) {
    LoadOp load = vectors ? null : loads.vectors(op);
    boolean parameter = LoopLoads.parameter(op, program) != null;
    if (load == null && !parameter && !computes(op)) {
      return false;
    }
    // The address must be known before the loop begins.
    if (load != null && (written.contains(load.base()) || !mayLoad())) {
      return false;
    }
    if (cost >= most()) {
      return false;
    }
    if (load != null && !loads.add(load)) {
      return false;
    }
    for (Register r : op instanceof LoadOp ? Set.<Register>of() : op.reads()) {
      if (program.constant(r) != null) {
        cost += vectors ? VectorCost.ALL : 0;
      } else if (r.kind() != RegisterKind.PREDICATE && !written.contains(r) && read.add(r)) {
        cost += vectors ? VectorCost.LOAD : 0;
      }
    }
    ops.add(op);
    cost += vectors ? VectorCost.of(op) : 1;
    written.addAll(op.overwrites());
    return true;
  }

  /**
   * Whether the loop can end where it is.
   *
   * @param wanted which registers have a value then that may be read later
   */
  boolean fits(Predicate<Register> wanted) {
    long stored = written.stream().filter(r -> !read.contains(r) && wanted.test(r)).count();
    return read.size() + stored <= mostArrays() && (!vectors || cost + stores(wanted) <= most());
  }

  private int stores(Predicate<Register> wanted) {
    return stored(wanted).stream()
        .mapToInt(
            r -> r.kind() == RegisterKind.PREDICATE ? VectorCost.STORE_PREDICATE : VectorCost.STORE)
        .sum();
  }

  /**
   * Emits the loop.
   *
   * @param wanted which registers must be in their arrays when the loop has ended
   */
  void emit(CodeBuilder b, Predicate<Register> wanted) {
    Set<Register> stored = stored(wanted);
    LoopCode code =
        vectors
            ? new VectorLoop(program, ops, stored)
            : new ScalarLoop(program, ops, stored, loads);
    code.emit(b);
  }

  private Set<Register> stored(Predicate<Register> wanted) {
    Set<Register> all = new LinkedHashSet<>(written);
    all.removeIf(r -> !wanted.test(r));
    return all;
  }
}
