package dev.reprise.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Functions of Java that the driver calls with nothing but user data. */
final class UserDataStub {

  private UserDataStub() {}

  /**
   * The native address, {@code void (*)(void *)}, of a static method of the class that looks it up.
   * It stays for good: a call may come at any time. The method throws nothing.
   */
  static MemorySegment to(MethodHandles.Lookup lookup, String method) {
    try {
      return Linker.nativeLinker()
          .upcallStub(
              lookup.findStatic(
                  lookup.lookupClass(),
                  method,
                  MethodType.methodType(void.class, MemorySegment.class)),
              FunctionDescriptor.ofVoid(ADDRESS),
              Arena.global());
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
