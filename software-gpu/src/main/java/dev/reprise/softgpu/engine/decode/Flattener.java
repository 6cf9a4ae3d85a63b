package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.engine.exec.DeviceCallOp;
import dev.reprise.softgpu.ptx.Function;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxException;
import dev.reprise.softgpu.ptx.Space;
import dev.reprise.softgpu.ptx.Statement;
import dev.reprise.softgpu.ptx.Variable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Turns the body of a kernel into one list: nested scopes are opened, calls of functions are
 * inlined, variables get their places in shared and local memory. Functions that call themselves or
 * are called by address follow behind the kernel.
 */
final class Flattener {
  private static final int MOST_VECTORS = 4096;

  private static final int DEEPEST_INLINING = 200;
  private static final int MOST_ITEMS = 1 << 20;

  /** Stands for the end of a procedure. */
  private static final LabelTarget RETURN = new LabelTarget("return");

  private final CallGraph graph;
  private final FrameLayout frame;
  private final List<Item> items = new ArrayList<>();
  private final Map<String, Procedure> procedures = new LinkedHashMap<>();
  private final Deque<Procedure> pending = new ArrayDeque<>();
  private boolean indirect;
  private int inlining;

  Flattener(CallGraph graph, FrameLayout frame) {
    this.graph = graph;
    this.frame = frame;
  }

  List<Item> flatten(List<Statement> body, Scope scope) {
    statements(body, scope, null);
    while (!pending.isEmpty()) {
      procedure(pending.remove());
    }
    return items;
  }

  /** What is called and not inlined. */
  Collection<Procedure> procedures() {
    return procedures.values();
  }

  private void procedure(Procedure p) {
    Function f = p.function;
    items.add(new Item.FrameStart(p));
    items.add(p.entry);
    frame.localFrame(p.frame);
    Scope inner = new Scope(frame.module(), true);
    f.results().forEach(v -> inner.put(v.name(), p.frame.place(v)));
    f.parameters().forEach(v -> inner.put(v.name(), p.frame.place(v)));
    statements(Objects.requireNonNull(f.body()), new Scope(inner, true), RETURN);
    items.add(new Item.Return(f.line(), null, inner));
  }

  private Procedure toCall(Function f) {
    return procedures.computeIfAbsent(
        f.name(),
        x -> {
          Procedure p = new Procedure(f);
          pending.add(p);
          return p;
        });
  }

  /**
   * @param end where {@code ret} leads in an inlined function, null in the kernel itself
   */
  private void statements(List<Statement> body, Scope scope, @Nullable LabelTarget end) {
    declare(body, scope);
    for (Statement s : body) {
      switch (s) {
        case Statement.Scope inner ->
            statements(inner.statements(), new Scope(scope, scope.inFunction), end);
        case Statement.Label label ->
            items.add((LabelTarget) Objects.requireNonNull(scope.find(label.name())));
        case Statement.Instruction i -> instruction(i, scope, end);
        case Statement.Registers r -> {}
        case Statement.Declaration d -> {}
        case Statement.BranchTargets t -> {}
        case Statement.CallPrototype p -> {}
      }
      if (items.size() > MOST_ITEMS) {
        throw new PtxException(
            s.line(), 0, "the kernel has more than " + MOST_ITEMS + " instructions");
      }
    }
  }

  private void declare(List<Statement> body, Scope scope) {
    for (Statement s : body) {
      switch (s) {
        case Statement.Registers r -> {
          if (r.vector() != 1) {
            vectorRegisters(r, scope);
          } else if (r.count() < 0) {
            scope.put(r.name(), new VirtualRegister(r.name(), r.type()));
          } else {
            scope.putRange(r.name(), r.type(), r.count());
          }
        }
        case Statement.Declaration d -> scope.put(d.variable().name(), place(d.variable()));
        case Statement.Label label -> scope.put(label.name(), new LabelTarget(label.name()));
        case Statement.BranchTargets t -> scope.put(t.name(), new TargetList(t.labels()));
        case Statement.CallPrototype p -> scope.put(p.name(), new Prototype(p));
        case Statement.Scope inner -> {}
        case Statement.Instruction i -> {}
      }
    }
  }

