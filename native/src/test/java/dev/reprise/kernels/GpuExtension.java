package dev.reprise.kernels;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * Gives tests one device for the whole run, frees a test's buffers, and says the seed on failure.
 */
final class GpuExtension
    implements ParameterResolver, AfterEachCallback, TestExecutionExceptionHandler {

  private static Gpu gpu(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(ExtensionContext.Namespace.create(GpuExtension.class))
        .computeIfAbsent(Gpu.class, type -> new Gpu(), Gpu.class);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Gpu.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return gpu(context);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    gpu(context).freeBuffers();
  }

  @Override
  public void handleTestExecutionException(ExtensionContext context, Throwable failure)
      throws Throwable {
    System.err.printf(
        "%s failed with -Dreprise.test.seed=%d%n", context.getDisplayName(), Gpu.SEED);
    throw failure;
  }
}
