package dev.reprise.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.bindings.cuda.cuda_h;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InitResultTest {

  @ParameterizedTest
  @EnumSource
  void theCodeIsThatOfTheHeader(InitResult result) throws Throwable {
    int code =
        (int)
            MethodHandles.publicLookup()
                .findStatic(
                    cuda_h.class, "CUDA_ERROR_" + result.name(), MethodType.methodType(int.class))
                .invokeExact();
    assertThat(result.code()).isEqualTo(code);
    assertThat(InitResult.of(result.code())).hasValue(result);
  }
}
