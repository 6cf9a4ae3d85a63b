package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.CUlogsCallback;
import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the driver says about calls that failed. */
class ErrorLogTest extends DriverTest {

  private static final MemorySegment NONE = MemorySegment.NULL;
  private static final String WIDTH =
      "cuStreamCreate: CUDA_ERROR_INVALID_VALUE (1): stream flags 77";

  private void fail() {
    expect(Result.INVALID_VALUE, cuda_h.cuStreamCreate(arena().allocate(8), 77));
  }

  private MemorySegment now() {
    MemorySegment iterator = arena().allocate(JAVA_INT);
    ok(cuda_h.cuLogsCurrent(iterator, 0));
    return iterator;
  }

  private String dump(MemorySegment iterator, long room) {
    MemorySegment buffer = arena().allocate(room).fill((byte) 'x');
    MemorySegment size = arena().allocateFrom(JAVA_LONG, room);
    ok(cuda_h.cuLogsDumpToMemory(iterator, buffer, size, 0));
    String text = buffer.getString(0);
    assertThat(size.get(JAVA_LONG, 0)).isEqualTo(text.length());
    return text;
  }

  @Test
  void aFailureIsToldOnce() {
    MemorySegment iterator = now();
    assertThat(dump(iterator, 64)).isEmpty();
    fail();
    String text = dump(iterator, 4096);
    assertThat(text).startsWith(WIDTH).endsWith("\n").hasLineCount(1);
    assertThat(dump(iterator, 4096)).isEmpty();
    stream();
    assertThat(dump(iterator, 4096)).as("a success").isEmpty();
    assertThat(dump(NONE, 100_000)).contains(WIDTH);
  }

  @Test
  void aSmallBufferHoldsTheLatestMessages() {
    MemorySegment iterator = now();
    MemorySegment same = arena().allocateFrom(JAVA_INT, iterator.get(JAVA_INT, 0));
    fail();
    expect(Result.INVALID_HANDLE, cuda_h.cuEventDestroy_v2(MemorySegment.ofAddress(0x77)));
    assertThat(dump(iterator, 4096)).hasLineCount(2).startsWith(WIDTH);
    assertThat(dump(same, 160))
        .startsWith("(the buffer holds the latest messages only)\ncuEventDestroy_v2: ")
        .endsWith("\n");
    MemorySegment start = now();
    fail();
    MemorySegment size = arena().allocateFrom(JAVA_LONG, 10);
    expect(Result.INVALID_VALUE, cuda_h.cuLogsDumpToMemory(start, arena().allocate(10), size, 0));
    assertThat(size.get(JAVA_LONG, 0)).isZero();
  }

  @Test
  void whatWasOverwrittenIsSaidToBeLost() {
    MemorySegment iterator = now();
    for (int i = 0; i < 500; i++) {
      fail();
    }
    String text = dump(iterator, 100_000);
    assertThat(text).startsWith("(earlier messages are lost)\n").contains(WIDTH);
    assertThat(text.length()).isBetween(25_000, 26_000);
  }

  @Test
  void aFileTakesTheSame(@TempDir Path folder) throws IOException {
    MemorySegment iterator = now();
    fail();
    Path file = folder.resolve("log.txt");
    ok(cuda_h.cuLogsDumpToFile(iterator, arena().allocateFrom(file.toString()), 0));
    assertThat(Files.readAllLines(file)).singleElement().asString().startsWith(WIDTH);
    MemorySegment nowhere = arena().allocateFrom(folder.resolve("no/such").toString());
    expect(Result.OPERATING_SYSTEM, cuda_h.cuLogsDumpToFile(iterator, nowhere, 0));
    expect(Result.INVALID_VALUE, cuda_h.cuLogsDumpToFile(iterator, NONE, 0));
  }

  @Test
  void callbacksHearOfEachFailureUntilTheyAreUnregistered() {
    List<String> heard = new ArrayList<>();
    MemorySegment callback =
        CUlogsCallback.allocate(
            (data, level, message, length) -> {
              String text = message.reinterpret(length + 1).getString(0);
              heard.add(data.address() + " " + level + " " + text);
              // What fails in here is not told again.
              fail();
            },
            arena());
    MemorySegment handle =
        out(slot -> cuda_h.cuLogsRegisterCallback(callback, MemorySegment.ofAddress(0x42), slot));
    fail();
    assertThat(heard).singleElement().asString().startsWith("66 0 " + WIDTH);
    ok(cuda_h.cuLogsUnregisterCallback(handle));
    fail();
    assertThat(heard).hasSize(1);
    expect(Result.INVALID_VALUE, cuda_h.cuLogsUnregisterCallback(handle));
    expect(Result.INVALID_VALUE, cuda_h.cuLogsRegisterCallback(NONE, NONE, NONE));
  }

  @Test
  void flagsAreReserved() {
    MemorySegment slot = arena().allocate(8);
    expect(Result.INVALID_VALUE, cuda_h.cuLogsCurrent(slot, 1));
    expect(Result.INVALID_VALUE, cuda_h.cuLogsDumpToMemory(NONE, slot, slot, 1));
  }
}
