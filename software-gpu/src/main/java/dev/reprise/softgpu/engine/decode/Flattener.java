package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.ptx.Function;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxException;
import dev.reprise.softgpu.ptx.Space;
import dev.reprise.softgpu.ptx.Statement;
import dev.reprise.softgpu.ptx.Variable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Turns the body of a kernel into one list: nested scopes are opened, calls of functions are
 * inlined, variables get their places in shared and local memory. A function that calls itself
 * cannot be inlined and is refused.
 */
final class Flattener {
  private static final int MOST_VECTORS = 4096;

  private final Map<String, Function> functions;
  private final FrameLayout frame;
  private final List<Item> items = new ArrayList<>();
  private final Deque<String> calls = new ArrayDeque<>();

  /**
   * @param functions device functions by name
   */
  Flattener(Map<String, Function> functions, FrameLayout frame) {
    this.functions = functions;
    this.frame = frame;
  }

  List<Item> flatten(List<Statement> body, Scope scope) {
    statements(body, scope, null);
    return items;
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
    }
    Function f = functions.get(callee.text());
    if (f != null && f.body() == null && f.linkage().equals("extern")) {
      f = DeviceRuntime.find(f.name(), i.line());
    }
    if (f == null || f.body() == null) {
      throw new PtxException(
          i.line(),
          i.column(),
          "unsupported call of "
              + callee.text()
              + ": only direct calls of functions with a body are supported");
    }
    if (calls.contains(f.name())) {
      throw new PtxException(i.line(), i.column(), "unsupported recursive call of " + f.name());
    }
    LabelTarget end = new LabelTarget("end of " + f.name());
    Statement.Guard guard = i.guard();
    if (guard != null) {
      items.add(
          new Item.Jump(
              i.line(), end, new Statement.Guard(guard.predicate(), !guard.negated()), scope));
    }
    Scope inner = new Scope(frame.module(), true);
    bind(i, f.results(), results, scope, inner);
    bind(i, f.parameters(), arguments, scope, inner);
    calls.push(f.name());
    statements(f.body(), inner, end);
    calls.pop();
    items.add(end);
  }

  /** Formal parameters are other names for the caller's variables. */
  private static void bind(
      Statement.Instruction i,
      List<Variable> formals,
      List<Operand> actuals,
      Scope caller,
      Scope callee) {
    if (formals.size() != actuals.size()) {
      throw new PtxException(
          i.line(),
          i.column(),
          "the call passes " + actuals.size() + " values for " + formals.size() + " parameters");
    }
    for (int k = 0; k < formals.size(); k++) {
      Symbol actual = actuals.get(k) instanceof Operand.Name n ? caller.find(n.text()) : null;
      if (!(actual instanceof Place p) || p.space != Space.LOCAL) {
        throw new PtxException(
            i.line(),
            i.column(),
            "unsupported argument " + actuals.get(k) + ": only .param variables can be passed");
      }
      if (p.variable.bytes() < formals.get(k).bytes()) {
        throw new PtxException(
            i.line(),
            i.column(),
            "argument " + actuals.get(k) + " is smaller than parameter " + formals.get(k).name());
      }
      callee.put(formals.get(k).name(), p);
    }
  }
}
