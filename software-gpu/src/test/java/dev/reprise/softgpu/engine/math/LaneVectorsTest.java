package dev.reprise.softgpu.engine.math;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the Vector API computes in each lane is what plain Java does. */
class LaneVectorsTest {
  private static final int LANES = 32;

  /** A predicate of one lane where plain Java has it as all ones or 0. */
  private static final Set<String> COMPARISONS =
      Set.of("eq", "notEq", "ltS", "notLtS", "ltU", "notLtU", "predicate");

  /** A class of registers: what a lane has, and what several have. */
  private record Kind(Class<?> scalar, String vector) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind(int.class, "IntVector"),
          new Kind(float.class, "FloatVector"),
          new Kind(long.class, "LongVector"),
          new Kind(double.class, "DoubleVector"));

  private static boolean predicate(Method scalar, int parameter) {
    return parameter < 0
        ? COMPARISONS.contains(scalar.getName())
        : scalar.getName().equals("predicate")
            || scalar.getName().equals("select") && parameter == 2;
  }

  /** What the method on vectors that belongs to one on lanes is to look like. */
  private static String form(Method scalar, Method vector) {
    List<String> types = new ArrayList<>();
    Class<?>[] parameters = scalar.getParameterTypes();
    for (int k = 0; k < parameters.length; k++) {
      boolean constant =
          k < vector.getParameterCount() && vector.getParameterTypes()[k] == int.class;
      types.add(constant ? "int" : type(parameters[k], predicate(scalar, k)));
    }
    return scalar.getName() + types + type(scalar.getReturnType(), predicate(scalar, -1));
  }

  private static String type(Class<?> scalar, boolean predicate) {
    return predicate
        ? "VectorMask"
        : KINDS.stream().filter(k -> k.scalar == scalar).findFirst().orElseThrow().vector;
  }

  private static String form(Method m) {
    return m.getName()
        + Arrays.stream(m.getParameterTypes()).map(Class::getSimpleName).toList()
        + m.getReturnType().getSimpleName();
  }

  private static Stream<Method> methods() {
    return Stream.of(LaneVectors.class, FloatLaneVectors.class)
        .flatMap(c -> Arrays.stream(c.getMethods()));
  }

  private static List<Method> vectors(Method scalar) {
    return methods()
        .filter(m -> m.getParameterCount() == scalar.getParameterCount())
        .filter(m -> form(scalar, m).equals(form(m)))
        .toList();
  }

  @Test
  void eachFunctionOfLanesHasOneOfVectors() {
    Set<String> missing = new TreeSet<>();
    for (Method m : scalars()) {
      if (vectors(m).isEmpty()) {
        missing.add(m.toString());
      }
    }
    assertThat(missing).isEmpty();
  }

  private static List<Method> scalars() {
    return Arrays.stream(LaneScalars.class.getMethods())
        .filter(m -> m.getDeclaringClass() == LaneScalars.class)
        .filter(m -> !m.getName().equals("spread"))
        .toList();
  }

  @Test
  void vectorsComputeWhatLanesDo() throws ReflectiveOperationException {
    int compared = 0;
    for (Method scalar : scalars()) {
      for (Method vector : vectors(scalar)) {
        for (int seed = 1; seed <= 30; seed++) {
          compare(scalar, vector, seed);
          compared++;
        }
      }
    }
    assertThat(compared).isGreaterThan(30 * 100);
  }

  private static void compare(Method scalar, Method vector, int seed)
      throws ReflectiveOperationException {
    Random random = new Random(seed);
    Class<?>[] types = scalar.getParameterTypes();
    Object[] operands = new Object[types.length];
    for (int k = 0; k < types.length; k++) {
      if (vector.getParameterTypes()[k] == int.class) {
        operands[k] = constant(scalar, k, random);
      } else if (predicate(scalar, k)) {
        operands[k] = random.nextInt();
      } else {
        operands[k] = random(types[k], random);
      }
    }
    Class<?> type = scalar.getReturnType();
    boolean predicate = predicate(scalar, -1);
    Object got = Array.newInstance(type, LANES);
    int bits = 0;
    for (int k = 0; k < LANES; k += LaneVectors.LANES) {
      Object[] arguments = new Object[operands.length];
      for (int n = 0; n < operands.length; n++) {
        arguments[n] =
            vector.getParameterTypes()[n] == int.class
                ? operands[n]
                : call(predicate(scalar, n) ? "mask" : "load", operands[n], k);
      }
      Object result = vector.invoke(null, arguments);
      if (predicate) {
        bits = (int) call("collect", bits, result, k);
      } else {
        call("store", result, got, k);
      }
    }
    for (int lane = 0; lane < LANES; lane++) {
      Object[] arguments = new Object[operands.length];
      for (int n = 0; n < operands.length; n++) {
        Object o = operands[n];
        arguments[n] =
            o.getClass().isArray()
                ? Array.get(o, lane)
                : predicate(scalar, n) ? ((int) o << 31 - lane) >> 31 : o;
      }
      Object want = scalar.invoke(null, arguments);
      Object have = predicate ? (bits << 31 - lane) >> 31 : Array.get(got, lane);
      // Which NaN it is, is seen by nobody: what looks at bits makes them canonical.
      assertThat(have)
          .as("%s, seed %d, of %s", vector, seed, Arrays.toString(arguments))
          .isEqualTo(want);
    }
  }

  private static int constant(Method scalar, int parameter, Random random) {
    boolean keep = scalar.getName().equals("field") && parameter == 2;
    boolean wide = scalar.getParameterTypes()[0] == long.class;
    return keep ? random.nextInt() : random.nextInt(wide ? 64 : 32);
  }

  /** The method of that name that takes such arguments. */
  private static Object call(String name, Object... arguments) throws ReflectiveOperationException {
    List<Method> fitting =
        methods()
            .filter(m -> m.getName().equals(name) && m.getParameterCount() == arguments.length)
            .filter(m -> takes(m, arguments))
            .collect(Collectors.toList());
    assertThat(fitting).as(name).hasSize(1);
    return fitting.getFirst().invoke(null, arguments);
  }

  private static boolean takes(Method m, Object[] arguments) {
    for (int k = 0; k < arguments.length; k++) {
      Class<?> type = m.getParameterTypes()[k];
      boolean fits =
          type == int.class ? arguments[k] instanceof Integer : type.isInstance(arguments[k]);
      if (!fits) {
        return false;
      }
    }
    return true;
  }

  /** Numbers of all sizes, special ones, and some that are equal to others. */
  private static Object random(Class<?> type, Random random) {
    Object array = Array.newInstance(type, LANES);
    for (int k = 0; k < LANES; k++) {
      int sort = random.nextInt(8);
      long bits = random.nextLong() >> random.nextInt(64);
      if (type == int.class) {
        Array.set(array, k, sort == 0 ? Integer.MIN_VALUE : (int) bits);
      } else if (type == long.class) {
        Array.set(array, k, sort == 0 ? Long.MIN_VALUE : bits);
      } else if (type == float.class) {
        Array.set(array, k, sort < 4 ? SPECIAL[random.nextInt(SPECIAL.length)] : any(random));
      } else {
        double d = Double.longBitsToDouble(random.nextLong());
        Array.set(array, k, sort < 4 ? (double) SPECIAL[random.nextInt(SPECIAL.length)] : d);
      }
    }
    return array;
  }

  private static float any(Random random) {
    return random.nextBoolean()
        ? random.nextFloat(-150, 150)
        : Float.intBitsToFloat(random.nextInt());
  }

  private static final float[] SPECIAL = {
    0f,
    -0f,
    1f,
    -1f,
    0.5f,
    1.5f,
    2.5f,
    Float.NaN,
    Float.intBitsToFloat(0xffc0_1234),
    Float.POSITIVE_INFINITY,
    Float.NEGATIVE_INFINITY,
    Float.MIN_VALUE,
    -Float.MIN_NORMAL,
    Float.MAX_VALUE,
    127f,
    -149.5f
  };
}