  /** {@code .reg .v4 .f32 v}: registers v.x to v.w, and v for all of them. */
  private static void vectorRegisters(Statement.Registers r, Scope scope) {
    if (r.count() > MOST_VECTORS) {
      throw new PtxException(
          r.line(), 0, r.count() + " vector registers are too many, " + MOST_VECTORS + " may be");
    }
    for (int k = 0; k < Math.max(r.count(), 1); k++) {
      String name = r.count() < 0 ? r.name() : r.name() + k;
      List<Operand> parts = new ArrayList<>();
      for (int part = 0; part < r.vector(); part++) {
        String partName = name + "." + "xyzw".charAt(part);
        scope.put(partName, new VirtualRegister(partName, r.type()));
        parts.add(new Operand.Name(partName, 0));
      }
      scope.put(name, new VectorRegister(new Operand.Vector(parts)));
    }
  }

  /** The instruction with whole vector registers written as vectors. */
  private static Statement.Instruction withVectors(Statement.Instruction i, Scope scope) {
    List<Operand> operands = new ArrayList<>();
    boolean any = false;
    for (Operand o : i.operands()) {
      boolean vector =
          o instanceof Operand.Name n && scope.find(n.text()) instanceof VectorRegister;
      any |= vector;
      operands.add(
          vector && o instanceof Operand.Name n && scope.find(n.text()) instanceof VectorRegister v
              ? v.parts()
              : o);
    }
    return any ? i.with(operands) : i;
  }

  private Place place(Variable v) {
    return switch (v.space()) {
      case SHARED -> frame.shared(v);
      // Parameters of calls are memory of the thread.
      case LOCAL, PARAM -> frame.local(v);
      default ->
          throw new PtxException(
              v.line(),
              0,
              "a " + v.space() + " variable inside a function is not supported: " + v.name());
    };
  }

  private void instruction(Statement.Instruction i, Scope scope, @Nullable LabelTarget end) {
    i.operands().forEach(o -> placeShared(o, scope));
    if (i.opcode().equals("call")) {
      call(i, scope);
    } else if (end == RETURN && i.opcode().equals("ret")) {
      items.add(new Item.Return(i.line(), i.guard(), scope));
    } else if (end != null && i.opcode().equals("ret")) {
      items.add(new Item.Jump(i.line(), end, i.guard(), scope));
    } else {
      items.add(new Item.Step(withVectors(i, scope), scope));
    }
  }

  /** Gives a shared variable of the module its place in this kernel. */
  private void placeShared(Operand o, Scope scope) {
    String name =
        switch (o) {
          case Operand.Name n -> n.text();
          case Operand.Address a -> a.base() == null ? null : a.base().text();
          default -> null;
        };
    if (name != null && scope.find(name) == null) {
      Place p = frame.moduleShared(name);
      if (p != null) {
        frame.module().put(name, p);
      }
    }
  }

  private void call(Statement.Instruction i, Scope scope) {
    List<Operand> results = List.of();
    List<Operand> arguments = List.of();
    int at = 0;
    List<Operand> operands = i.operands();
    if (at < operands.size() && operands.get(at) instanceof Operand.Arguments a) {
      results = a.elements();
      at++;
    }
    if (at >= operands.size() || !(operands.get(at) instanceof Operand.Name callee)) {
      throw new PtxException(i.line(), i.column(), "a call needs the name of a function");
    }
    at++;
    if (at < operands.size() && operands.get(at) instanceof Operand.Arguments a) {
      arguments = a.elements();
      at++;
    }
    List<Place> from = places(i, arguments, scope);
    List<Place> to = places(i, results, scope);
    if (scope.find(callee.text()) instanceof VirtualRegister) {
      Symbol types =
          at < operands.size() && operands.get(at) instanceof Operand.Name n
              ? scope.find(n.text())
              : null;
      callByAddress(i, scope, callee, types, to, from);
      return;
    }
    Function f = graph.function(callee.text());
    if (f != null && f.body() == null && DeviceCallOp.provides(f.name())) {
      if (from.size() != DeviceCallOp.parameters(f.name()) || to.size() > 1) {
        throw new PtxException(i.line(), i.column(), "wrong arguments for " + f.name());
      }
      items.add(new Item.Builtin(i, scope, f.name(), to, from));
      return;
    }
    if (f != null && f.body() == null && f.linkage().equals("extern")) {
      f = DeviceRuntime.find(f.name(), i.line());
    }
    if (f == null || f.body() == null) {
      throw new PtxException(
          i.line(),
          i.column(),
          "unsupported call of "
              + callee.text()
              + ": it is no function with a body, nor one that the device provides");
    }
    check(i, f.results(), to);
    check(i, f.parameters(), from);
    if (graph.recursive(f.name())) {
      List<Variable> formals = both(f.results(), f.parameters());
      items.add(new Item.Call(i, scope, toCall(f), null, frame.localFrame(), to, from, formals));
    } else {
      inline(i, scope, f, to, from);
    }
  }

