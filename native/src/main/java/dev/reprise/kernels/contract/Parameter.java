package dev.reprise.kernels.contract;

import dev.reprise.cuda.Access;
import java.util.List;

/** A parameter of a kernel, in the order of the kernel's signature. */
public sealed interface Parameter {

  /** Its name in the CUDA source and in error messages. */
  String name();

  /** What it is. */
  String meaning();

  /** Bytes in the parameter list of the kernel. */
  int size();

  /**
   * A pointer to a dense row-major array.
   *
   * @param name its name
   * @param type type of the elements
   * @param shape extents, outermost first, each a symbol of the contract; an empty shape is one
   *     element
   * @param alignment required of the address, in bytes
   * @param access what the kernel does with it
   * @param meaning what it holds
   */
  record Buffer(
      String name,
      ElementType type,
      List<String> shape,
      int alignment,
      Access access,
      String meaning)
      implements Parameter {

    /** Takes a copy of the shape. */
    public Buffer {
      shape = List.copyOf(shape);
    }

    @Override
    public int size() {
      return Long.BYTES;
    }

    /** Bytes that the array takes under these bindings. */
    public long bytes(Bindings bindings) {
      long bytes = type.bytes();
      for (String extent : shape) {
        bytes = Math.multiplyExact(bytes, bindings.get(extent));
      }
      return bytes;
    }

    /** Whether the kernel changes the array. */
    public boolean mutated() {
      return access != Access.READ;
    }
  }

  /**
   * A 32-bit integer; its limits are those of the symbol of the same name.
   *
   * @param name its name, also that of a symbol
   * @param meaning what it is
   */
  record Int(String name, String meaning) implements Parameter {
    @Override
    public int size() {
      return Integer.BYTES;
    }
  }

  /**
   * A 32-bit float.
   *
   * @param name its name
   * @param least smallest value allowed
   * @param most largest value allowed
   * @param meaning what it is
   */
  record Real(String name, float least, float most, String meaning) implements Parameter {
    @Override
    public int size() {
      return Float.BYTES;
    }

    /** Whether the value is allowed; NaN never is. */
    public boolean allows(float value) {
      return value >= least && value <= most;
    }
  }
}
