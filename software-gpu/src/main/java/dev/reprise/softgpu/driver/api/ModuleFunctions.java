package dev.reprise.softgpu.driver.api;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.reprise.softgpu.driver.context.Context;
import dev.reprise.softgpu.driver.context.SoftwareGpu;
import dev.reprise.softgpu.driver.operation.KernelFunction;
import dev.reprise.softgpu.driver.operation.LoadedImage;
import dev.reprise.softgpu.driver.support.CallerMemory;
import dev.reprise.softgpu.driver.support.CudaFailure;
import dev.reprise.softgpu.driver.support.Result;
import dev.reprise.softgpu.memory.Allocation;
import dev.reprise.softgpu.memory.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;

/** Module management. Images are PTX text; machine code of NVIDIA devices cannot run here. */
final class ModuleFunctions extends Functions {

  private static final int EAGER_LOADING = 1;

  ModuleFunctions(SoftwareGpu gpu) {
    super(gpu);
  }

  int cuModuleLoadData(MemorySegment module, MemorySegment image) {
    return load(module, image, JitOptions.none());
  }

  int cuModuleLoadFatBinary(MemorySegment module, MemorySegment fatCubin) {
    return load(module, fatCubin, JitOptions.none());
  }

  int cuModuleLoadDataEx(
      MemorySegment module,
      MemorySegment image,
      int count,
      MemorySegment options,
      MemorySegment values) {
    context();
    return load(module, image, JitOptions.read(count, options, values));
  }

  int cuModuleLoad(MemorySegment module, MemorySegment fname) {
    context();
    String ptx = Images.readFile(CallerMemory.readString(fname, "fname"));
    return load(module, ptx, JitOptions.none());
  }

  private int load(MemorySegment module, MemorySegment image, JitOptions options) {
    context();
    return load(module, Images.read(image, options), options);
  }

  private int load(MemorySegment module, String ptx, JitOptions options) {
    Context context = context();
    CallerMemory.required(module, "module");
    checkCodeMayChange("loading a module");
    LoadedImage image = Images.load(handles(), context, ptx, options);
    CallerMemory.writeLong(module, "module", image.handle());
    return SUCCESS;
  }

  int cuModuleUnload(MemorySegment hmod) {
    Context context = contextEvenIfPoisoned();
    LoadedImage image = image(hmod);
    checkCodeMayChange("unloading a module");
    context.unload(image);
    return context.result().code();
  }

  int cuModuleGetLoadingMode(MemorySegment mode) {
    gpu().device();
    CallerMemory.writeInt(mode, "mode", EAGER_LOADING);
    return SUCCESS;
  }

  int cuModuleGetFunction(MemorySegment hfunc, MemorySegment hmod, MemorySegment name) {
    context();
    LoadedImage image = image(hmod);
    CallerMemory.required(hfunc, "hfunc");
    KernelFunction function = image.function(CallerMemory.readString(name, "name"));
    CallerMemory.writeLong(hfunc, "hfunc", function.handle());
    return SUCCESS;
  }

  int cuModuleGetFunctionCount(MemorySegment count, MemorySegment mod) {
    context();
    CallerMemory.writeInt(count, "count", image(mod).functions().size());
    return SUCCESS;
  }

  int cuModuleEnumerateFunctions(MemorySegment functions, int count, MemorySegment mod) {
    context();
    LoadedImage image = image(mod);
    long address = CallerMemory.required(functions, "functions");
    Iterator<KernelFunction> all = image.functions().iterator();
    for (int i = 0; i < count && all.hasNext(); i++) {
      HostMemory.ALL.set(JAVA_LONG_UNALIGNED, address + (long) i * Long.BYTES, all.next().handle());
    }
    return SUCCESS;
  }

  int cuModuleGetGlobal_v2(
      MemorySegment dptr, MemorySegment bytes, MemorySegment hmod, MemorySegment name) {
    context();
    LoadedImage image = image(hmod);
    String wanted = CallerMemory.readString(name, "name");
    Allocation allocation = image.module().global(wanted);
    if (allocation == null) {
      throw new CudaFailure(Result.NOT_FOUND, "no variable '" + wanted + "' in " + image);
    }
    CallerMemory.writeLongIfWanted(dptr, allocation.base());
    CallerMemory.writeLongIfWanted(bytes, allocation.size());
    return SUCCESS;
  }

  private LoadedImage image(MemorySegment handle) {
    return handles().require(handle.address(), LoadedImage.class, "hmod");
  }
}
