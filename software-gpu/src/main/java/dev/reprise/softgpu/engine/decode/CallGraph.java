package dev.reprise.softgpu.engine.decode;

import dev.reprise.softgpu.ptx.Function;
import dev.reprise.softgpu.ptx.Operand;
import dev.reprise.softgpu.ptx.PtxModule;
import dev.reprise.softgpu.ptx.Statement;
import dev.reprise.softgpu.ptx.Variable;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which functions of a module call which, and which of them cannot be inlined. */
final class CallGraph {
  /** Names that a body calls, and whether it also calls by address. */
  private record Calls(Set<String> direct, boolean indirect) {}

  private final Map<String, Function> functions = new LinkedHashMap<>();
  private final Map<String, Calls> calls = new HashMap<>();
  private final Set<String> addressed = new LinkedHashSet<>();
  private final Map<String, Boolean> recursive = new HashMap<>();

  CallGraph(PtxModule module) {
    for (Function f : module.functions()) {
      Function known = functions.get(f.name());
      if (!f.entry() && (known == null || known.body() == null)) {
        functions.put(f.name(), f);
      }
    }
    functions.values().forEach(f -> calls.put(f.name(), scan(f.body())));
    for (Function f : module.functions()) {
      if (f.entry()) {
        scan(f.body());
      }
    }
    for (Variable v : module.variables()) {
      for (Variable.Initial i : v.initial()) {
        addressed(i.symbol());
      }
    }
  }

  private Calls scan(@Nullable List<Statement> body) {
    Set<String> direct = new LinkedHashSet<>();
    boolean[] indirect = new boolean[1];
    if (body != null) {
      scan(body, direct, indirect);
    }
    return new Calls(direct, indirect[0]);
  }

  private void scan(List<Statement> body, Set<String> direct, boolean[] indirect) {
    for (Statement s : body) {
      if (s instanceof Statement.Scope inner) {
        scan(inner.statements(), direct, indirect);
      } else if (s instanceof Statement.Instruction i) {
        if (i.opcode().equals("call")) {
          String callee = callee(i);
          if (callee != null && functions.containsKey(callee)) {
            direct.add(callee);
          } else {
            indirect[0] = true;
          }
        } else {
          i.operands().forEach(o -> addressed(o instanceof Operand.Name n ? n.text() : null));
        }
      }
    }
  }

  private void addressed(@Nullable String name) {
    Function f = name == null ? null : functions.get(name);
    if (f != null && f.body() != null) {
      addressed.add(f.name());
    }
  }

  /** The name that a call gives for its target: of a function or a register. */
  static @Nullable String callee(Statement.Instruction i) {
    for (Operand o : i.operands()) {
      if (o instanceof Operand.Name n) {
        return n.text();
      }
    }
    return null;
  }

  @Nullable Function function(String name) {
    return functions.get(name);
  }

  /** Functions whose address the module takes. */
  Set<String> addressed() {
    return addressed;
  }

  private Set<String> callees(String name) {
    Calls c = calls.getOrDefault(name, new Calls(Set.of(), false));
    if (!c.indirect) {
      return c.direct;
    }
    Set<String> all = new LinkedHashSet<>(c.direct);
    all.addAll(addressed);
    return all;
  }

  /** Whether the function can be entered again before it has ended. */
  boolean recursive(String name) {
    return recursive.computeIfAbsent(name, this::reachesItself);
  }

  private boolean reachesItself(String name) {
    Set<String> seen = new LinkedHashSet<>();
    ArrayDeque<String> next = new ArrayDeque<>(callees(name));
    while (!next.isEmpty()) {
      String f = next.pop();
      if (f.equals(name)) {
        return true;
      }
      if (seen.add(f)) {
        next.addAll(callees(f));
      }
    }
    return false;
  }
}
