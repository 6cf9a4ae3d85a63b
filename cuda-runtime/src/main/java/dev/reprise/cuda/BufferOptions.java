package dev.reprise.cuda;

/**
 * What kind of device memory {@link Device#allocate(String, long, BufferOptions)} gives. Immutable.
 *
 * @param automaticOrder whether the runtime orders the operations that use the buffer, on whatever
 *     streams: each comes behind the last that wrote it, and one that writes also behind those that
 *     have read it since. What an operation does is what it declares, see {@link KernelArg} and
 *     {@link Stream#declare}; numbers that streams wait for ({@link
 *     Stream#waitValue32(DeviceBuffer, long, int, WaitCondition)} and its like) do not count. It
 *     costs each operation an event that is recorded ({@code cuEventRecord}), a wait for each
 *     stream that used the buffer before ({@code cuStreamWaitEvent}), and some allocation on the
 *     Java heap. A graph cannot use such a buffer: in a capture and as a parameter of a node it is
 *     refused, since events outside of a graph do not order its nodes
 */
public record BufferOptions(boolean automaticOrder) {

  /** Memory whose uses the program orders. */
  public static final BufferOptions STANDARD = new BufferOptions(false);

  /** These, with uses that the runtime orders. */
  public BufferOptions withAutomaticOrder() {
    return new BufferOptions(true);
  }
}
