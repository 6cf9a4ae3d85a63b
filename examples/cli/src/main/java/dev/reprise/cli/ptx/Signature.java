package dev.reprise.cli.ptx;

import dev.reprise.softgpu.inspect.PtxInspection;
import dev.reprise.softgpu.inspect.PtxKernel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What kernels take, as their PTX says it. Kept for the last few texts, since a batch asks again
 * and again.
 */
final class Signature {
  private static final int MOST = 64;

  private static final Map<String, List<PtxKernel>> KNOWN =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, List<PtxKernel>> eldest) {
          return size() > MOST;
        }
      };

  private Signature() {}

  /**
   * Checks the arguments of a case. A text that only the driver can read is left to it.
   *
   * @throws BadCaseException if they are not as many or not as large as the parameters
   */
  static void check(KernelCase asked) {
    List<PtxKernel> kernels;
    synchronized (KNOWN) {
      kernels = KNOWN.computeIfAbsent(asked.ptx(), ptx -> PtxInspection.of(ptx).kernels());
    }
    Optional<PtxKernel> kernel =
        kernels.stream().filter(k -> k.name().equals(asked.kernel())).findFirst();
    if (kernel.isEmpty()) {
      return;
    }
    List<PtxKernel.Parameter> parameters = kernel.get().parameters();
    List<CaseArgument> arguments = asked.arguments();
    if (parameters.size() != arguments.size()) {
      throw new BadCaseException(
          "kernel %s takes %d arguments%s, not %d"
              .formatted(
                  asked.kernel(),
                  parameters.size(),
                  parameters.isEmpty() ? "" : " (" + types(parameters) + ")",
                  arguments.size()));
    }
    for (int k = 0; k < arguments.size(); k++) {
      PtxKernel.Parameter parameter = parameters.get(k);
      CaseArgument argument = arguments.get(k);
      if (parameter.bytes() != argument.size()) {
        throw new BadCaseException(
            "argument %d of kernel %s is %s with %d bytes; the parameter %s is %s with %d (%s)"
                .formatted(
                    k,
                    asked.kernel(),
                    argument.shown(),
                    argument.size(),
                    parameter.name(),
                    parameter.type(),
                    parameter.bytes(),
                    types(parameters)));
      }
    }
  }

  private static String types(List<PtxKernel.Parameter> parameters) {
    return String.join(", ", parameters.stream().map(PtxKernel.Parameter::type).toList());
  }
}
