package dev.reprise.softgpu.driver.api;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.reprise.bindings.cuda.CUlogsCallback;
import dev.reprise.softgpu.driver.context.ErrorLog;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.memory.HostMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Error log management. A message says which call failed, with which code, and why. */
final class LogFunctions extends Functions {

  private static final int LEVEL_ERROR = 0;
  private static final String LOST = "(earlier messages are lost)";
  private static final String CUT = "(the buffer holds the latest messages only)";

  private final Map<Long, Consumer<String>> callbacks = new ConcurrentHashMap<>();
  private final AtomicLong handles = new AtomicLong();

  LogFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuLogsRegisterCallback(
      MemorySegment callbackFunc, MemorySegment userData, MemorySegment callbackOut) {
    CallerMemory.required(callbackFunc, "callbackFunc");
    Consumer<String> listener = text -> call(callbackFunc, userData, text);
    // Handles are small odd numbers, unlike those of other objects.
    long handle = 2 * handles.incrementAndGet() + 1;
    callbacks.put(handle, listener);
    CallerMemory.writeLongIfWanted(callbackOut, handle);
    gpu().errorLog().listen(listener);
    return SUCCESS;
  }

  private static void call(MemorySegment callback, MemorySegment userData, String text) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment message = arena.allocateFrom(text);
      CUlogsCallback.invoke(callback, userData, LEVEL_ERROR, message, message.byteSize() - 1);
    }
  }

  int cuLogsUnregisterCallback(MemorySegment callback) {
    Consumer<String> listener = callbacks.remove(callback.address());
    if (listener == null) {
      throw CudaFailure.invalidValue(
          "0x%x is no registered callback".formatted(callback.address()));
    }
    gpu().errorLog().stop(listener);
    return SUCCESS;
  }

  int cuLogsCurrent(MemorySegment iteratorOut, int flags) {
    checkFlags(flags);
    CallerMemory.writeInt(iteratorOut, "iterator_out", gpu().errorLog().next());
    return SUCCESS;
  }

  private static void checkFlags(int flags) {
    if (flags != 0) {
      throw CudaFailure.invalidValue("flags " + flags + "; they must be 0");
    }
  }

  int cuLogsDumpToFile(MemorySegment iterator, MemorySegment pathToFile, int flags) {
    checkFlags(flags);
    String path = CallerMemory.readString(pathToFile, "pathToFile");
    ErrorLog.Extract extract = extract(iterator);
    List<String> lines = new ArrayList<>(extract.messages());
    if (!extract.complete()) {
      lines.addFirst(LOST);
    }
    try {
      Files.write(Path.of(path), lines);
    } catch (IOException | InvalidPathException e) {
      throw new CudaFailure(
          Result.OPERATING_SYSTEM, "cannot write %s: %s".formatted(path, e.getMessage()));
    }
    advance(iterator, extract);
    return SUCCESS;
  }

  int cuLogsDumpToMemory(
      MemorySegment iterator, MemorySegment buffer, MemorySegment size, int flags) {
    checkFlags(flags);
    long room = CallerMemory.readLong(CallerMemory.required(size, "size"));
    long address = CallerMemory.required(buffer, "buffer");
    ErrorLog.Extract extract = extract(iterator);
    CallerMemory.writeLong(size, "size", 0);
    if (room > 0) {
      HostMemory.ALL.set(JAVA_BYTE, address, (byte) 0);
    }
    if (!extract.messages().isEmpty()) {
      byte[] text = text(extract, room);
      MemorySegment.copy(text, 0, HostMemory.ALL, JAVA_BYTE, address, text.length);
      HostMemory.ALL.set(JAVA_BYTE, address + text.length, (byte) 0);
      CallerMemory.writeLong(size, "size", text.length);
    }
    advance(iterator, extract);
    return SUCCESS;
  }

  /** As many of the latest messages as fit with the end of the string. */
  private static byte[] text(ErrorLog.Extract extract, long room) {
    List<String> messages = extract.messages();
    for (int skipped = 0; skipped < messages.size(); skipped++) {
      List<String> lines = new ArrayList<>(messages.subList(skipped, messages.size()));
      if (skipped > 0) {
        lines.addFirst(CUT);
      } else if (!extract.complete()) {
        lines.addFirst(LOST);
      }
      byte[] text = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
      if (text.length < room) {
        return text;
      }
    }
    throw CudaFailure.invalidValue("a buffer of %d bytes holds no message".formatted(room));
  }

  private ErrorLog.Extract extract(MemorySegment iterator) {
    ErrorLog log = gpu().errorLog();
    return CallerMemory.isNull(iterator)
        ? log.all()
        : log.from(CallerMemory.readInt(iterator.address()));
  }

  private static void advance(MemorySegment iterator, ErrorLog.Extract extract) {
    CallerMemory.writeIntIfWanted(iterator, extract.next());
  }
}
