package dev.reprise.kernels;

import dev.reprise.cuda.Kernel;
import dev.reprise.cuda.KernelArg;
import dev.reprise.cuda.PreparedLaunch;
import dev.reprise.kernels.contract.Bindings;
import dev.reprise.kernels.contract.Derived;
import dev.reprise.kernels.contract.KernelContract;
import dev.reprise.kernels.contract.Parameter;
import dev.reprise.kernels.contract.Requirement;
import dev.reprise.kernels.contract.Symbol;
import java.util.HashMap;
import java.util.Map;

/**
 * One launch being put together: values for the symbols, spans for the arrays. {@link #prepare}
 * checks them against the contract and derives the geometry from it.
 */
final class Invocation {

  private final KernelContract contract;
  private final Kernel kernel;
  private final Bindings bindings = new Bindings();
  private final Map<String, Float> reals = new HashMap<>();
  private final Map<String, Span> spans = new HashMap<>();

  Invocation(KernelContract contract, Kernel kernel) {
    this.contract = contract;
    this.kernel = kernel;
  }

  Invocation set(String symbol, long value) {
    bindings.bind(symbol, value);
    return this;
  }

  Invocation real(String parameter, float value) {
    reals.put(parameter, value);
    return this;
  }

  Invocation span(String parameter, Span span) {
    spans.put(parameter, span);
    return this;
  }

  PreparedLaunch prepare() {
    checkSymbols();
    for (Parameter.Buffer buffer : contract.buffers()) {
      checkBuffer(buffer, given(spans, buffer.name()));
    }
    checkOverlaps();
    KernelArg[] args = contract.parameters().stream().map(this::argument).toArray(KernelArg[]::new);
    return kernel.prepare(contract.geometry().config().apply(bindings), args);
  }

  private void checkSymbols() {
    for (Symbol symbol : contract.symbols()) {
      long value = bindings.get(symbol.name());
      if (!symbol.allows(value)) {
        throw refused(
            "%s (%s) must be %s and is %d"
                .formatted(symbol.name(), symbol.meaning(), symbol.requirement(), value));
      }
    }
    for (Derived derived : contract.derived()) {
      bindings.bind(derived.name(), derived.value().applyAsLong(bindings));
    }
    for (Requirement requirement : contract.requirements()) {
      if (!requirement.holds().test(bindings)) {
        throw refused("required is that %s; given %s".formatted(requirement.text(), bindings));
      }
    }
  }

  private void checkBuffer(Parameter.Buffer buffer, Span span) {
    long required = buffer.bytes(bindings);
    if (span.bytes() < required) {
      throw refused(
          "%s needs %d bytes (%s%s with %s) and is given %d of buffer '%s'"
              .formatted(
                  buffer.name(),
                  required,
                  buffer.type(),
                  buffer.shape(),
                  bindings,
                  span.bytes(),
                  span.buffer().label()));
    }
    if (span.address() % buffer.alignment() != 0) {
      throw refused(
          "%s must be aligned to %d bytes and is at 0x%x (offset %d of buffer '%s')"
              .formatted(
                  buffer.name(),
                  buffer.alignment(),
                  span.address(),
                  span.offset(),
                  span.buffer().label()));
    }
  }

  /** Nothing that is written may overlap anything else, counted over what the kernel touches. */
  private void checkOverlaps() {
    for (Parameter.Buffer written : contract.buffers()) {
      if (!written.mutated()) {
        continue;
      }
      for (Parameter.Buffer other : contract.buffers()) {
        if (!other.name().equals(written.name()) && touched(written).overlaps(touched(other))) {
          throw refused(
              "%s is written and must not overlap %s: both are in buffer '%s'"
                  .formatted(
                      written.name(), other.name(), given(spans, other.name()).buffer().label()));
        }
      }
    }
  }

  private Span touched(Parameter.Buffer buffer) {
    return given(spans, buffer.name()).slice(0, buffer.bytes(bindings));
  }

  private KernelArg argument(Parameter parameter) {
    return switch (parameter) {
      case Parameter.Buffer buffer -> {
        Span span = given(spans, buffer.name());
        yield switch (buffer.access()) {
          case READ -> KernelArg.read(span.buffer(), span.offset());
          case WRITE -> KernelArg.write(span.buffer(), span.offset());
          case READ_WRITE -> KernelArg.readWrite(span.buffer(), span.offset());
        };
      }
      case Parameter.Int integer -> KernelArg.i32(bindings.getInt(integer.name()));
      case Parameter.Real real -> {
        float value = given(reals, real.name());
        if (!real.allows(value)) {
          throw refused(
              "%s (%s) must be from %s to %s and is %s"
                  .formatted(real.name(), real.meaning(), real.least(), real.most(), value));
        }
        yield KernelArg.f32(value);
      }
    };
  }

  private <T> T given(Map<String, T> values, String parameter) {
    T value = values.get(parameter);
    if (value == null) {
      throw refused("no value for parameter " + parameter);
    }
    return value;
  }

  private IllegalArgumentException refused(String why) {
    return new IllegalArgumentException("Kernel %s: %s.".formatted(contract.name(), why));
  }
}