  private void callByAddress(
      Statement.Instruction i,
      Scope scope,
      Operand target,
      @Nullable Symbol types,
      List<Place> to,
      List<Place> from) {
    List<Variable> results = to.stream().map(p -> p.variable).toList();
    List<Variable> parameters = from.stream().map(p -> p.variable).toList();
    if (types instanceof Prototype p) {
      results = p.statement().results();
      parameters = p.statement().parameters();
      check(i, results, to);
      check(i, parameters, from);
    }
    if (!indirect) {
      indirect = true;
      for (String name : graph.addressed()) {
        toCall(Objects.requireNonNull(graph.function(name)));
      }
    }
    items.add(
        new Item.Call(
            i, scope, null, target, frame.localFrame(), to, from, both(results, parameters)));
  }

  private static List<Variable> both(List<Variable> results, List<Variable> parameters) {
    List<Variable> all = new ArrayList<>(results);
    all.addAll(parameters);
    return all;
  }

  private void inline(
      Statement.Instruction i, Scope scope, Function f, List<Place> to, List<Place> from) {
    if (inlining == DEEPEST_INLINING) {
      throw new PtxException(
          i.line(), i.column(), "calls are nested deeper than " + DEEPEST_INLINING);
    }
    LabelTarget end = new LabelTarget("end of " + f.name());
    List<Statement> body = Objects.requireNonNull(f.body());
    List<Item> kept = StackDecoder.allocates(body) ? StackDecoder.kept(i, scope) : List.of();
    items.addAll(kept.subList(0, kept.size() / 2));
    Statement.Guard guard = i.guard();
    if (guard != null) {
      items.add(
          new Item.Jump(
              i.line(), end, new Statement.Guard(guard.predicate(), !guard.negated()), scope));
    }
    // Formal parameters are other names for the caller's variables.
    Scope inner = new Scope(frame.module(), true);
    for (int k = 0; k < to.size(); k++) {
      inner.put(f.results().get(k).name(), to.get(k));
    }
    for (int k = 0; k < from.size(); k++) {
      inner.put(f.parameters().get(k).name(), from.get(k));
    }
    inlining++;
    statements(body, inner, end);
    inlining--;
    items.add(end);
    items.addAll(kept.subList(kept.size() / 2, kept.size()));
  }

  /** The variables that a call passes. */
  private static List<Place> places(Statement.Instruction i, List<Operand> actuals, Scope caller) {
    List<Place> all = new ArrayList<>();
    for (Operand o : actuals) {
      Symbol actual = o instanceof Operand.Name n ? caller.find(n.text()) : null;
      if (!(actual instanceof Place p) || p.space != Space.LOCAL) {
        throw new PtxException(
            i.line(),
            i.column(),
            "unsupported argument " + o + ": only .param variables can be passed");
      }
      all.add(p);
    }
    return all;
  }

  private static void check(Statement.Instruction i, List<Variable> formals, List<Place> actuals) {
    if (formals.size() != actuals.size()) {
      throw new PtxException(
          i.line(),
          i.column(),
          "the call passes " + actuals.size() + " values for " + formals.size() + " parameters");
    }
    for (int k = 0; k < formals.size(); k++) {
      Variable actual = actuals.get(k).variable;
      if (actual.bytes() < formals.get(k).bytes()) {
        throw new PtxException(
            i.line(),
            i.column(),
            "argument " + actual.name() + " is smaller than parameter " + formals.get(k).name());
      }
    }
  }
}
