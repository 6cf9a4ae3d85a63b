package dev.reprise.softgpu.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import dev.reprise.softgpu.driver.support.Result;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** What addresses are, asked for several attributes at once, and what can be set. */
class PointerAttributeTest extends DriverTest {

  private static final int MEMORY_TYPE = 2;
  private static final int DEVICE_POINTER = 3;
  private static final int HOST_POINTER = 4;
  private static final int SYNC_MEMOPS = 6;
  private static final int DEVICE_ORDINAL = 9;
  private static final int RANGE_SIZE = 12;

  private MemorySegment ask(long pointer, int... attributes) {
    MemorySegment values = arena().allocate(JAVA_LONG, attributes.length);
    values.fill((byte) 0x55);
    MemorySegment pointers = arena().allocate(ADDRESS, attributes.length);
    for (int i = 0; i < attributes.length; i++) {
      pointers.setAtIndex(ADDRESS, i, values.asSlice(i * 8L, 8));
    }
    MemorySegment ids = arena().allocateFrom(JAVA_INT, attributes);
    ok(cuda_h.cuPointerGetAttributes(attributes.length, ids, pointers, pointer));
    return values;
  }

  @Test
  void severalAreAnsweredAtOnce() {
    long memory = device(300);
    MemorySegment values = ask(memory + 4, MEMORY_TYPE, RANGE_SIZE, DEVICE_ORDINAL, DEVICE_POINTER);
    assertThat(values.get(JAVA_INT, 0)).isEqualTo(2);
    assertThat(values.get(JAVA_LONG, 8)).isEqualTo(300);
    assertThat(values.get(JAVA_INT, 16)).isZero();
    assertThat(values.get(JAVA_LONG, 24)).isEqualTo(memory + 4);
  }

  @Test
  void whatAnAddressLacksIsNothingAndNoError() {
    MemorySegment values = ask(device(16), HOST_POINTER);
    assertThat(values.get(JAVA_LONG, 0)).isZero();
    MemorySegment pageable = arena().allocate(8);
    values = ask(pageable.address(), MEMORY_TYPE, DEVICE_POINTER, DEVICE_ORDINAL, SYNC_MEMOPS);
    assertThat(values.get(JAVA_INT, 0)).isZero();
    assertThat(values.get(JAVA_LONG, 8)).isZero();
    assertThat(values.get(JAVA_INT, 16)).as("CU_DEVICE_INVALID").isEqualTo(-2);
    assertThat(values.get(JAVA_BYTE, 24)).isZero();
    assertThat(values.get(JAVA_BYTE, 25)).as("one byte was written").isEqualTo((byte) 0x55);
  }

  @Test
  void wrongQuestionsAreRefused() {
    MemorySegment one = arena().allocateFrom(JAVA_INT, 99);
    MemorySegment out = arena().allocateFrom(ADDRESS, arena().allocate(8));
    expect(Result.INVALID_VALUE, cuda_h.cuPointerGetAttributes(1, one, out, device(4)));
    one.set(JAVA_INT, 0, MEMORY_TYPE);
    expect(Result.INVALID_VALUE, cuda_h.cuPointerGetAttributes(0, one, out, device(4)));
    out.set(ADDRESS, 0, MemorySegment.NULL);
    expect(Result.INVALID_VALUE, cuda_h.cuPointerGetAttributes(1, one, out, device(4)));
    expect(Result.INVALID_VALUE, cuda_h.cuPointerGetAttribute(out, MEMORY_TYPE, one.address()));
  }

  @Test
  void synchronousOperationsCanBeAskedFor() {
    long memory = device(4);
    assertThat(ask(memory, SYNC_MEMOPS).get(JAVA_BYTE, 0)).isZero();
    MemorySegment on = arena().allocateFrom(JAVA_INT, 1);
    ok(cuda_h.cuPointerSetAttribute(on, SYNC_MEMOPS, memory));
    assertThat(ask(memory, SYNC_MEMOPS).get(JAVA_BYTE, 0)).isEqualTo((byte) 1);
    ok(cuda_h.cuMemsetD32_v2(memory, 7, 1));
    ok(cuda_h.cuStreamQuery(MemorySegment.NULL));
    expect(Result.INVALID_VALUE, cuda_h.cuPointerSetAttribute(on, MEMORY_TYPE, memory));
    expect(Result.INVALID_VALUE, cuda_h.cuPointerSetAttribute(on, SYNC_MEMOPS, on.address()));
    expect(
        Result.INVALID_VALUE,
        cuda_h.cuPointerSetAttribute(MemorySegment.NULL, SYNC_MEMOPS, memory));
  }
}
