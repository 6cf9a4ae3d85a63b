package dev.reprise.cuda.faults;

import java.util.function.Function;

/**
 * One operation of the public API.
 *
 * @param name {@code Class.method}, with what is special about it
 * @param closes whether it closes something that it made for its own use; the failure of that is
 *     reported and not thrown
 * @param prepare makes what it needs and gives the operation itself, which can be called again
 *     after it failed
 */
record Operation(String name, boolean closes, Function<Workbench, Runnable> prepare) {

  static Operation of(String name, Function<Workbench, Runnable> prepare) {
    return new Operation(name, false, prepare);
  }

  static Operation closing(String name, Function<Workbench, Runnable> prepare) {
    return new Operation(name, true, prepare);
  }

  @Override
  public String toString() {
    return name;
  }
}
