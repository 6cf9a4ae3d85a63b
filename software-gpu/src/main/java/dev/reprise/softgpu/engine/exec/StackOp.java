package dev.reprise.softgpu.engine.exec;

/**
 * What changes the stack pointer of a lane: where memory that was allocated on the stack begins. It
 * grows down from the end of the thread's local memory, towards the frames of functions (PTX ISA,
 * "Stack Manipulation Instructions").
 */
public final class StackOp extends Op {
  /** CUDA_ERROR_HARDWARE_STACK_ERROR. */
  private static final int STACK_ERROR = 714;

  /** What is done. */
  private enum Kind {
    START,
    ALLOCATE,
    RESTORE
  }

  private final Kind kind;
  private final int pointer;
  private final int framePointer;
  private final long frameBytes;
  private final int value;
  private final int result;
  private final long alignment;

  private StackOp(
      Kind kind,
      int pointer,
      int framePointer,
      long frameBytes,
      int value,
      int result,
      long alignment) {
    this.kind = kind;
    this.pointer = pointer;
    this.framePointer = framePointer;
    this.frameBytes = frameBytes;
    this.value = value;
    this.result = result;
    this.alignment = alignment;
  }

  /**
   * The frame of the function that an instruction is in.
   *
   * @param pointer long array with where it starts, -1 for the start of local memory
   */
  public record Frame(int pointer, long bytes) {}

  /**
   * The stack is empty.
   *
   * @param pointer long array
   */
  public static StackOp start(int pointer) {
    return new StackOp(Kind.START, pointer, -1, 0, -1, -1, 1);
  }

  /**
   * Allocates memory.
   *
   * @param pointer long array
   * @param size long array
   * @param result long array for where the memory begins
   * @param alignment a power of two
   */
  public static StackOp allocate(int pointer, Frame frame, int size, int result, long alignment) {
    return new StackOp(Kind.ALLOCATE, pointer, frame.pointer, frame.bytes, size, result, alignment);
  }

  /**
   * Sets the stack pointer.
   *
   * @param pointer long array
   * @param saved long array
   */
  public static StackOp restore(int pointer, Frame frame, int saved) {
    return new StackOp(Kind.RESTORE, pointer, frame.pointer, frame.bytes, saved, -1, 1);
  }

  @Override
  public void run(Warp w, int m) {
    for (int rest = m; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      long frame = framePointer < 0 ? 0 : w.l[framePointer][lane];
      long least = frame + frameBytes;
      switch (kind) {
        case START -> w.l[pointer][lane] = w.block.localBytes;
        case ALLOCATE -> {
          long top = w.l[pointer][lane];
          long size = w.l[value][lane];
          long begins = top - size & -alignment;
          if (size < 0 || size > top || begins < least) {
            throw new LaneFault(
                STACK_ERROR,
                line,
                lane,
                0,
                String.format(
                    "stack overflow: %s of %s bytes, aligned to %d, where %d of %d bytes of local"
                        + " memory are left",
                    text,
                    Long.toUnsignedString(size),
                    alignment,
                    Math.max(0, top - least),
                    w.block.localBytes));
          }
          w.l[pointer][lane] = begins;
          w.l[result][lane] = begins;
        }
        case RESTORE -> {
          long saved = w.l[value][lane];
          if (saved < least || saved > w.block.localBytes) {
            throw new LaneFault(
                STACK_ERROR,
                line,
                lane,
                0,
                String.format("%s to 0x%x, where the stack has never been", text, saved));
          }
          w.l[pointer][lane] = saved;
        }
      }
    }
  }
}
