package dev.reprise.softgpu.engine.exec;

import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What an operation computes in one lane: a method of {@link
 * dev.reprise.softgpu.engine.math.LaneScalars} and where its arguments are. It lets the operation
 * take part in generated code; the operation's own loop stays the reference.
 *
 * @param name name of the method; the kinds of the arguments pick the overload
 */
public record LaneFunction(String name, List<Argument> arguments) {

  /**
   * An argument.
   *
   * @param kind class of the array that holds it; null for a constant int
   * @param value number of the array, or the constant
   */
  public record Argument(@Nullable RegisterKind kind, int value) {}

  public static LaneFunction of(String name, Argument... arguments) {
    return new LaneFunction(name, List.of(arguments));
  }

  /** The classes of methods, by the name of each with its type. */
  static Map<String, ClassDesc> methods(Class<?>... of) {
    return Arrays.stream(of)
        .flatMap(c -> Arrays.stream(c.getDeclaredMethods()))
        .filter(m -> Modifier.isPublic(m.getModifiers()))
        .collect(
            Collectors.toUnmodifiableMap(
                m ->
                    m.getName()
                        + MethodTypeDesc.of(
                            RunCompiler.desc(m.getReturnType()),
                            Arrays.stream(m.getParameterTypes()).map(RunCompiler::desc).toList()),
                m -> RunCompiler.desc(m.getDeclaringClass())));
  }

  public static Argument i(int index) {
    return new Argument(RegisterKind.INT, index);
  }

  public static Argument f(int index) {
    return new Argument(RegisterKind.FLOAT, index);
  }

  public static Argument l(int index) {
    return new Argument(RegisterKind.LONG, index);
  }

  public static Argument d(int index) {
    return new Argument(RegisterKind.DOUBLE, index);
  }

  /** Passed as all ones or 0. */
  public static Argument p(int index) {
    return new Argument(RegisterKind.PREDICATE, index);
  }

  public static Argument n(int constant) {
    return new Argument(null, constant);
  }
}
