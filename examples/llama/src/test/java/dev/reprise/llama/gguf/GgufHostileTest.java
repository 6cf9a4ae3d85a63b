package dev.reprise.llama.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GgufHostileTest {
  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32, 65_537})
  void countsBeyondTheFileAreRefused(long count) {
    refused(new GgufBytes().head(count, 0)).hasMessageContaining("expected a tensor count");
    refused(new GgufBytes().head(0, count))
        .hasMessageContaining("expected a metadata key count")
        .hasMessageContaining("found " + Long.toUnsignedString(count));
    refused(new GgufBytes().head(0, 1).u64(count).pad(64))
        .hasMessageContaining("a length of metadata key 0");
    refused(array(GgufValueType.STRING, count).u32(0))
        .hasMessageContaining("an element count of metadata \"k\"");
    refused(array(GgufValueType.UINT64, count).u32(0))
        .hasMessageContaining("an element count of metadata \"k\"");
    refused(array(GgufValueType.ARRAY, count).u32(0))
        .hasMessageContaining("an element count of metadata \"k\"");
    refused(array(GgufValueType.STRING, 1).u64(count + 8))
        .hasMessageContaining("a length of a string in metadata \"k\"");
  }

  @Test
  void arraysNestedTooDeepAreRefused() {
    GgufBytes file = new GgufBytes().head(0, 1).string("k").u32(GgufValueType.ARRAY.id());
    for (int depth = 0; depth < 10_000; depth++) {
      file.u32(GgufValueType.ARRAY.id()).u64(1);
    }
    refused(file)
        .hasMessageContaining("arrays nested at most 4 deep in metadata \"k\", found a deeper one");
  }

  @Test
  void manyEmptyArraysAreReadInTimeOfTheFile() {
    int count = 1 << 20;
    GgufBytes file = array(GgufValueType.ARRAY, count);
    for (int i = 0; i < count; i++) {
      file.u32(GgufValueType.UINT8.id()).u64(0);
    }
    GgufFile parsed = GgufSamples.parse(file.toArray());
    assertThat((List<?>) parsed.metadata().value("k")).hasSize(count);
  }

  @Test
  void arraysWithMoreElementsThanFitTheHeapAreNotMadeIntoObjects() {
    int count = GgufValues.MAX_ELEMENTS + 1;
    GgufMetadata metadata =
        GgufSamples.parse(array(GgufValueType.UINT8, count).raw(new byte[count]).toArray())
            .metadata();
    assertThatThrownBy(() -> metadata.value("k"))
        .isInstanceOf(GgufException.class)
        .hasMessageContaining("at most 4194304 elements in metadata \"k\", found 4194305");
    assertThatThrownBy(() -> metadata.ints("k")).isInstanceOf(GgufException.class);
  }

  @Test
  void unknownTypesAndBadValuesAreRefused() {
    refused(new GgufBytes().head(0, 1).string("k").u32(13).u64(0))
        .hasMessageContaining("expected a type of metadata \"k\" from 0 to 12, found 13");
    refused(new GgufBytes().head(0, 1).string("k").u32(-1).u64(0))
        .hasMessageContaining("found 4294967295");
    refused(new GgufBytes().head(0, 1).string("k").u32(GgufValueType.BOOL.id()).u8(2).u64(0))
        .hasMessageContaining("of 0 or 1, found 2");
    refused(
            new GgufBytes()
                .head(0, 1)
                .string("k")
                .u32(GgufValueType.STRING.id())
                .u64(2)
                .u8(0xc3)
                .u8(0x28))
        .hasMessageContaining("in UTF-8, found malformed bytes");
    refused(new GgufBytes().head(0, 1).u64(0).pad(64)).hasMessageContaining("found 0");
  }

  @Test
  void aReplacementCharacterThatWasWrittenIsNoDamage() {
    GgufFile file = GgufSamples.parse(new GgufWriter().string("k", "a\uFFFDb").toArray());
    assertThat(file.metadata().string("k")).isEqualTo("a\uFFFDb");
  }

  @Test
  void namesThatComeTwiceAreRefused() {
    refused(new GgufWriter().u32("k", 1).u32("k", 1).toArray())
        .hasMessageContaining("expected a metadata key that was not there before, found \"k\"");
    byte[] four = new byte[4];
    refused(
            new GgufWriter()
                .tensor("t", GgufTensorType.F32, four, 1)
                .tensor("t", GgufTensorType.F32, four, 1)
                .toArray())
        .hasMessageContaining("expected a tensor name that was not there before, found \"t\"");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 3, 24, 33, 0x7fff_ffffL})
  void anAlignmentThatIsNoPowerOfTwoIsRefused(long alignment) {
    refused(new GgufWriter().u32("general.alignment", alignment).toArray())
        .hasMessage("test.gguf: general.alignment must be a power of two, and is " + alignment);
  }

  @Test
  void alignmentsTooLargeForTheFileAreRefused() {
    refused(new GgufWriter().u32("general.alignment", 1L << 31).toArray())
        .hasMessageContaining("found 2147483648");
    refused(
            new GgufWriter()
                .u32("general.alignment", 1L << 30)
                .tensor("t", GgufTensorType.F32, new byte[4], 1)
                .toArray())
        .hasMessageContaining(
            "to lie in the 0 bytes of tensor data, which begin at byte 1073741824");
  }

  @ParameterizedTest
  @ValueSource(longs = {64, 1L << 40, Long.MIN_VALUE, -32, Long.MAX_VALUE - 31})
  void offsetsOutsideTheFileAreRefused(long offset) {
    refused(tensor(offset, 8))
        .hasMessageContaining("the 32 bytes of tensor \"t\" to lie in the 64 bytes of tensor data");
  }

  @Test
  void offsetsOffTheAlignmentAreRefused() {
    refused(tensor(4, 8)).hasMessageContaining("a multiple of the alignment 32, found 4");
  }

  @Test
  void tensorsThatShareBytesAreRefused() {
    GgufBytes file = new GgufBytes().head(2, 0);
    file.string("a").u32(1).u64(16).u32(0).u64(0);
    file.string("b").u32(1).u64(8).u32(0).u64(32);
    refused(file.pad(32).raw(new byte[64]))
        .hasMessageContaining(
            "tensor \"b\" to begin after tensor \"a\", which ends at offset 64, found offset 32");
  }

  @Test
  void dimensionsWhoseProductOverflowsAreRefused() {
    refused(tensor(0, 0))
        .hasMessageContaining("dimension 0 of tensor \"t\" to be 1 or more")
        .hasMessageContaining("found 0");
    refused(tensor(0, -1)).hasMessageContaining("found 18446744073709551615");
    refused(tensor(0, 1L << 32, 1L << 32))
        .hasMessageContaining("with a product below 2^63, found 4294967296");
    refused(tensor(0, 3, 1L << 62)).hasMessageContaining("with a product below 2^63");
    refused(tensor(0, Long.MAX_VALUE)).hasMessageContaining("to fit the file");
    refused(tensor(0, 1L << 31, 1L << 31))
        .hasMessageContaining("4611686018427387904 elements of type F32");
  }

  @Test
  void wrongNumbersOfDimensionsAreRefused() {
    refused(tensor(0)).hasMessageContaining("1 to 4 dimensions of tensor \"t\", found 0");
    refused(tensor(0, 1, 1, 1, 1, 1)).hasMessageContaining("found 5");
    refused(new GgufBytes().head(1, 0).string("t").u32(-1).pad(128))
        .hasMessageContaining("found 4294967295");
  }

  @Test
  void unknownTensorTypesAreRefusedByNumber() {
    for (long type : new long[] {4, 5, 31, 40, 1000, 0xffff_ffffL}) {
      refused(new GgufBytes().head(1, 0).string("t").u32(1).u64(8).u32(type).u64(0).pad(128))
          .hasMessageContaining("a known type of tensor \"t\", found type number " + type);
    }
  }

  @Test
  void namesFromTheFileCannotBreakTheMessage() {
    refused(new GgufBytes().head(0, 1).string("a\n\u001b[2J\"" + "x".repeat(500)).u32(99).u64(0))
        .hasMessageContaining("\"a\\u000a\\u001b[2J\\u0022xxx")
        .hasMessageContaining("x…\"")
        .message()
        .doesNotContain("\n")
        .hasSizeLessThan(300);
  }

  private static GgufBytes array(GgufValueType type, long count) {
    return new GgufBytes()
        .head(0, 1)
        .string("k")
        .u32(GgufValueType.ARRAY.id())
        .u32(type.id())
        .u64(count);
  }

  /** A file of one F32 tensor and 64 bytes of data. */
  private static byte[] tensor(long offset, long... dims) {
    GgufBytes file = new GgufBytes().head(1, 0).string("t").u32(dims.length);
    for (long dim : dims) {
      file.u64(dim);
    }
    return file.u32(0).u64(offset).pad(32).raw(new byte[64]).toArray();
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> refused(GgufBytes file) {
    return refused(file.toArray());
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> refused(byte[] file) {
    return assertThatThrownBy(() -> GgufSamples.parse(file)).isInstanceOf(GgufException.class);
  }
}
