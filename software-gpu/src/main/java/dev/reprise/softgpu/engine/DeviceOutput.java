package dev.reprise.softgpu.engine;

import java.util.function.Consumer;

/**
 * What kernels print: kept until a synchronisation, then handed on, as CUDA does (Programming
 * Guide, "Formatted Output"). Beyond a mebibyte the oldest text is lost. Within a launch the text
 * is in the order of the blocks. Thread-safe.
 */
public final class DeviceOutput {
  private static final int MOST = 1 << 20;

  private final StringBuilder text = new StringBuilder();
  private Consumer<String> sink = DeviceOutput::toStandardOutput;

  @SuppressWarnings("SystemOut")
  private static void toStandardOutput(String s) {
    System.out.print(s);
    System.out.flush();
  }

  /** Hands what is printed from now on, and what is still kept, to another place. */
  public synchronized void redirect(Consumer<String> to) {
    sink = to;
  }

  synchronized void append(String s) {
    text.append(s);
    if (text.length() > MOST) {
      text.delete(0, text.length() - MOST);
    }
  }

  /** Hands on what is kept. Called by the driver when it synchronises. */
  public synchronized void flush() {
    if (!text.isEmpty()) {
      String s = text.toString();
      text.setLength(0);
      sink.accept(s);
    }
  }
}
