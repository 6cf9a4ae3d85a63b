package dev.reprise.cuda;

import dev.reprise.cuda.access.DeclaredUse;
import dev.reprise.cuda.access.Extent;
import java.util.ArrayList;
import java.util.List;

/**
 * What a kernel does behind one of its pointers.
 *
 * @param place where the pointer points
 * @param bytes how much it uses from there, or {@link KernelArg#TO_END}
 * @param access what it does
 * @param argument the index of the argument
 */
record KernelUse(MemoryPlace place, long bytes, Access access, int argument) {

  /** What arguments that are all pointers say. */
  static List<KernelUse> all(KernelArg[] pointers) {
    List<KernelUse> uses = new ArrayList<>();
    for (int i = 0; i < pointers.length; i++) {
      uses.add(
          switch (pointers[i]) {
            case KernelArg.Memory memory -> of(memory, i);
            case KernelArg.HostMemory memory -> of(memory, i);
            default ->
                throw new IllegalArgumentException(
                    "Use %d is %s, which is not memory.".formatted(i, pointers[i]));
          });
    }
    return uses;
  }

  static KernelUse of(KernelArg.Memory memory, int argument) {
    MemoryPlace place = MemoryPlace.of(memory.buffer(), memory.offset());
    return new KernelUse(place, memory.bytes(), memory.access(), argument);
  }

  static KernelUse of(KernelArg.HostMemory memory, int argument) {
    MemoryPlace place = MemoryPlace.of(memory.buffer(), memory.offset());
    return new KernelUse(place, memory.bytes(), memory.access(), argument);
  }

  /** The same at another place. */
  KernelUse at(MemoryPlace other) {
    return new KernelUse(other, bytes, access, argument);
  }

  /** How many bytes the place must have at least. */
  long leastBytes() {
    return bytes == KernelArg.TO_END ? 1 : bytes;
  }

  private Extent extent() {
    return bytes == KernelArg.TO_END
        ? place.handle().from(place.offset())
        : Extent.of(place.offset(), bytes);
  }

  /** The use by an operation that is not in a graph, for the check of accesses. */
  DeclaredUse declared(String operation) {
    return place.handle().uses(operation, argument, access, List.of(extent())).getFirst();
  }

  /** Enters it in a ledger as a pointer of {@code holder}, and its use as one of an operation. */
  void enter(String holder, String operation, CaptureLedger ledger) {
    ledger.pointer(holder, argument, place.facade(), place.handle(), place.offset(), access);
    if (place.handle().context().checker() != null) {
      ledger.use(operation, argument, place.handle(), access, List.of(extent()));
    }
  }
}
