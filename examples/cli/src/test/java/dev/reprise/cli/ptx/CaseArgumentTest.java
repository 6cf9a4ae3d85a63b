package dev.reprise.cli.ptx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CaseArgumentTest {

  @ParameterizedTest
  @CsvSource({
    "i32:-1, ffffffff",
    "i32:2147483647, 7fffffff",
    "i32:-2147483648, ffffffff80000000",
    "i32:0xffffffff, ffffffff",
    "u32:0xffffffff, ffffffff",
    "u32:4294967295, ffffffff",
    "i64:-1, ffffffffffffffff",
    "u64:18446744073709551615, ffffffffffffffff",
    "f32:1, 3f800000",
    "f32:0x1p-3, 3e000000",
    "f32:nan, 7fc00000",
    "f32:-inf, ffffffffff800000",
    "f32:0f7FC00001, 7fc00001",
    "f64:1.5, 3ff8000000000000",
    "f64:0d3FF0000000000000, 3ff0000000000000",
    "f64:-0, 8000000000000000",
  })
  void numbersBecomeBits(String text, String bits) {
    assertThat(CaseArgument.parse(text))
        .isInstanceOfSatisfying(
            CaseArgument.Value.class,
            value -> {
              int size = text.startsWith("i32") || text.startsWith("u32") ? 4 : value.size();
              long kept = size == 4 ? value.bits() & 0xffff_ffffL : value.bits();
              long wanted = Long.parseUnsignedLong(bits, 16);
              assertThat(kept).isEqualTo(size == 4 ? wanted & 0xffff_ffffL : wanted);
            });
  }

  @Test
  void memoryHoldsTheBytesInTheirOrder() {
    assertThat(CaseArgument.parse("inout:0001fF"))
        .isInstanceOfSatisfying(
            CaseArgument.Memory.class,
            memory -> {
              assertThat(memory.bytes()).containsExactly(0, 1, -1);
              assertThat(memory.output()).isTrue();
            });
    assertThat(CaseArgument.parse("in:"))
        .isInstanceOfSatisfying(
            CaseArgument.Memory.class,
            memory -> {
              assertThat(memory.bytes()).isEmpty();
              assertThat(memory.output()).isFalse();
            });
    assertThat(CaseArgument.parse("out:3"))
        .isInstanceOfSatisfying(
            CaseArgument.Memory.class, memory -> assertThat(memory.bytes()).hasSize(3));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "in:abc | two hex digits make a byte, and these are 3, an odd number",
        "inout:0g | at digit 2 is no hex digit",
        "out:-1 | needs a number of bytes from 0 to 1073741824, such as out:64",
        "out:x | needs a number of bytes",
        "i32:2147483648 | is outside -2147483648 to 2147483647",
        "u32:-1 | is outside 0 to 4294967295",
        "u32:0x100000000 | is outside 0 to 4294967295",
        "i32:1.5 | needs a whole number",
        "i32: | needs a whole number",
        "f32:one | needs a number such as 1.5",
        "f32:1e39 | is too large for its type",
        "f32:1f | needs a number such as 1.5",
        "s32:1 | there is no kind of argument \"s32\", did you mean i32?",
        "7 | is no argument; write in:HEX",
      })
  void whatIsWrongIsSaid(String text, String message) {
    assertThatThrownBy(() -> CaseArgument.parse(text))
        .isInstanceOf(BadCaseException.class)
        .hasMessageContaining(message)
        .hasMessageContaining("\"" + text + "\"");
  }
}
